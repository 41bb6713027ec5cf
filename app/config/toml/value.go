package toml

import (
	"strconv"
	"strings"

	"github.com/creachadair/tomledit/scanner"
)

// Kind is what a value of the file is. Inline tables are no values: the
// parser dissolves them into settings.
type Kind uint8

// The kinds of values.
const (
	Text  Kind = iota // in quotes
	Whole             // an integer
	List              // an array
	Other             // true, 1.5, a date
)

// Value is a value as written.
type Value struct {
	Kind  Kind
	Text  string  // of the kind Text without quotes and escapes, else the source
	Items []Value // of the kind List
}

// Texts returns a list of texts.
func Texts(texts []string) Value {
	v := Value{Kind: List}
	for _, s := range texts {
		v.Items = append(v.Items, Value{Kind: Text, Text: s})
	}
	return v
}

// Whole returns the number that a whole number stands for.
func (v Value) Whole() (int64, bool) {
	if v.Kind != Whole {
		return 0, false
	}
	digits := strings.TrimLeft(v.Text, "+-")
	if len(digits) > 1 && digits[0] == '0' && (digits[1] == '_' || '0' <= digits[1] && digits[1] <= '9') {
		return 0, false // TOML has no leading zeros; Go would read octal
	}
	n, err := strconv.ParseInt(v.Text, 0, 64)
	return n, err == nil
}

// Literal returns the value as it would be written in a file.
func (v Value) Literal() string {
	switch v.Kind {
	case Text:
		return `"` + string(scanner.Escape(v.Text)) + `"`
	case List:
		texts := make([]string, len(v.Items))
		for i, item := range v.Items {
			texts[i] = item.Literal()
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return v.Text
}

// Words returns the value as a person would say it.
func (v Value) Words() string {
	if v.Kind == Text {
		return v.Text
	}
	return v.Literal()
}
