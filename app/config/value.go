package config

import (
	"strconv"
	"strings"

	"github.com/creachadair/tomledit/scanner"
)

// kind is what a value of the file is. Inline tables are no values: the
// parser dissolves them into settings.
type kind uint8

const (
	kindText  kind = iota // in quotes
	kindWhole             // an integer
	kindList              // an array
	kindOther             // true, 1.5, a date
)

// value is a value as written.
type value struct {
	kind  kind
	text  string  // of kindText without quotes and escapes, else the source
	items []value // of kindList
}

// whole returns the number a value of kindWhole stands for.
func (v value) whole() (int64, bool) {
	if v.kind != kindWhole {
		return 0, false
	}
	digits := strings.TrimLeft(v.text, "+-")
	if len(digits) > 1 && digits[0] == '0' && (digits[1] == '_' || '0' <= digits[1] && digits[1] <= '9') {
		return 0, false // TOML has no leading zeros; Go would read octal
	}
	n, err := strconv.ParseInt(v.text, 0, 64)
	return n, err == nil
}

// literal returns the value as it would be written in a file.
func (v value) literal() string {
	switch v.kind {
	case kindText:
		return `"` + string(scanner.Escape(v.text)) + `"`
	case kindList:
		texts := make([]string, len(v.items))
		for i, item := range v.items {
			texts[i] = item.literal()
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return v.text
}

// words returns the value as input reads it.
func (v value) words() string {
	if v.kind == kindText {
		return v.text
	}
	return v.literal()
}
