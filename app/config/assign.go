package config

import (
	"strings"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/assets/words"
)

// assign returns the text of a file with one setting made.
func assign(text, key, value string) (string, error) {
	f, ok := find(key)
	if !ok {
		return "", unknown(key)
	}
	v, err := input(f, value)
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
	changed := doc.Put(key, v.Literal())
	// What we are about to write is read back first: a file people wrote
	// by hand must never be made worse.
	again := parse(changed)
	if len(again.Errors) > 0 {
		return "", again.Errors[0]
	}
	if e := again.Find(key); e == nil || e.Value.Literal() != v.Literal() || len(again.Entries) > len(doc.Entries)+1 {
		return "", words.New("said.settings.set-the-file-is-laid-out", words.Args{"name": key})
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
