package toml

import (
	"slices"
	"strings"
)

// Group splits "budget.full.fetchers" into "budget.full" and "fetchers". The
// group of a name without a dot is "".
func Group(name string) (group, last string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}

// Find returns the entry of a key, nil if there is none.
func (d *Document) Find(key string) *Entry {
	for i := range d.Entries {
		if d.Entries[i].Key == key {
			return &d.Entries[i]
		}
	}
	return nil
}

// Put returns the text with one value changed or added.
func (d *Document) Put(key, literal string) string {
	if e := d.Find(key); e != nil {
		return d.text[:e.at.start] + literal + d.text[e.at.end:]
	}
	group, last := Group(key)
	if group == "" {
		return d.putFirst(last, literal)
	}
	for i, s := range d.sections {
		if s.name == group {
			return d.insertLine(d.endOfSection(i, last), last+" = "+literal)
		}
	}
	// No heading of its own: it goes where its siblings are, written as they are.
	for i := len(d.Entries) - 1; i >= 0; i-- {
		e := d.Entries[i]
		if !strings.HasPrefix(e.Key, group+".") || strings.Contains(e.Key[len(group)+1:], ".") {
			continue
		}
		name := e.name[:strings.LastIndexByte(e.name, '.')+1] + last
		if e.Inline {
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
func (d *Document) putFirst(name, literal string) string {
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
func (d *Document) endOfSection(index int, name string) int {
	start, end := d.sections[index].end, len(d.text)
	if index+1 < len(d.sections) {
		end = d.sections[index+1].end
	}
	last := start
	var values []span
	for _, e := range d.Entries {
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
func (d *Document) isDisabled(c span, name string) bool {
	before := d.text[strings.LastIndexByte(d.text[:c.start], '\n')+1 : c.start]
	words := strings.TrimSpace(strings.TrimLeft(d.text[c.start:c.end], "#"))
	rest, ok := strings.CutPrefix(words, name)
	return ok && strings.TrimSpace(before) == "" && strings.HasPrefix(strings.TrimSpace(rest), "=")
}

func within(values []span, c span) bool {
	return slices.ContainsFunc(values, func(v span) bool { return v.start < c.start && c.end < v.end })
}

// insertLine returns the text with a line added after the one offset is in,
// indented as that one.
func (d *Document) insertLine(offset int, line string) string {
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
func (d *Document) eol() string {
	if strings.Contains(d.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// Without returns the text without the line of a setting, but with a comment that stands behind it.
func (d *Document) Without(e *Entry) string {
	start := strings.LastIndexByte(d.text[:e.at.start], '\n') + 1
	end := len(d.text)
	if i := strings.IndexByte(d.text[e.at.end:], '\n'); i >= 0 {
		end = e.at.end + i + 1
	}
	if behind := strings.TrimSpace(d.text[e.at.end:end]); behind != "" {
		return d.text[:start] + strings.TrimLeft(d.text[e.at.end:end], " \t") + d.text[end:]
	}
	return d.text[:start] + d.text[end:]
}
