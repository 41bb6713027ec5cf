// Package language puts texts, numbers and times into the language of the user.
package language

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
)

// Language is what the user reads, "en" or "de"; "" is English.
type Language string

// Text returns a text of this package: key without "cli.".
func (l Language) Text(key string, args words.Args) string {
	return words.Text(string(l), "cli."+key, args)
}

// Word returns what a word that programs know is called, or the word itself if it has no other name.
func (l Language) Word(kind, word string) string {
	key := "cli." + kind + "." + word
	if text := words.Text(string(l), key, nil); text != key {
		return text
	}
	return word
}

// notWord is what stands between the words of a key.
var notWord = regexp.MustCompile(`\W+`)

// Term returns what a word of the API is called where other front ends show it. In English it is shown as
// it is.
func (l Language) Term(kind, term string) string {
	key := kind + "." + notWord.ReplaceAllString(term, "-")
	if text := words.Text(l.Of(), key, nil); l.Of() != words.English && text != key {
		return text
	}
	return term
}

// Count writes a number with what it counts.
func (l Language) Count(noun string, n int64) string {
	return l.Text("count."+noun, words.Args{"count": n})
}

// Of returns the language as the API has it.
func (l Language) Of() string {
	if slices.Contains(words.Languages(), string(l)) {
		return string(l)
	}
	return words.English
}

// Said says what went wrong, or what a message says.
func (l Language) Said(err error) string { return words.In(l.Of(), err) }

// Heading is the first row of a table, of texts of one kind.
func (l Language) Heading(kind string, keys ...string) []string {
	row := make([]string, len(keys))
	for i, key := range keys {
		row[i] = l.Text(kind+"."+key, nil)
	}
	return row
}

// Number writes a number with separators between thousands.
func (l Language) Number(n int64) string { return words.Number(string(l), n) }

// decimal writes what was written with a point.
func (l Language) decimal(text string) string {
	if l == words.German {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

// Milliseconds writes a time, "-" if it is not known.
func (l Language) Milliseconds(ms float64) string {
	if ms <= 0 {
		return "-"
	}
	return l.Rate(ms) + " ms"
}

// Bytes writes a size.
func (l Language) Bytes(n int64) string { return l.decimal(ledger.FormatBytes(n)) }

// Rate writes a number of something a second.
func (l Language) Rate(perSecond float64) string { return l.decimal(fmt.Sprintf("%.1f", perSecond)) }

// Percent writes a share, of which 1 is all.
func (l Language) Percent(share float64) string { return l.Rate(100*share) + " %" }

// Amount writes what was used, "-" if that is not known.
func (l Language) Amount(v float64) string {
	switch {
	case v < 0:
		return "-"
	case v < 10:
		return l.decimal(strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0"))
	}
	return fmt.Sprintf("%.0f", v)
}

// Clock writes a time of today without its date.
func (l Language) Clock(t time.Time) string {
	return tell.Moment(t.Local(), time.Now(), l.Of())
}

// Left says how long something will still take.
func (l Language) Left(seconds float64) string {
	return l.Text("bar.left", words.Args{"time": l.length(seconds)})
}

// length writes a length of time in seconds as exactly as one can know it.
func (l Language) length(seconds float64) string {
	const most = 100 * 3600
	switch minutes := int(min(seconds, most) / 60); {
	case seconds < 60:
		return fmt.Sprintf("%d s", int(seconds))
	case minutes < 60:
		return fmt.Sprintf("%d min %d s", minutes, int(seconds)%60)
	case seconds < most:
		return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	}
	return l.Text("bar.days", nil)
}
