package requests

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"
)

// errDamaged is returned for bytes that this package did not write.
var errDamaged = errors.New("damaged block of requests")

// Record is one request, or one that was left out. Texts that are too long are cut.
type Record struct {
	// Time is when it began, to the millisecond.
	Time time.Time
	URL  string
	// Domain is that of URL.
	Domain string
	// Code says what came of it; Allowed why it was made or left out, Rule the line of robots.txt
	// that said so. They are words of the caller.
	Code, Allowed, Rule string
	// Owner is who had it made, "" for this node itself.
	Owner string
	// By is who made it, "" for this node itself; Check whose word about the page it checked, "" if it was no check.
	By, Check string
	// Addr is the address that was asked, the zero value if none was.
	Addr netip.Addr
	// Status is the HTTP status, 0 if there was none.
	Status int
	// Bytes counts what was received.
	Bytes int64
	// Took is the time from request to last byte, Waited since the request before to the same
	// site, negative if that is not known, and Gap what was asked for; to the millisecond.
	Took, Waited, Gap time.Duration
	Title             string
}

const (
	maxURL  = 8 << 10
	maxText = 512
	// maxWords bounds the texts that a block refers back to.
	maxWords = 1 << 12
	// maxRecords is more than fit into a block.
	maxRecords = 1 << 16
)

// cut returns the beginning of a text, of at most n bytes and whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// encoder writes the records of one block. Texts that come again are written once, and of URLs
// only how they differ from the one before.
type encoder struct {
	buf   []byte
	count int
	words map[string]uint64
	url   string
	at    int64
}

func (e *encoder) add(r *Record) {
	at := r.Time.UnixMilli()
	e.buf = binary.AppendVarint(e.buf, at-e.at)
	e.at = at
	url := cut(r.URL, maxURL)
	same := 0
	for most := min(len(url), len(e.url)); same < most && url[same] == e.url[same]; same++ {
	}
	e.buf = binary.AppendUvarint(e.buf, uint64(same))
	e.text(url[same:])
	e.url = url
	for _, s := range [...]string{r.Domain, r.Code, r.Allowed, r.Rule, r.Owner, r.By, r.Check} {
		e.word(s)
	}
	if r.Addr.IsValid() {
		e.word(r.Addr.String())
	} else {
		e.word("")
	}
	e.buf = binary.AppendUvarint(e.buf, uint64(max(r.Status, 0)))
	e.buf = binary.AppendUvarint(e.buf, uint64(max(r.Bytes, 0)))
	e.buf = binary.AppendUvarint(e.buf, uint64(max(r.Took, 0).Milliseconds()))
	waited := max(r.Waited, -1).Milliseconds()
	if r.Waited < 0 {
		waited = -1
	}
	e.buf = binary.AppendVarint(e.buf, waited)
	e.buf = binary.AppendUvarint(e.buf, uint64(max(r.Gap, 0).Milliseconds()))
	e.text(cut(r.Title, maxText))
	e.count++
}

func (e *encoder) text(s string) {
	e.buf = binary.AppendUvarint(e.buf, uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// word writes a text that may come again: 0 and the text, or which one it is, counted from 2 in
// the order of their first time. 1 is the empty text.
func (e *encoder) word(s string) {
	if s == "" {
		e.buf = append(e.buf, 1)
		return
	}
	s = cut(s, maxText)
	if n, ok := e.words[s]; ok {
		e.buf = binary.AppendUvarint(e.buf, n)
		return
	}
	if e.words == nil {
		e.words = make(map[string]uint64)
	}
	if len(e.words) < maxWords {
		e.words[strings.Clone(s)] = uint64(len(e.words)) + 2
	}
	e.buf = append(e.buf, 0)
	e.text(s)
}

// reset makes it ready for another block. What it wrote must not be used any more.
func (e *encoder) reset() {
	clear(e.words)
	*e = encoder{buf: e.buf[:0], words: e.words}
}

// decoder reads what an encoder wrote.
type decoder struct {
	rest  []byte
	words []string
	url   string
	at    int64
	bad   bool
}

// decode returns the records of a block.
func decode(raw []byte, count int) ([]Record, error) {
	if count < 0 || count > maxRecords || count > len(raw) {
		return nil, errDamaged
	}
	d := decoder{rest: raw}
	list := make([]Record, 0, count)
	for range count {
		r := d.record()
		if d.bad {
			return nil, errDamaged
		}
		list = append(list, r)
	}
	if len(d.rest) > 0 {
		return nil, errDamaged
	}
	return list, nil
}

func (d *decoder) record() (r Record) {
	d.at += d.varint()
	r.Time = time.UnixMilli(d.at).UTC()
	same := d.uvarint()
	if same > uint64(len(d.url)) {
		d.bad = true
		return r
	}
	d.url = d.url[:same] + d.text(maxURL)
	if len(d.url) > maxURL {
		d.bad = true
	}
	r.URL = d.url
	var addr string
	for _, s := range [...]*string{&r.Domain, &r.Code, &r.Allowed, &r.Rule, &r.Owner, &r.By, &r.Check, &addr} {
		*s = d.word()
	}
	if addr != "" {
		var err error
		if r.Addr, err = netip.ParseAddr(addr); err != nil {
			d.bad = true
		}
	}
	r.Status = int(d.bounded(1 << 16))
	r.Bytes = int64(d.bounded(1 << 50))
	r.Took = d.millis(int64(d.bounded(1 << 40)))
	r.Waited = d.millis(d.varint())
	r.Gap = d.millis(int64(d.bounded(1 << 40)))
	r.Title = d.text(maxText)
	return r
}

func (d *decoder) millis(n int64) time.Duration {
	if n < -1 || n > 1<<40 {
		d.bad = true
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	d.skip(n)
	return v
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	d.skip(n)
	return v
}

func (d *decoder) bounded(most uint64) uint64 {
	v := d.uvarint()
	if v > most {
		d.bad = true
		return 0
	}
	return v
}

func (d *decoder) skip(n int) {
	if n <= 0 {
		d.bad, n = true, 0
	}
	d.rest = d.rest[n:]
}

func (d *decoder) text(most int) string {
	n := d.bounded(uint64(most))
	if n > uint64(len(d.rest)) {
		d.bad = true
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) word() string {
	switch n := d.uvarint(); {
	case d.bad || n == 1:
		return ""
	case n == 0:
		s := d.text(maxText)
		if len(d.words) < maxWords {
			d.words = append(d.words, s)
		}
		return s
	case n-2 < uint64(len(d.words)):
		return d.words[n-2]
	}
	d.bad = true
	return ""
}
