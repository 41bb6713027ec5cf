package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// JSON writes a value as indented JSON.
func JSON(w io.Writer, v any) error { return EncodeJSON(w, v, "  ") }

// EncodeJSON writes a value as JSON, on one line if indent is "". What a terminal would obey is
// escaped, also where JSON itself would not ask for it.
func EncodeJSON(w io.Writer, v any, indent string) error {
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
