package api

import (
	"context"
	"time"

	"github.com/forage-net/forage/assets/words"
)

// Node is what the server shows and commands. Its methods may be called at the same time, must return soon after ctx is
// done, and must not wait for readers. The language of a call is Lang of its ctx. Errors are shown to the user:
// they are messages.
type Node interface {
	Status(ctx context.Context) (Status, error)
	// StatusIn is Status with its sentences in a language, "en" or "de"; those of Status are in English.
	StatusIn(ctx context.Context, lang string) (Status, error)
	// Domains returns at most limit domains in ascending order of name, those after the
	// name after ("" for the first). Their reasons are in the language of ctx.
	Domains(ctx context.Context, after string, limit int) ([]Domain, error)
	// Events returns at most limit events with an ID above since, in order, and
	// the since for the next call. dropped says that events between since and
	// the first one returned are no longer kept. It does not block.
	Events(since uint64, limit int) (events []Event, next uint64, dropped bool)
	// Wait blocks until there are events with an ID above since, or ctx is done.
	Wait(ctx context.Context, since uint64)
	// Pause stops work for a time, or until Resume if it is 0.
	Pause(ctx context.Context, d time.Duration) error
	Resume(ctx context.Context) error
	// Stop begins to stop the node and returns without waiting for the end.
	Stop(ctx context.Context) error
	Refuser
	Limiter
	Moder
	Returner
	Gatherer
	Visitor
	Settler
	Circler
	Librarian
	Viewer
	Exporter
	Eraser
	Examiner
	Counter
	Recorder
	Inquirer
}

// langKey is that of the language of a call.
type langKey struct{}

// WithLang returns a context of a call whose answer has its sentences in a language, "en" or "de".
func WithLang(ctx context.Context, lang string) context.Context {
	return context.WithValue(ctx, langKey{}, lang)
}

// Lang returns the language of the sentences in the answer of a call: that of WithLang, else "en".
func Lang(ctx context.Context) string {
	if lang, ok := ctx.Value(langKey{}).(string); ok {
		return lang
	}
	return words.English
}
