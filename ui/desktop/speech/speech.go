// Package speech says things in the language of the window: texts by their keys, numbers, amounts and times,
// and the names of nodes and languages. It does not keep what it is given, so that it may be called from any
// goroutine.
package speech

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// Speech is the language of the window. Its texts are those of the dashboard and its own, in assets/words.
type Speech struct{ Lang string }

// T is the text of a key. args are names and values in turn, as in slog.
func (s Speech) T(key string, args ...any) string {
	return words.Text(s.Lang, key, named(args))
}

// N is the text of a key that comes with a count, which is called {n} or {count} in it.
func (s Speech) N(key string, count int64, args ...any) string {
	a := named(args)
	a["n"], a["count"] = count, count
	return words.Text(s.Lang, key, a)
}

func named(args []any) words.Args {
	a := make(words.Args, len(args)/2+2)
	for i := 0; i+1 < len(args); i += 2 {
		if name, ok := args[i].(string); ok {
			a[name] = args[i+1]
		}
	}
	return a
}

// Has reports whether there is a text of a key.
func (s Speech) Has(key string) bool { return s.T(key) != key }

// Clock writes a time of day.
func (s Speech) Clock(at time.Time) string { return at.Local().Format("15:04") }

// Date writes a day, with its year if that is not the present one.
func (s Speech) Date(at, now time.Time) string {
	at = at.Local()
	text := strconv.Itoa(at.Day()) + " " + s.month(at.Month())
	if s.Lang == words.German {
		text = strconv.Itoa(at.Day()) + ". " + s.month(at.Month())
	}
	if at.Year() != now.Local().Year() {
		text += " " + strconv.Itoa(at.Year())
	}
	return text
}

// month writes a month in short.
func (s Speech) month(m time.Month) string { return s.T("window.month." + strconv.Itoa(int(m))) }

// Weekday writes a day of the week in short, Monday is 0.
func (s Speech) Weekday(day int) string { return s.T("weekday." + strconv.Itoa(day)) }

// Trouble is what went wrong, in a sentence of the user's language as far as there is one.
func (s Speech) Trouble(err error) string {
	if errors.Is(err, api.ErrNotRunning) || errors.Is(err, context.DeadlineExceeded) {
		return s.T("lost.short")
	}
	return words.In(s.Lang, err)
}
