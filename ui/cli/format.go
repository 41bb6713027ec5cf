package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// number writes a count with separators between thousands.
func number[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, v any) error { return encodeJSON(w, v, "  ") }

// encodeJSON writes a value as JSON, on one line if indent is "". What a terminal would obey is
// escaped, also where JSON itself would not ask for it.
func encodeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := make([]byte, 0, b.Len())
	for _, r := range b.String() { // outside of strings there is ASCII only
		if r != '\n' && r != utf8.RuneError && harmless(r) < 0 {
			text = fmt.Appendf(text, `\u%04x`, r)
		} else {
			text = utf8.AppendRune(text, r)
		}
	}
	_, err := w.Write(text)
	return err
}

// when writes a time of today by the clock, another with its date.
func when(t, now time.Time) string {
	t = t.Local()
	if t.Format(time.DateOnly) == now.Local().Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// because joins the reasons for a state, which are whole sentences or parts of one, into one.
func because(reasons []string) string {
	list := make([]string, len(reasons))
	for i, r := range reasons {
		list[i] = strings.TrimSuffix(r, ".")
	}
	return strings.Join(list, "; ")
}

// joined is what and why, as far as there is a why.
func joined(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}
