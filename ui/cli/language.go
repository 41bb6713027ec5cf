package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
)

// language is what the user reads, "en" or "de"; "" is English.
type language string

// text returns a text of this package: key without "cli.".
func (l language) text(key string, args words.Args) string {
	return words.Text(string(l), "cli."+key, args)
}

// word returns what a word that programs know is called, or the word itself if it has no other name.
func (l language) word(kind, word string) string {
	key := "cli." + kind + "." + word
	if text := words.Text(string(l), key, nil); text != key {
		return text
	}
	return word
}

// notWord is what stands between the words of a key.
var notWord = regexp.MustCompile(`\W+`)

// term returns what a word of the API is called where other front ends show it. In English it is shown as
// it is.
func (l language) term(kind, term string) string {
	key := kind + "." + notWord.ReplaceAllString(term, "-")
	if text := words.Text(l.of(), key, nil); l.of() != words.English && text != key {
		return text
	}
	return term
}

// count writes a number with what it counts.
func (l language) count(noun string, n int64) string {
	return l.text("count."+noun, words.Args{"count": n})
}

// of returns the language as the API has it.
func (l language) of() string {
	if slices.Contains(words.Languages(), string(l)) {
		return string(l)
	}
	return words.English
}

// said says what was put into English elsewhere.
func (l language) said(english string) string { return words.Said(l.of(), english) }

// heading is the first row of a table, of texts of one kind.
func (l language) heading(kind string, keys ...string) []string {
	row := make([]string, len(keys))
	for i, key := range keys {
		row[i] = l.text(kind+"."+key, nil)
	}
	return row
}

func (l language) number(n int64) string { return words.Number(string(l), n) }

// decimal writes what was written with a point.
func (l language) decimal(text string) string {
	if l == words.German {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

// milliseconds writes a time, "-" if it is not known.
func (l language) milliseconds(ms float64) string {
	if ms <= 0 {
		return "-"
	}
	return l.rate(ms) + " ms"
}

func (l language) bytes(n int64) string          { return l.decimal(ledger.FormatBytes(n)) }
func (l language) rate(perSecond float64) string { return l.decimal(fmt.Sprintf("%.1f", perSecond)) }
func (l language) percent(share float64) string  { return l.decimal(percent(share)) }
func (l language) amount(v float64) string       { return l.decimal(amount(v)) }

// clock writes a time of today without its date.
func (l language) clock(t time.Time) string {
	return tell.Moment(t.Local(), time.Now(), tell.LangOf(l.of()))
}

// tell prints a text of this package, in lines of its own.
func (e *env) tell(key string, args words.Args) { fmt.Fprintln(e.out, e.lang.text(key, args)) }

// dial finds the node that runs, which then answers in the language of the user.
func (e *env) dial() (*api.Client, error) {
	client, err := api.Dial(e.paths.State)
	if err == nil {
		client.SetLang(e.lang.of())
	}
	return client, err
}
