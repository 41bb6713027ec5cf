package extract

import (
	"errors"
	"hash/maphash"
	"io"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/date"
)

// maxNesting is how deep elements of a source may be nested. Sitemaps need 4,
// feeds with pages in them 20.
const maxNesting = 32

// field is what an element is to the entry it is in.
type field uint8

const (
	fieldNone  field = iota
	fieldEntry       // the entry itself
	fieldURL         // text that is its URL
	fieldGUID        // text that may be its URL
	fieldDate        // text that is when it changed
)

// entries reads the entries of a source in XML from behind the root's tag.
type entries struct {
	*markup
	kind SourceKind
	root crawl.URL // what links are relative to
	emit func(SourceEntry) bool

	seed  maphash.Seed
	open  []openElement // the root first
	count int

	entry entry
}

type openElement struct {
	name uint64 // hash
	field
}

// entry is what is known of an entry so far.
type entry struct {
	base      crawl.URL
	url, guid string
	modified  time.Time
}

var errStopped = errors.New("no more entries are wanted")

func newEntries(base crawl.URL, kind SourceKind, m *markup, emit func(SourceEntry) bool) *entries {
	e := &entries{markup: m, kind: kind, root: base, emit: emit, seed: maphash.MakeSeed(),
		open: make([]openElement, 0, maxNesting)}
	e.root = e.baseOf(base)
	if !m.empty {
		e.open = append(e.open, openElement{maphash.Bytes(e.seed, m.local), fieldNone})
	}
	return e
}

func (e *entries) isFeed() bool { return e.kind == SourceRSS || e.kind == SourceAtom }

func (e *entries) read() error {
	for len(e.open) > 0 {
		tok, err := e.next()
		if err == nil {
			err = e.take(tok)
		}
		switch {
		case err == nil:
		case errors.Is(err, errStopped):
			return nil
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		default:
			return err
		}
	}
	return nil
}

// take heeds one tag.
func (e *entries) take(tok token) error {
	if tok == tokenEnd {
		return e.close(maphash.Bytes(e.seed, e.local))
	}
	f := e.fieldOf(e.local)
	if f == fieldEntry {
		e.entry = entry{base: e.baseOf(e.root)}
	}
	if f == fieldURL && e.entry.url == "" && e.isFeed() {
		e.entry.url = feedLink(e.attrs())
	}
	if e.empty {
		return nil
	}
	if len(e.open) == maxNesting {
		return ErrLimit
	}
	e.open = append(e.open, openElement{maphash.Bytes(e.seed, e.local), f})
	return nil
}

// fieldOf says what a start tag begins. An entry is in no other, and only what
// is directly in an entry is a field of it.
func (e *entries) fieldOf(name []byte) field {
	f := fieldOfSitemap(name)
	if e.isFeed() {
		f = fieldOfFeed(name)
	}
	if f == fieldEntry {
		for _, o := range e.open {
			if o.field == fieldEntry {
				return fieldNone
			}
		}
	} else if e.open[len(e.open)-1].field != fieldEntry {
		return fieldNone
	}
	return f
}

// close ends the innermost open element of that name, and those within it
// that were not ended. The end of what is not open is ignored.
func (e *entries) close(name uint64) error {
	i := len(e.open) - 1
	for i >= 0 && e.open[i].name != name {
		i--
	}
	if i < 0 {
		return nil
	}
	for len(e.open) > i {
		last := e.open[len(e.open)-1]
		e.open = e.open[:len(e.open)-1]
		if err := e.end(last.field); err != nil {
			return err
		}
		e.text = e.text[:0] // was that of the innermost alone
	}
	return nil
}

// end notes a field that is complete, and emits a complete entry.
func (e *entries) end(f field) error {
	switch f {
	case fieldURL:
		if text := trim(e.text); e.entry.url == "" && len(text) > 0 {
			e.entry.url = string(text)
		}
	case fieldGUID:
		if text := trim(e.text); isWebURL(text) {
			e.entry.guid = string(text)
		}
	case fieldDate:
		if t := date.Parse(string(trim(e.text))); t.After(e.entry.modified) {
			e.entry.modified = t
		}
	case fieldEntry:
		if text := trim(e.text); e.entry.url == "" && isWebURL(text) {
			e.entry.url = string(text) // without a loc around it
		}
		return e.finish()
	}
	return nil
}

// finish emits the entry if it has a usable URL.
func (e *entries) finish() error {
	if e.count++; e.count > MaxEntries {
		return ErrLimit
	}
	is, ok := e.entryOf(e.entry)
	if !ok {
		return nil
	}
	is.Modified, is.Sitemap = e.entry.modified, e.kind == SourceIndex
	if !e.emit(is) {
		return errStopped
	}
	return nil
}

func (e *entries) entryOf(x entry) (SourceEntry, bool) {
	if !e.isFeed() {
		return sitemapEntry(e.root, x.url)
	}
	if x.url == "" {
		x.url = x.guid
	}
	if x.url == "" || otherScheme([]byte(x.url)) {
		return SourceEntry{}, false
	}
	u, err := x.base.Resolve(x.url)
	return SourceEntry{URL: u}, err == nil
}
