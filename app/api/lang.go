package api

import (
	"context"

	"github.com/forage-net/forage/assets/words"
)

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
