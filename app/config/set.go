package config

import (
	"strings"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

// Set changes or adds one setting in a file and keeps everything else in it.
// The value is written as a person would say it: text without quotes, and for
// lists the items with commas between them, or a TOML list where an item holds
// a comma. A missing file is made, with all other settings commented out. The
// file is replaced in one step; if Set fails, it is as it was. An unknown key, a wrong value, and a file that
// cannot be read as TOML are an *Error; wrong values of other settings are not.
func Set(path, key, value string) error {
	return setAll(path, assignment{key, value})
}

// assignment is one setting and its value as a person would say it.
type assignment struct{ key, value string }

// setAll makes several settings in one step.
func setAll(path string, assignments ...assignment) error {
	return setAllOn(durable.Disk{}, path, assignments...)
}

func setAllOn(d durable.FS, path string, assignments ...assignment) error {
	return edit(d, path, true, func(text string) (string, error) {
		var err error
		for _, a := range assignments {
			if text, err = assign(text, a); err != nil {
				return "", err
			}
		}
		return text, nil
	})
}

// assign returns the text of a file with one setting made.
func assign(text string, a assignment) (string, error) {
	f, ok := find(a.key)
	if !ok {
		return "", unknown(a.key)
	}
	v, err := input(f, a.value)
	if err != nil {
		return "", err
	}
	if err := f.apply(new(Config), v); err != nil {
		return "", err
	}
	doc := parse(text)
	if len(doc.Errors) > 0 {
		return "", doc.Errors[0]
	}
	changed := doc.Put(a.key, v.Literal())
	// What we are about to write is read back first: a file people wrote
	// by hand must never be made worse.
	again := parse(changed)
	if len(again.Errors) > 0 {
		return "", again.Errors[0]
	}
	if e := again.Find(a.key); e == nil || e.Value.Literal() != v.Literal() || len(again.Entries) > len(doc.Entries)+1 {
		return "", words.New("said.settings.set-the-file-is-laid-out", words.Args{"name": a.key})
	}
	return changed, nil
}

// input reads a value of a setting as a person would say it.
func input(f field, text string) (toml.Value, error) {
	text = strings.TrimSpace(text)
	wrong := f.wrong(text, notAllowed)
	if !toml.Printable(text) {
		return toml.Value{}, wrong
	}
	switch f.Type {
	case "whole number":
		return toml.Value{Kind: toml.Whole, Text: text}, nil
	case "size", "length of time":
		v := toml.Value{Kind: toml.Whole, Text: text}
		n, whole := v.Whole()
		if whole && n > 0 {
			return toml.Value{}, f.wrong(text, f.noUnit(n))
		}
		if whole { // 0, and -1 for no limit, need none
			return v, nil
		}
	case "list":
		if strings.HasPrefix(text, "[") {
			v, err := toml.ParseValue(text)
			if err != nil {
				return toml.Value{}, wrong
			}
			return v, nil
		}
		v := toml.Value{Kind: toml.List}
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				v.Items = append(v.Items, toml.Value{Kind: toml.Text, Text: item})
			}
		}
		return v, nil
	}
	return toml.Value{Kind: toml.Text, Text: text}, nil
}

// Unquoted takes off the quotes that a value has in the file, as Get returns it.
func Unquoted(value string) string {
	if n := len(value); n > 1 && value[0] == '"' && value[n-1] == '"' && !strings.ContainsAny(value[1:n-1], `"\`) {
		return value[1 : n-1]
	}
	return value
}

// Check returns what is wrong with a value for a setting, written as on the
// command line. The error is an *Error.
func Check(key, text string) error {
	f, ok := find(key)
	if !ok {
		return unknown(key)
	}
	v, err := input(f, text)
	if err != nil {
		return err
	}
	return f.apply(new(Config), v)
}

// WrongIn is the error of a setting whose value in a file has the right form and cannot be used all the same.
// It says what should stand there, and not what does.
func WrongIn(path, key string) error {
	f, ok := find(key)
	if !ok {
		return unknown(key)
	}
	wrong := f.wrongAt(1)
	wrong.Path = path
	if text, err := readFile(path); err == nil {
		if e := parse(text).Find(key); e != nil {
			wrong.Line = e.Line
		}
	}
	return wrong
}
