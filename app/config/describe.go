package config

import (
	"errors"
	"io/fs"

	"github.com/forage-net/forage/app/limits"
)

// Item is a setting and its value.
type Item struct {
	Key
	// Value is a bool for yes or no, an int64 for a whole number, a size (in bytes) and a length of time (in
	// seconds), a []string for a list, never nil, and else a string. Default is the same of the default.
	Value, Default any
	// Text and DefaultText are the values as Set takes them.
	Text, DefaultText string
}

// Items returns all settings in the order they are documented in. The slices are the caller's.
func (c Config) Items() []Item {
	defaults := Defaults()
	items := make([]Item, 0, len(schema()))
	for _, f := range schema() {
		items = append(items, Item{
			Key: f.Key, Value: f.typed(&c), Default: f.typed(&defaults),
			Text: f.get(&c).words(), DefaultText: f.get(&defaults).words(),
		})
	}
	return items
}

// words returns the value as input reads it.
func (v value) words() string {
	if v.kind == kindText {
		return v.text
	}
	return v.literal()
}

// typed returns the value as a front end wants it.
func (f field) typed(c *Config) any {
	v := f.get(c)
	n, whole := v.whole()
	switch f.Type {
	case "yes or no":
		return v.text == "yes"
	case "whole number":
		return n
	case "size":
		if size, err := parseSize(v.text); err == nil && !whole {
			return int64(size)
		}
		return n
	case "length of time":
		d, _ := limits.ParseDuration(v.text) // what get writes can be read
		return int64(d.Seconds())
	case "list":
		list := make([]string, len(v.items))
		for i, item := range v.items {
			list[i] = item.text
		}
		return list
	}
	return v.text
}

// Read returns the settings in a file as they are written: names of files are not made absolute, and of what is wrong
// the default stands. The error says what is wrong, as that of Load.
func Read(path string) (Config, error) {
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Defaults(), nil
	}
	if err != nil {
		return Defaults(), err
	}
	c, errs := read(text)
	joined := make([]error, len(errs))
	for i, e := range errs {
		e.Path = path
		joined[i] = e
	}
	return c, errors.Join(joined...)
}

// ListText writes a list as Set takes it.
func ListText(items []string) string { return textList(items).literal() }
