package config

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// limitFields are the settings that package limits describes.
func limitFields() []field {
	settings := limits.Settings()
	fields := make([]field, len(settings))
	for i, s := range settings {
		fields[i] = limitField(s)
	}
	return fields
}

func limitField(s limits.Setting) field {
	key := Key{
		Name: s.Name, Type: s.Type, Default: s.Default, Range: s.Range, Meaning: s.Meaning, Unit: s.Unit, Lo: s.Lo,
		Hi: s.Hi, None: s.None,
		Choices: s.Choices, Now: true,
	}
	at := func(c *Config) any { return s.At(&c.Limits) }
	switch at(new(Config)).(type) {
	case *bool:
		f := yesNo(s.Name, false, s.Meaning, func(c *Config) *bool { return at(c).(*bool) })
		f.Key = key
		return f
	case *[]string:
		f := list(s.Name, checkName, s.Range, s.Meaning, func(c *Config) *[]string { return at(c).(*[]string) })
		f.Key = key
		return f
	case *int, *float64:
		return field{Key: key, set: setNumber(s), get: getNumber(s)}
	case *int64:
		return field{Key: key, set: setBytes(s), get: getBytes(s)}
	case *time.Duration:
		each := int64(durationUnit(s) / time.Second)
		key.Unit, key.Lo, key.Hi = "s", s.Lo*each, s.Hi*each
		return field{Key: key, set: setDuration(s), get: getDuration(s)}
	}
	return field{Key: key, set: setText(s), get: getText(s)}
}

// maxName bounds the name of a program or a network, in bytes.
const maxName = 255

func checkName(s string) error {
	if s == "" || len(s) > maxName || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return notAllowed
	}
	return nil
}

// allows reports whether a number is in the range of a setting.
func allows(s limits.Setting, n int64) bool {
	return n >= s.Lo && n <= s.Hi || s.None && n == limits.NoLimit
}

func setNumber(s limits.Setting) func(*Config, toml.Value) error {
	return func(c *Config, v toml.Value) error {
		n, ok := v.Whole()
		switch {
		case !ok:
			return notWhole
		case !allows(s, n):
			return outOfRange
		}
		switch at := s.At(&c.Limits).(type) {
		case *int:
			*at = int(n)
		case *float64:
			*at = float64(n)
		}
		return nil
	}
}

func getNumber(s limits.Setting) func(*Config) toml.Value {
	return func(c *Config) toml.Value {
		var n int64
		switch at := s.At(&c.Limits).(type) {
		case *int:
			n = int64(*at)
		case *float64:
			n = int64(*at)
		}
		return toml.Value{Kind: toml.Whole, Text: strconv.FormatInt(n, 10)}
	}
}

// setBytes reads a size.
func setBytes(s limits.Setting) func(*Config, toml.Value) error {
	return func(c *Config, v toml.Value) error {
		n, reason := sizeIn(v)
		if reason == nil && !allows(s, n) {
			reason = outOfRange
		}
		if reason == nil {
			*s.At(&c.Limits).(*int64) = n
		}
		return reason
	}
}

func getBytes(s limits.Setting) func(*Config) toml.Value {
	return func(c *Config) toml.Value {
		if n := *s.At(&c.Limits).(*int64); n < 0 {
			return toml.Value{Kind: toml.Whole, Text: strconv.Itoa(limits.NoLimit)}
		} else {
			return toml.Value{Kind: toml.Text, Text: Size(n).String()}
		}
	}
}

// noUnit says what is wrong with a number alone, and what may have been meant: what would be allowed.
func (f field) noUnit(n int64) error {
	if f.Type == "size" {
		return noUnit(strconv.FormatInt(n, 10))
	}
	var meant []string
	for _, unit := range []struct {
		name    string
		seconds int64
	}{{"s", 1}, {"min", 60}, {"h", 3600}} {
		if n <= f.Hi/unit.seconds && n*unit.seconds >= f.Lo {
			meant = append(meant, fmt.Sprintf("\"%d %s\"", n, unit.name))
		}
	}
	if len(meant) == 0 {
		return outOfRange
	}
	if len(meant) == 1 {
		return words.New("said.settings.has-no-unit-write", words.Args{"one": meant[0]})
	}
	return words.New("said.settings.has-no-unit", words.Args{"one": meant[0], "other": meant[1]})
}

// setDuration reads a length of time as text, or, as earlier versions wrote it, as a whole number of the
// setting's unit.
func setDuration(s limits.Setting) func(*Config, toml.Value) error {
	return func(c *Config, v toml.Value) error {
		unit := durationUnit(s)
		var d time.Duration
		if n, ok := v.Whole(); ok {
			if n < s.Lo || n > s.Hi {
				return outOfRange
			}
			d = time.Duration(n) * unit
		} else if v.Kind == toml.Text {
			var err error
			if d, err = limits.ParseDuration(v.Text); err != nil {
				return err
			}
		} else {
			return notDuration
		}
		if d < time.Duration(s.Lo)*unit || d > time.Duration(s.Hi)*unit {
			return outOfRange
		}
		*s.At(&c.Limits).(*time.Duration) = d
		return nil
	}
}

func getDuration(s limits.Setting) func(*Config) toml.Value {
	return func(c *Config) toml.Value {
		return toml.Value{Kind: toml.Text, Text: limits.FormatDuration(*s.At(&c.Limits).(*time.Duration))}
	}
}

func durationUnit(s limits.Setting) time.Duration {
	if s.Unit == "min" {
		return time.Minute
	}
	return time.Second
}

// setText reads what says itself what it means, as a week.
func setText(s limits.Setting) func(*Config, toml.Value) error {
	return func(c *Config, v toml.Value) error {
		if v.Kind != toml.Text {
			return notText
		}
		// Nothing is changed by what is wrong.
		var scratch limits.Config
		if err := s.At(&scratch).(encoding.TextUnmarshaler).UnmarshalText([]byte(v.Text)); err != nil {
			return err
		}
		return s.At(&c.Limits).(encoding.TextUnmarshaler).UnmarshalText([]byte(v.Text))
	}
}

func getText(s limits.Setting) func(*Config) toml.Value {
	return func(c *Config) toml.Value {
		text, err := s.At(&c.Limits).(encoding.TextMarshaler).MarshalText()
		if err != nil {
			panic(fmt.Sprintf("config: %s: %v", s.Name, err)) // no value that was set
		}
		return toml.Value{Kind: toml.Text, Text: string(text)}
	}
}
