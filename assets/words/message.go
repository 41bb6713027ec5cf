package words

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxMessage is the longest message that is read, in bytes; several times the longest there is.
	maxMessage = 4096
	// maxDepth is how deep messages stand within messages: deeper than errors are wrapped.
	maxDepth = 12
	// inner marks the name of an argument that is a message itself, number of one that is a whole number.
	inner  = "~"
	number = "#"
)

var errNoMessage = errors.New("no message")

// Message is a text with its arguments that is not in a language yet. Parts of the program that do not know their
// reader make one, and front ends say it. It is the error where something went wrong.
//
// An argument may be an error, which a Message is too. It is said in the same language.
type Message struct {
	Key  string
	Args Args
}

// New returns the message of a key; see Text.
func New(key string, args Args) *Message { return &Message{Key: key, Args: args} }

// In says it in a language.
func (m *Message) In(lang string) string { return Text(lang, m.Key, m.Args) }

// Error says it in English.
func (m *Message) Error() string { return m.In(English) }

// Unwrap returns the errors among its arguments, by their names.
func (m *Message) Unwrap() []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(m.Args)) {
		if err, is := m.Args[name].(error); is {
			errs = append(errs, err)
		}
	}
	return errs
}

// Join returns errors that are told one after the other, with a mark between them. Nil ones are left out.
func Join(mark string, errs ...error) error {
	errs = slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err == nil })
	if len(errs) == 0 {
		return nil
	}
	return &joined{mark, errs}
}

type joined struct {
	mark string
	errs []error
}

func (j *joined) In(lang string) string {
	texts := make([]string, len(j.errs))
	for i, err := range j.errs {
		texts[i] = In(lang, err)
	}
	return strings.Join(texts, j.mark)
}

func (j *joined) Error() string   { return j.In(English) }
func (j *joined) Unwrap() []error { return j.errs }

// MarshalText writes a message for a store or a peer: "key?name=value&name=value", as in a URL.
func (m *Message) MarshalText() ([]byte, error) { return []byte(m.text(0)), nil }

// Stored returns what MarshalText writes, "" of no message.
func (m *Message) Stored() string {
	if m == nil {
		return ""
	}
	return m.text(0)
}

// Shown says in a language what Stored returned. What is no message stays as it is.
func Shown(lang, stored string) string {
	if m, ok := Parse(stored); ok {
		return m.In(lang)
	}
	return stored
}

func (m *Message) text(depth int) string {
	if len(m.Args) == 0 || depth == maxDepth {
		return m.Key
	}
	values := make(url.Values, len(m.Args))
	for name, value := range m.Args {
		if in, is := value.(*Message); is {
			values.Set(name+inner, in.text(depth+1))
			continue
		}
		if n, is := whole(value); is {
			values.Set(name+number, strconv.FormatInt(n, 10))
			continue
		}
		values.Set(name, write(English, value))
	}
	return m.Key + "?" + values.Encode()
}

// Parse reads a message that MarshalText wrote. It reports false for a key that does not exist and for whatever else
// is none: the text may be of a stranger, or of another version.
func Parse(text string) (*Message, bool) { return parse(text, 0) }

func parse(text string, depth int) (*Message, bool) {
	if len(text) > maxMessage || depth > maxDepth {
		return nil, false
	}
	key, query, _ := strings.Cut(text, "?")
	if !Has(key) {
		return nil, false
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, false
	}
	m := &Message{Key: key}
	for name := range values {
		if m.Args == nil {
			m.Args = make(Args, len(values))
		}
		if m.Args[strings.TrimRight(name, inner+number)], err = argument(name, values.Get(name), depth); err != nil {
			return nil, false
		}
	}
	return m, true
}

// argument reads one argument by the mark at the end of its name.
func argument(name, value string, depth int) (any, error) {
	switch {
	case strings.HasSuffix(name, number):
		return strconv.ParseInt(value, 10, 64)
	case strings.HasSuffix(name, inner):
		if in, ok := parse(value, depth+1); ok {
			return in, nil
		}
		return nil, errNoMessage
	}
	return value, nil
}

// Has reports whether there is a text of a key, in one form or two.
func Has(key string) bool {
	table := texts()[English]
	_, one := table[key]
	_, many := table[key+".other"]
	return one || many
}
