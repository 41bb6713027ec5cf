package config

import (
	"slices"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// field is one row of the schema.
type field struct {
	Key
	// set checks a value by the key of its field and stores it. It returns what is wrong with the
	// value, to be read after it, or nil.
	set func(k Key, c *Config, v toml.Value) error
	// get returns the value that set would store.
	get func(c *Config) toml.Value
}

// apply checks a value and stores it. It returns an *Error without a place.
func (f field) apply(c *Config, v toml.Value) error {
	if reason := f.set(f.Key, c, v); reason != nil {
		return f.wrong(v.Literal(), reason)
	}
	return nil
}

// wrong is the error of a value that somebody wrote.
func (f field) wrong(value string, reason error) *Error {
	reason = words.New("said.settings.value", words.Args{"value": shorten(value), "reason": reason})
	return &Error{Key: f.Name, Reason: reason, Range: f.Range()}
}

var (
	notWhole    = words.New("said.settings.is-not-a-whole-number", nil)
	notText     = words.New("said.settings.is-not-text-in-quotes", nil)
	notList     = words.New("said.settings.is-not-a-list", nil)
	notDuration = words.New("said.settings.is-no-length-of-time", nil)
	outOfRange  = words.New("said.settings.is-out-of-range", nil)
	tooLong     = words.New("said.settings.is-too-long", nil)
	notAllowed  = words.New("said.settings.is-not-allowed", nil)
)

// whole is a number from lo to hi.
func whole[T int | uint8 | float64](name string, byDefault T, lo, hi int64, at func(*Config) *T) field {
	return field{
		Key: Key{
			Name: name, Type: "whole number", Default: strconv.FormatInt(int64(byDefault), 10), Lo: lo, Hi: hi,
		},
		set: func(k Key, c *Config, v toml.Value) error {
			n, ok := v.Whole()
			if !ok {
				return notWhole
			}
			if !k.allows(n) {
				return outOfRange
			}
			*at(c) = T(n)
			return nil
		},
		get: func(c *Config) toml.Value {
			return toml.Value{Kind: toml.Whole, Text: strconv.FormatInt(int64(*at(c)), 10)}
		},
	}
}

// unit returns a field with the unit of its number.
func unit(name string, f field) field {
	f.Unit = name
	return f
}

// orNone returns a field that takes -1, for no limit, beside what lies between its bounds.
func orNone(f field) field {
	f.None = true
	return f
}

// allows reports whether a number is in the range of a setting.
func (k Key) allows(n int64) bool { return n >= k.Lo && n <= k.Hi || k.None && n == limits.NoLimit }

// size is a number of bytes from lo to hi, written with a unit.
func size[T ~int64](name, byDefault string, lo, hi Size, at func(*Config) *T) field {
	return field{
		Key: Key{Name: name, Type: "size", Default: byDefault, Unit: "B", Lo: int64(lo), Hi: int64(hi)},
		set: func(k Key, c *Config, v toml.Value) error {
			n, reason := sizeIn(v)
			if reason == nil && !k.allows(n) {
				reason = outOfRange
			}
			if reason == nil {
				*at(c) = T(n)
			}
			return reason
		},
		get: func(c *Config) toml.Value {
			n := Size(*at(c))
			if n < 0 {
				return toml.Value{Kind: toml.Whole, Text: strconv.FormatInt(int64(n), 10)}
			}
			return toml.Value{Kind: toml.Text, Text: n.String()}
		},
	}
}

// leastBytes is the least plain number that is taken for bytes: earlier versions wrote such numbers, and who
// writes a smaller one means gigabytes as a rule, and bytes never.
const leastBytes = 1e6

// sizeIn reads a size as text with a unit. Of plain numbers it takes those that need none, 0, and -1 for no
// limit, and many bytes. It returns what is wrong with it, or nil.
func sizeIn(v toml.Value) (n int64, reason error) {
	if n, ok := v.Whole(); ok && (n <= 0 || n >= leastBytes) {
		return n, nil
	} else if ok {
		return 0, noUnit(v.Text)
	}
	if v.Kind != toml.Text {
		return 0, errSizeForm
	}
	size, err := parseSize(v.Text)
	return int64(size), err
}

// choice returns a field that says what its values, or the items of its list, can be.
func choice(f field, choices ...string) field {
	f.Choices = choices
	return f
}

// local returns a field that names files.
func local(f field) field {
	f.Local = true
	return f
}

// oneOf is one of some texts.
func oneOf(name, byDefault string, at func(*Config) *string, choices ...string) field {
	return choice(text(name, byDefault, func(s string) error {
		if !slices.Contains(choices, s) {
			return notAllowed
		}
		return nil
	}, at), choices...)
}

// text is what check, which returns nil or what is wrong, lets through.
func text(name, byDefault string, check func(string) error, at func(*Config) *string) field {
	return field{
		Key: Key{Name: name, Type: "text", Default: byDefault},
		set: func(_ Key, c *Config, v toml.Value) error {
			if v.Kind != toml.Text {
				return notText
			}
			if reason := check(v.Text); reason != nil {
				return reason
			}
			*at(c) = v.Text
			return nil
		},
		get: func(c *Config) toml.Value { return toml.Value{Kind: toml.Text, Text: *at(c)} },
	}
}

// maxList bounds a list. Whoever has more seeds than that has them in a file.
const maxList = 1000

// list is a list of texts, each let through by check. Empty by default.
func list(name string, check func(string) error, at func(*Config) *[]string) field {
	return field{
		Key: Key{Name: name, Type: "list", Default: "[]"},
		set: func(_ Key, c *Config, v toml.Value) error {
			if v.Kind != toml.List {
				return notList
			}
			if len(v.Items) > maxList {
				return tooLong
			}
			var texts []string
			for _, item := range v.Items {
				if item.Kind != toml.Text {
					return holds(item, notText)
				}
				if reason := check(item.Text); reason != nil {
					return holds(item, reason)
				}
				texts = append(texts, item.Text)
			}
			*at(c) = texts
			return nil
		},
		get: func(c *Config) toml.Value {
			v := toml.Value{Kind: toml.List}
			for _, s := range *at(c) {
				v.Items = append(v.Items, toml.Value{Kind: toml.Text, Text: s})
			}
			return v
		},
	}
}

// holds says what is wrong with an item of a list.
func holds(item toml.Value, reason error) error {
	return words.New("said.settings.holds", words.Args{"part": shorten(item.Literal()), "reason": reason})
}

// upTo bounds a list further.
func upTo(most int, f field) field {
	set := f.set
	f.set = func(k Key, c *Config, v toml.Value) error {
		if len(v.Items) > most {
			return tooLong
		}
		return set(k, c, v)
	}
	return f
}

// yesNo is "yes" or "no"; TOML's true and false are read as well.
func yesNo(name string, byDefault bool, at func(*Config) *bool) field {
	names := map[bool]string{true: "yes", false: "no"}
	return field{
		Key: Key{Name: name, Type: "yes or no", Default: strconv.Quote(names[byDefault]),
			Choices: []string{"yes", "no"}},
		set: func(_ Key, c *Config, v toml.Value) error {
			switch {
			case v.Kind == toml.Text && v.Text == "yes", v.Kind == toml.Other && v.Text == "true":
				*at(c) = true
			case v.Kind == toml.Text && v.Text == "no", v.Kind == toml.Other && v.Text == "false":
				*at(c) = false
			default:
				return words.New("said.settings.is-neither-yes-nor-no", nil)
			}
			return nil
		},
		get: func(c *Config) toml.Value { return toml.Value{Kind: toml.Text, Text: names[*at(c)]} },
	}
}

// fixed is what is not for anybody to change, and is asked for all the same: it has one value.
func fixed(name, is string) field {
	return field{
		Key: Key{Name: name, Type: "choice", Default: strconv.Quote(is), Choices: []string{is}, Fixed: true},
		set: func(_ Key, _ *Config, v toml.Value) error {
			if v.Kind != toml.Text || v.Text != is {
				return notAllowed
			}
			return nil
		},
		get: func(*Config) toml.Value { return toml.Value{Kind: toml.Text, Text: is} },
	}
}

// when is a point in time, as text or as a TOML time; "" is none.
func when(name string, at func(*Config) *time.Time) field {
	return field{
		Key: Key{Name: name, Type: "time", Default: `""`},
		set: func(_ Key, c *Config, v toml.Value) error {
			if v.Kind != toml.Text && v.Kind != toml.Other {
				return notText
			}
			if v.Kind == toml.Text && v.Text == "" {
				*at(c) = time.Time{}
				return nil
			}
			t, err := time.Parse(time.RFC3339, v.Text)
			if err != nil {
				return words.New("said.settings.is-no-time", nil)
			}
			*at(c) = t
			return nil
		},
		get: func(c *Config) toml.Value {
			v := toml.Value{Kind: toml.Text}
			if t := *at(c); !t.IsZero() {
				v.Text = t.Format(time.RFC3339)
			}
			return v
		},
	}
}

// wrongAt is the error of a value in a line of a file. It says what should stand there, and not what does.
func (f field) wrongAt(line int) *Error {
	reason := words.New("said.settings.cannot-have-this-value", nil)
	return &Error{Line: line, Key: f.Name, Reason: reason, Range: f.Range()}
}

// typed returns the value as a front end wants it.
func (f field) typed(c *Config) any {
	v := f.get(c)
	n, whole := v.Whole()
	switch f.Type {
	case "yes or no":
		return v.Text == "yes"
	case "whole number":
		return n
	case "size":
		if size, err := parseSize(v.Text); err == nil && !whole {
			return int64(size)
		}
		return n
	case "length of time":
		d, _ := limits.ParseDuration(v.Text) // what get writes can be read
		return int64(d.Seconds())
	case "list":
		list := make([]string, len(v.Items))
		for i, item := range v.Items {
			list[i] = item.Text
		}
		return list
	}
	return v.Text
}
