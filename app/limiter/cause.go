package limiter

import (
	"time"

	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
)

// The keys of causes that are treated otherwise than the rest.
const (
	CauseStopping = "status.reason.stopping"
	CauseStarting = "status.reason.starting"
	CauseStore    = "status.reason.store"
	CauseArchive  = "status.reason.archive"
	// CauseLimits has no words of its own: limits say in whole sentences what they forbid.
	CauseLimits = "limits"
)

// Cause is one reason why nothing is fetched.
type Cause struct {
	Key   string      // of its words
	Said  InLanguages // of CauseLimits the sentence
	Err   error       // what went wrong
	At    time.Time   // until when
	Count int64       // of requests that failed
}

// InLanguages is a text by its language.
type InLanguages map[string]string

// In returns the reason in a language.
func (c Cause) In(lang string) string {
	if c.Key == CauseLimits {
		return c.Said[lang]
	}
	return words.Text(lang, c.Key, words.Args{
		"error": words.In(lang, c.Err), "failed": c.Count,
		"time": tell.When(c.At, time.Now(), lang),
	})
}

// Reasons returns reasons in a language. It is never nil.
func Reasons(lang string, causes []Cause) []string {
	list := make([]string, len(causes))
	for i, c := range causes {
		list[i] = c.In(lang)
	}
	return list
}
