package config

import (
	"slices"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/storage/durable"
)

// AddItem puts a text at the end of a list in a file, as Set would, but leaves
// the other items, their lines and comments as they are. A missing file, wrong
// keys and wrong values are treated as Set does.
func AddItem(path, key, item string) error {
	f, ok := find(key)
	if !ok {
		return unknown(key)
	}
	if err := f.apply(new(Config), toml.Texts([]string{item})); err != nil {
		return err
	}
	return changeList(path, key, func(items []string) []string { return append(items, item) })
}

// RemoveItem takes a text out of a list in a file, wherever it stands in it,
// and comments that stand behind it alone on its line. If it is not there,
// nothing changes.
func RemoveItem(path, key, item string) error {
	return changeList(path, key, func(items []string) []string {
		return slices.DeleteFunc(items, func(s string) bool { return s == item })
	})
}

// changeList makes a list of a file what change returns for its items.
func changeList(path, key string, change func([]string) []string) error {
	return edit(durable.Disk{}, path, true, func(text string) (string, error) { return assignList(text, key, change) })
}

// assignList returns the text of a file with a list changed: in place where
// the list is laid out so that this can be done, else written again.
func assignList(text, key string, change func([]string) []string) (string, error) {
	doc := parse(text)
	if len(doc.Errors) > 0 {
		return "", doc.Errors[0]
	}
	var before []string
	e := doc.Find(key)
	if e != nil {
		for _, item := range e.Value.Items {
			before = append(before, item.Text)
		}
	}
	after := change(slices.Clone(before))
	if slices.Equal(before, after) {
		return text, nil
	}
	whole, err := assign(text, key, toml.Texts(after).Literal())
	if err != nil && e != nil { // another item of the file is wrong, or there are too many
		f, _ := find(key)
		return "", f.wrongAt(e.Line)
	}
	if err != nil || e == nil || e.Value.Kind != toml.List {
		return whole, err
	}
	var changed string
	var ok bool
	if len(after) == len(before)+1 {
		changed, ok = doc.WithItem(e, toml.Value{Kind: toml.Text, Text: after[len(after)-1]}.Literal())
	} else {
		changed, ok = doc.WithoutItems(e, func(i int) bool { return !slices.Contains(after, before[i]) })
	}
	if !ok {
		return whole, nil
	}
	// What is about to be written is read back first; it must say what is meant.
	again := parse(changed)
	if got := again.Find(key); len(again.Errors) > 0 || len(again.Entries) != len(doc.Entries) ||
		got.Value.Literal() != toml.Texts(after).Literal() {
		return whole, nil
	}
	return changed, nil
}

// ListText writes a list as Set takes it.
func ListText(items []string) string { return toml.Texts(items).Literal() }
