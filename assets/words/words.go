// Package words holds what the program says to its user, in each language it speaks. The texts are in
// the files beside this one, a flat map from keys to texts for each part of the program; they are built in.
// It decides nothing and imports nothing of ours.
//
// A text may hold "{name}", which stands for an argument. Of a text that comes with a count there are two,
// KEY.one and KEY.other; the argument "count" chooses. Both languages have one form for 1 and
// one for all other numbers.
package words

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strconv"
	"strings"
	"sync"
)

// English and German are the languages there are.
const (
	English = "en"
	German  = "de"
)

// Languages returns all languages, the one that stands in for others first.
func Languages() []string { return []string{English, German} }

// Args are what stands for the names in a text: texts, which stand as they are, whole numbers of type int or int64,
// which are written as the language does, and errors, which are said in the language.
type Args map[string]any

//go:embed en/*.json de/*.json
var files embed.FS

// texts is read once and never changed: a parsed constant.
var texts = sync.OnceValue(func() map[string]map[string]string {
	all := make(map[string]map[string]string)
	for _, lang := range Languages() {
		table, err := read(files, lang)
		if err != nil {
			panic("words: " + err.Error()) // of a file that is built in
		}
		all[lang] = table
	}
	return all
})

// read returns all texts of one language. A key that stands in two files is an error.
func read(from fs.FS, lang string) (map[string]string, error) {
	names, err := fs.Glob(from, lang+"/*.json")
	if err != nil {
		return nil, err
	}
	all := make(map[string]string)
	for _, name := range names {
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		var table map[string]string
		if err := json.Unmarshal(data, &table); err != nil {
			return nil, fmt.Errorf("read %s: %w", path.Base(name), err)
		}
		for key, text := range table {
			if _, twice := all[key]; twice {
				return nil, fmt.Errorf("read %s: %s stands in two files", name, key)
			}
			all[key] = text
		}
	}
	return all, nil
}

// Keys returns all texts of a language by their keys. The map is the caller's.
func Keys(lang string) map[string]string {
	return maps.Clone(texts()[lang])
}

// Text returns a text with its arguments. A language that is not known is taken for English; of a key that
// does not exist the key itself is returned, which the tests of whoever uses it find.
func Text(lang, key string, args Args) string {
	table := texts()[lang]
	if table == nil {
		lang, table = English, texts()[English]
	}
	text, ok := table[key]
	if !ok {
		form := ".other"
		if n, is := whole(args["count"]); is && n == 1 {
			form = ".one"
		}
		if text, ok = table[key+form]; !ok {
			return key
		}
	}
	return fill(lang, text, args)
}

// fill puts arguments into a text, once: what they say is not looked into.
func fill(lang, text string, args Args) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if value, known := args[name]; closed && known {
			b.WriteString(write(lang, value))
			text = after
			continue
		}
		b.WriteByte('{') // of nobody's argument
		text = rest
	}
}

// In says an error in a language. What is no message, as of the operating system, stays as it is; so does what
// others put around a message.
func In(lang string, err error) string {
	if err == nil {
		return ""
	}
	if m, is := err.(interface{ In(lang string) string }); is {
		return m.In(lang)
	}
	switch err {
	case context.Canceled:
		return Text(lang, "said.cli.context-canceled", nil)
	case context.DeadlineExceeded:
		return Text(lang, "said.cli.context-deadline-exceeded", nil)
	}
	if p, is := err.(*fs.PathError); is && p.Op == "open" {
		return Text(lang, "said.trouble.open", Args{"path": p.Path, "error": p.Err})
	}
	text := err.Error()
	var wrapped []error
	switch w := err.(type) {
	case interface{ Unwrap() error }:
		wrapped = []error{w.Unwrap()}
	case interface{ Unwrap() []error }:
		wrapped = w.Unwrap()
	}
	for _, e := range wrapped {
		if e == nil {
			continue
		}
		if english, said := e.Error(), In(lang, e); english != said {
			text = strings.Replace(text, english, said, 1)
		}
	}
	return text
}

// write writes one argument.
func write(lang string, value any) string {
	if n, ok := whole(value); ok {
		return Number(lang, n)
	}
	if err, ok := value.(error); ok {
		return In(lang, err)
	}
	return fmt.Sprint(value)
}

func whole(value any) (int64, bool) {
	switch n := value.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// Number writes a whole number with its thousands apart.
func Number(lang string, n int64) string {
	mark := ","
	if lang == German {
		mark = "."
	}
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + mark + digits[i:]
	}
	return sign + digits
}

// Placeholders returns the names of the arguments in a text, each as often as it stands there.
func Placeholders(text string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return names
		}
		names = append(names, name)
		text = after
	}
}
