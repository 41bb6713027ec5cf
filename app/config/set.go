package config

import (
	"fmt"
	"strings"

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
	if len(doc.errs) > 0 {
		return "", doc.errs[0]
	}
	changed := doc.put(a.key, v.literal())
	// What we are about to write is read back first: a file people wrote
	// by hand must never be made worse.
	again := parse(changed)
	if len(again.errs) > 0 {
		return "", again.errs[0]
	}
	if e := again.find(a.key); e == nil || e.value.literal() != v.literal() || len(again.entries) > len(doc.entries)+1 {
		return "", fmt.Errorf("set %s: the file is laid out in a way that cannot be changed here; edit it by hand", a.key)
	}
	return changed, nil
}

// input reads a value of a setting as a person would say it.
func input(f field, text string) (value, error) {
	text = strings.TrimSpace(text)
	wrong := &Error{Key: f.Name, Reason: "= " + shorten(text) + " " + notAllowed, Range: f.Range}
	if !printable(text) {
		return value{}, wrong
	}
	switch f.Type {
	case "whole number":
		return value{kind: kindWhole, text: text}, nil
	case "size", "length of time":
		v := value{kind: kindWhole, text: text}
		n, whole := v.whole()
		if whole && n > 0 {
			return value{}, &Error{Key: f.Name, Reason: "= " + shorten(text) + " " + f.noUnit(n), Range: f.Range}
		}
		if whole { // 0, and -1 for no limit, need none
			return v, nil
		}
	case "list":
		if strings.HasPrefix(text, "[") {
			v, err := parseLiteral(text)
			if err != nil {
				return value{}, wrong
			}
			return v, nil
		}
		v := value{kind: kindList}
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				v.items = append(v.items, value{kind: kindText, text: item})
			}
		}
		return v, nil
	}
	return value{kind: kindText, text: text}, nil
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

// find returns the entry of a key, nil if there is none.
func (d *document) find(key string) *entry {
	for i := range d.entries {
		if d.entries[i].key == key {
			return &d.entries[i]
		}
	}
	return nil
}

// put returns the text with one value changed or added.
func (d *document) put(key, literal string) string {
	if e := d.find(key); e != nil {
		return d.text[:e.at.start] + literal + d.text[e.at.end:]
	}
	group, last := groupOf(key)
	if group == "" {
		return d.putFirst(last, literal)
	}
	for i, s := range d.sections {
		if s.name == group {
			return d.insertLine(d.endOfSection(i, last), last+" = "+literal)
		}
	}
	// No heading of its own: it goes where its siblings are, written as they are.
	for i := len(d.entries) - 1; i >= 0; i-- {
		e := d.entries[i]
		if !strings.HasPrefix(e.key, group+".") || strings.Contains(e.key[len(group)+1:], ".") {
			continue
		}
		name := e.name[:strings.LastIndexByte(e.name, '.')+1] + last
		if e.inline {
			return d.text[:e.at.end] + ", " + name + " = " + literal + d.text[e.at.end:]
		}
		return d.insertLine(e.at.end, name+" = "+literal)
	}
	text := d.text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += d.eol()
	}
	if text != "" {
		text += d.eol()
	}
	return text + "[" + group + "]" + d.eol() + last + " = " + literal + d.eol()
}

// putFirst returns the text with a setting added that is in no section: behind
// its commented-out line, else at the very beginning.
func (d *document) putFirst(name, literal string) string {
	end := len(d.text)
	if len(d.sections) > 0 {
		end = d.sections[0].end
	}
	for _, c := range d.comments {
		if c.end <= end && d.isDisabled(c, name) {
			return d.insertLine(c.end, name+" = "+literal)
		}
	}
	return name + " = " + literal + d.eol() + d.text
}

// endOfSection returns the place after which a setting of that name belongs:
// its commented-out line, else the last setting, else the heading.
func (d *document) endOfSection(index int, name string) int {
	start, end := d.sections[index].end, len(d.text)
	if index+1 < len(d.sections) {
		end = d.sections[index+1].end
	}
	last := start
	var values []span
	for _, e := range d.entries {
		if e.section == index {
			last = e.at.end
			values = append(values, e.at)
		}
	}
	for _, c := range d.comments {
		if c.start > start && c.end <= end && d.isDisabled(c, name) && !within(values, c) {
			return c.end
		}
	}
	return last
}

// isDisabled reports whether a comment stands alone on its line and is a
// setting of that name.
func (d *document) isDisabled(c span, name string) bool {
	before := d.text[strings.LastIndexByte(d.text[:c.start], '\n')+1 : c.start]
	words := strings.TrimSpace(strings.TrimLeft(d.text[c.start:c.end], "#"))
	rest, ok := strings.CutPrefix(words, name)
	return ok && strings.TrimSpace(before) == "" && strings.HasPrefix(strings.TrimSpace(rest), "=")
}

func within(values []span, c span) bool {
	for _, v := range values {
		if v.start < c.start && c.end < v.end {
			return true
		}
	}
	return false
}

// insertLine returns the text with a line added after the one offset is in,
// indented as that one.
func (d *document) insertLine(offset int, line string) string {
	begin := strings.LastIndexByte(d.text[:offset], '\n') + 1
	indent := d.text[begin : begin+len(d.text[begin:])-len(strings.TrimLeft(d.text[begin:], " \t"))]
	i := strings.IndexByte(d.text[offset:], '\n')
	if i < 0 {
		return d.text + d.eol() + indent + line + d.eol()
	}
	end := offset + i + 1
	return d.text[:end] + indent + line + d.eol() + d.text[end:]
}

// eol returns how the lines of the file end.
func (d *document) eol() string {
	if strings.Contains(d.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// WrongIn is the error of a setting whose value in a file has the right form and cannot be used all the same. It says what should stand
// there, and not what does.
func WrongIn(path, key string) error {
	f, ok := find(key)
	if !ok {
		return unknown(key)
	}
	wrong := f.wrongAt(1)
	wrong.Path = path
	if text, err := readFile(path); err == nil {
		if e := parse(text).find(key); e != nil {
			wrong.Line = e.line
		}
	}
	return wrong
}
