package config

import (
	"maps"
	"slices"

	"github.com/forage-net/forage/storage/durable"
)

// Change is what is to become of several settings of a file, in one step.
type Change struct {
	// Set has values as Set takes them, by key.
	Set map[string]string
	// Reset are keys that go back to their defaults. Those that are set are not reset.
	Reset []string
	// Dry has nothing written.
	Dry bool
	// Check, if set, is asked for each key that gets another value whether the settings that come out can be
	// used. Names of files in them are as in the file.
	Check func(c Config, key string) error
}

// Apply makes all of a change or nothing, and returns the keys whose values are others than before, in the order
// they are documented in. Everything else in the file stays as it is; what somebody else writes at
// the same time is kept too. A missing file is made. An unknown key, a wrong value, and a file that cannot be read
// as TOML are an *Error; wrong values of other settings are not.
func Apply(path string, c Change) (changed []string, err error) {
	err = edit(durable.Disk{}, path, !c.Dry, func(text string) (string, error) {
		after, err := c.apply(text)
		if err != nil {
			return "", err
		}
		was, _ := read(text) // what was wrong counts as the default
		is, _ := read(after)
		changed = differ(was, is)
		for _, key := range changed {
			if c.Check == nil {
				break
			}
			if err := c.Check(is, key); err != nil {
				return "", err
			}
		}
		return after, nil
	})
	return changed, err
}

// Set changes or adds one setting in a file and keeps everything else in it.
// The value is written as a person would say it: text without quotes, and for
// lists the items with commas between them, or a TOML list where an item holds
// a comma. A missing file is made, with all other settings commented out. The
// file is replaced in one step; if Set fails, it is as it was. An unknown key, a wrong value, and a file that
// cannot be read as TOML are an *Error; wrong values of other settings are not.
func Set(path, key, value string) error {
	return setAll(durable.Disk{}, path, map[string]string{key: value})
}

// setAll makes several settings in one step.
func setAll(d durable.FS, path string, values map[string]string) error {
	return edit(d, path, true, Change{Set: values}.apply)
}

// apply returns the text of a file with the change made.
func (c Change) apply(text string) (string, error) {
	var err error
	for _, key := range c.Reset {
		if _, both := c.Set[key]; both {
			continue
		}
		if text, err = unassign(text, key); err != nil {
			return "", err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Set)) {
		if text, err = assign(text, key, c.Set[key]); err != nil {
			return "", err
		}
	}
	return text, nil
}

// differ returns the keys that have other values.
func differ(a, b Config) (keys []string) {
	for _, f := range schema() {
		if f.get(&a).Literal() != f.get(&b).Literal() {
			keys = append(keys, f.Name)
		}
	}
	return keys
}

// unassign returns the text of a file with one setting taken out, so that its default holds. Comments stay.
func unassign(text, key string) (string, error) {
	f, ok := find(key)
	if !ok {
		return "", unknown(key)
	}
	doc := parse(text)
	if len(doc.Errors) > 0 {
		return "", doc.Errors[0]
	}
	e := doc.Find(key)
	if e == nil {
		return text, nil
	}
	changed := doc.Without(e)
	again := parse(changed)
	if e.Inline || len(again.Errors) > 0 || again.Find(key) != nil || len(again.Entries) != len(doc.Entries)-1 {
		c := Defaults()
		return assign(text, key, f.get(&c).Words()) // laid out so that it stays, with its default
	}
	return changed, nil
}
