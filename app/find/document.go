package find

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/index"
)

// hashOf returns the first bytes of a cryptographic hash: nobody can make another address that has the same.
func hashOf(s string) uint64 {
	sum := sha256.Sum256([]byte(s))
	return binary.BigEndian.Uint64(sum[:])
}

func hashOfDomain(d crawl.Domain) uint32 { return uint32(hashOf(string(d)) >> 32) }

// document makes what is indexed of a page.
func (f *Finder) document(p Page) index.Doc {
	language := p.Words.Language(p.Language)
	addAddress(p.Words, p.URL)
	d := index.Doc{
		Place: index.Place{File: p.At.File, Offset: p.At.RecordOffset}, Bytes: uint32(min(p.At.Length, 1<<32-1)),
		URL: hashOf(p.URL.String()), Domain: hashOfDomain(p.URL.Domain()),
		Content: binary.BigEndian.Uint64(p.Digest[:]),
		Time:    p.Time, Language: language, Words: p.Words.Length,
	}
	counts := p.Words.Counts()
	d.Terms = make([]index.Term, 0, len(counts))
	for _, c := range counts {
		d.Terms = append(d.Terms, index.Term{Text: f.writer.Term(language, p.Words.Of(c)), Times: int(c.Times),
			Marks: marksOf(c.Places)})
	}
	own := p.URL.Domain()
	for _, l := range p.Links {
		if to := l.URL.Domain(); to != own && len(d.Links) < index.MaxLinks {
			d.Links = append(d.Links, index.Link{Domain: string(to), URL: linkedAddress(l.URL),
				Hash: hashOfDomain(to), Text: l.Text})
		}
	}
	return d
}

// maxLinked is the longest address that a link is kept with, in bytes. Longer ones carry data, not a place.
const maxLinked = 200

// linkedAddress returns the address under which a link is kept: one that is too long without its query, or
// without its path.
func linkedAddress(u crawl.URL) string {
	s := u.String()
	if len(s) > maxLinked {
		s, _, _ = strings.Cut(s, "?")
	}
	if len(s) > maxLinked {
		s = u.Origin() + "/"
	}
	return s
}

// addAddress counts the words of a page's address.
func addAddress(c *words.Counter, u crawl.URL) {
	c.Break()
	c.Text(words.Address, []byte(u.Hostname()))
	c.Break()
	addLetters(&c.Reader, u)
	_, path, _ := strings.Cut(strings.TrimPrefix(u.String(), u.Origin()), "/")
	c.Text(words.Address, words.AppendUnescaped(nil, []byte(path)))
	c.Break()
}

// addLetters reads the host of an address as people write it, if that is in other letters.
func addLetters(r *words.Reader, u crawl.URL) {
	if name := crawl.ReadableHost(u.Hostname()); name != u.Hostname() {
		r.Text(words.Address, []byte(name))
		r.Break()
	}
}

// marks are those of words.Place.
var marks = [...]index.Marks{words.Aside: index.InAside, words.Heading: index.InHeading,
	words.Address: index.InAddress, words.Title: index.InTitle}

func marksOf(places uint8) (m index.Marks) {
	for place, mark := range marks {
		if places&(1<<place) != 0 {
			m |= mark
		}
	}
	return m
}
