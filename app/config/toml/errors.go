package toml

import (
	"fmt"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

// Error says what is wrong with one setting or one line, in words for the
// person who wrote it.
type Error struct {
	// Path is the file, "" if the value did not come from one.
	Path string
	// Line counts from 1; 0 if Path is "".
	Line int
	// Key is the setting, "" where the line could not be read.
	Key string
	// Reason says what is wrong, to be read after Key: "= 40 is out of range". It quotes what somebody typed,
	// never what stands in a file.
	Reason error
	// Range says what would be right, "" where Reason does.
	Range string
}

// Error returns for example
// "config.toml:12: budget.full.fetchers cannot have this value: a whole number from 1 to 16".
func (e *Error) Error() string { return e.In(words.English) }

// In says the same in a language.
func (e *Error) In(lang string) string {
	var b strings.Builder
	if e.Path != "" {
		fmt.Fprintf(&b, "%s:%d: ", e.Path, e.Line)
	}
	if e.Key != "" {
		b.WriteString(e.Key + " ")
	}
	b.WriteString(words.In(lang, e.Reason))
	if e.Range != "" {
		b.WriteString(": " + e.RangeIn(lang))
	}
	return b.String()
}

// RangeIn says what would be right in a language.
func (e *Error) RangeIn(lang string) string {
	if key := "settings." + e.Key + ".range"; e.Range != "" && words.Has(key) {
		return words.Text(lang, key, nil)
	}
	return e.Range
}

// MaxErrors is how many errors of one file are reported: a screenful.
const MaxErrors = 20
