package index

import (
	"bytes"
	"iter"
	"math"
	"strings"
)

// union goes through the pages that have one of several terms.
type union struct {
	cursors []cursor
	doc     int32 // math.MaxInt32 at the end
	w       weight
	total   int
}

// openUnion returns a union in front of its first page.
func openUnion(wanted Wanted, d lists) union {
	u := union{doc: -1}
	for _, term := range wanted.Terms[:min(len(wanted.Terms), maxForms)] {
		u.open(d.postings(term))
	}
	if wanted.Prefix && len(wanted.Terms) > 0 {
		for term := range d.beginning(wanted.Terms[0]) {
			if len(u.cursors) >= maxForms {
				break
			}
			if !contains(wanted.Terms, term) {
				u.open(d.postings(term))
			}
		}
	}
	return u
}

// lists are the postings of a part of the index.
type lists interface {
	// postings returns the list of a term, nil if it has none.
	postings(term string) []byte
	// beginning returns the terms that begin with a prefix.
	beginning(prefix string) iter.Seq[string]
}

func (s *segment) beginning(prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if s.terms == nil {
			return
		}
		it, err := s.terms.Iterator([]byte(prefix), nil)
		for ; err == nil; err = it.Next() {
			key, _ := it.Current()
			if !bytes.HasPrefix(key, []byte(prefix)) || !yield(string(key)) {
				return
			}
		}
	}
}

func (m *memory) beginning(prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for term := range m.terms {
			if strings.HasPrefix(term, prefix) && !yield(term) {
				return
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, t := range list {
		if t == s {
			return true
		}
	}
	return false
}

func (u *union) open(raw []byte) {
	if raw == nil {
		return
	}
	if c := openList(raw); c.left > 0 {
		u.total += int(c.left)
		u.cursors = append(u.cursors, c)
	}
}

// size is how many pages there are at most.
func (u *union) size() int { return u.total }

// next goes to the next page; false at the end.
func (u *union) next() bool { return u.seek(u.doc + 1) }

// seek goes to the first page from doc on; it stays where it is if that is there.
func (u *union) seek(doc int32) bool {
	if u.doc == math.MaxInt32 {
		return false
	}
	if u.doc >= doc {
		return true
	}
	if len(u.cursors) == 1 { // most words have one form
		return u.seekOnly(doc)
	}
	least := int32(math.MaxInt32)
	w := weight(0)
	for i := 0; i < len(u.cursors); {
		c := &u.cursors[i]
		for c.doc < doc {
			if !c.next() {
				break
			}
		}
		switch {
		case c.doc < doc: // its end
			u.cursors[i] = u.cursors[len(u.cursors)-1]
			u.cursors = u.cursors[:len(u.cursors)-1]
			continue
		case c.doc < least:
			least, w = c.doc, c.w
		case c.doc == least:
			w = w.plus(c.w)
		}
		i++
	}
	u.doc, u.w = least, w
	return least != math.MaxInt32
}

// seekOnly is seek for a single list.
func (u *union) seekOnly(doc int32) bool {
	c := &u.cursors[0]
	for c.doc < doc {
		if !c.next() {
			u.doc = math.MaxInt32
			return false
		}
	}
	u.doc, u.w = c.doc, c.w
	return true
}
