package ladder

import (
	"time"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

// Reading is what is known of one quantity.
type Reading[T any] struct {
	// Value is meaningless unless Known.
	Value T
	Known bool
	// Source is who says so ("logind", "Mutter", "sysfs"); "" if not Known.
	Source string
	// Since is when Value became what it is, or when it stopped being known.
	Since time.Time
	// Why says for people why the value is not known.
	Why error
	// Never says that the value is not known because nothing here could tell: what does is not
	// installed, or the system has no way.
	Never bool
}

// Status is one quantity for people.
type Status struct {
	Name   string
	Known  bool
	Value  string
	Source string
	Why    string
	// Never is as in Reading.
	Never bool
	// Sources are all that could tell, the best first.
	Sources []SourceStatus
}

// SourceStatus is how one source does.
type SourceStatus struct {
	Name string
	// State is "reading", "failed", "not needed" or "starting".
	State string
}

// because says why one source is of no use.
type because struct {
	source string
	why    error
}

// In says it in a language. What others say is bounded.
func (b *because) In(lang string) string {
	return SourceIn(lang, b.source) + ": " + local.Clean(words.In(lang, b.why), local.MaxWhy)
}

func (b *because) Error() string { return b.In(words.English) }

// SourceIn returns the name of a source in a language. Most have one of their own.
func SourceIn(lang, name string) string {
	if key := "said.sensor.source." + name; words.Has(key) {
		return words.Text(lang, key, nil)
	}
	return name
}
