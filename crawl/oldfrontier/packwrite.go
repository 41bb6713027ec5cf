package frontier

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// statusOK is the answer of most pages, httpLayout how their dates are written (RFC 9110, 5.6.7).
	statusOK   = 200
	httpLayout = "Mon, 02 Jan 2006 15:04:05 GMT"
)

// packed is what is known on both sides of what was written before.
type packed struct {
	at      int64 // of the batch, Unix seconds
	domains []string
	peers   []string
	link    Link // the last one, but for its URL
	lease   crawl.LeaseID
	length  time.Duration // of the last grant
}

// packer writes the entries of a batch: what can be compressed into text, what looks like
// chance beside it.
type packer struct {
	text, beside []byte
	packed
	ms     int64          // when the batch is proposed, in milliseconds since 1970
	known  map[string]int // places in domains
	places *placer
	failed bool // the entry cannot be written so
}

func newPacker(ms int64, places *placer) *packer {
	return &packer{ms: ms, packed: packed{at: ms / 1000}, known: make(map[string]int), places: places}
}

// proposal writes the entries of a proposal.
func (w *packer) proposal(entries []Entry) error {
	if len(entries) == 0 {
		w.text = append(w.text, byte(packNothing|packLast))
	}
	for i := range entries {
		last := kindOfEntry(0)
		if i == len(entries)-1 {
			last = packLast
		}
		if err := w.entry(&entries[i], last); err != nil {
			return err
		}
	}
	return nil
}

// mark is where a packer can go back to.
type mark struct {
	text, beside int
	packed
}

func (w *packer) mark() mark { return mark{len(w.text), len(w.beside), w.packed} }

func (w *packer) back(m mark) {
	w.text, w.beside, w.failed = w.text[:m.text], w.beside[:m.beside], false
	for _, d := range w.domains[len(m.domains):] {
		delete(w.known, d)
	}
	w.packed = m.packed
}

func (w *packer) entry(e *Entry, last kindOfEntry) error {
	before := w.mark()
	var err error
	switch {
	case e.Enqueue != nil && len(e.Enqueue.Links)+len(e.Enqueue.Out) == 0, e.Sent != nil && len(e.Sent.Keys) == 0:
		w.kind(packVoid | last)
	case e.Enqueue != nil:
		w.kind(packEnqueue | last)
		w.enqueue(e.Enqueue)
	case e.Grant != nil:
		w.kind(packGrant | last)
		w.grant(e.Grant)
	case e.Settle != nil:
		err = w.settle(e.Settle, last)
	case e.Release != nil && !e.Release.Lapsed: // those are few
		err = w.release(e.Release, last)
	case e.Renew != nil:
		err = w.renew(e.Renew, last)
	case e.Sent != nil:
		w.kind(packSent | last)
		w.sent(e.Sent)
	case e.Slot != nil:
		w.kind(packSlot | last)
		w.slot(e.Slot)
	case e.Unslot != nil:
		w.kind(packUnslot | last)
		w.unslot(e.Unslot)
	default:
		w.failed = true
	}
	if err != nil || !w.failed {
		return err
	}
	w.back(before)
	raw, err := encode.Marshal(e)
	if err != nil {
		return err
	}
	w.kind(packOther | last)
	w.bytes(raw)
	return nil
}

func (w *packer) enqueue(e *Enqueue) {
	flags := uint64(0)
	if e.Ask {
		flags |= packAsk
	}
	if e.From != "" {
		flags |= packFrom
	}
	w.uint(flags)
	if e.From != "" {
		w.domain(string(e.From))
	}
	w.int(e.Date - w.at)
	w.links("", e.Links)
	w.links("", e.Out)
}

func (w *packer) grant(g *Grant) {
	w.domain(string(g.Domain))
	w.url("", g.Origin+"/")
	w.duration(g.For - w.length)
	w.length = g.For
	w.peer(g.Holder)
	w.uint(uint64(len(g.Tasks)))
	var before [rankHead]byte
	number := uint64(0)
	for _, t := range g.Tasks {
		if len(t) != tailSize {
			w.failed = true
			return
		}
		step := int64(rankOf(t).number - number)
		number += uint64(step)
		if step > 0 && step < 1<<32 && bytes.Equal(t[:rankHead], before[:]) {
			w.uint(uint64(step))
			continue
		}
		w.uint(0)
		w.text = append(w.text, t[:rankHead]...)
		w.int(step)
		copy(before[:], t)
	}
}

func (w *packer) settle(s *Settle, last kindOfEntry) error {
	l, err := w.places.lease(s.Lease)
	if err != nil {
		return err
	}
	origin, place := "", -1
	if l != nil {
		place = w.places.place(l, s)
	}
	if place >= 0 {
		w.kind(packSettle | packPlaced | last)
		w.leaseID(s.Lease)
		w.uint(uint64(place))
		origin = l.record.Origin
	} else {
		w.kind(packSettle | last)
		w.uint(uint64(s.Lease))
		w.domain(string(s.Domain))
		w.bytes(s.Task)
		w.url("", s.URL)
		w.peer(s.By)
	}
	w.outcome(s)
	w.links(origin, s.Links)
	w.links(origin, s.Out)
	return nil
}

// outcome writes what came of a task.
func (w *packer) outcome(s *Settle) {
	flags := 0
	set := func(is bool, bit int) {
		if is {
			flags |= bit
		}
	}
	modified, isDate := httpDate(s.LastModified)
	set(len(s.Digest) > 0, settleDigest)
	set(s.Ask, settleAsk)
	set(s.ETag != "", settleETag)
	set(isDate, settleModified)
	set(s.CrawlDelay != 0, settleCrawlDelay)
	set(s.Title != "", settleTitle)
	set(s.Result != crawl.Fetched || s.Status != statusOK, settleResult)
	set(s.Reason != "", settleReason)
	set(s.Wait != 0, settleWait)
	set(s.Duplicate, settleDuplicate)
	set(s.Challenged, settleChallenged)
	set(s.NoRobots, settleNoRobots)
	set(!isDate && s.LastModified != "", settleModifiedText)
	w.uint(uint64(flags))
	w.int(s.Date - w.at)
	w.beside = binary.AppendVarint(w.beside, int64(s.Took.Round(time.Millisecond)/time.Millisecond))
	w.beside = binary.AppendVarint(w.beside, s.Received)
	if len(s.Digest) > 0 {
		w.failed = w.failed || len(s.Digest) != digestSize
		w.beside = append(w.beside, s.Digest...)
	}
	if s.ETag != "" {
		w.string(s.ETag)
	}
	if isDate {
		w.beside = binary.AppendVarint(w.beside, modified)
	}
	if s.CrawlDelay != 0 {
		w.duration(s.CrawlDelay)
	}
	if s.Title != "" {
		w.string(s.Title)
	}
	if flags&settleResult != 0 {
		w.text = append(w.text, byte(s.Result))
		w.int(int64(int32(s.Status)))
	}
	if s.Reason != "" {
		w.string(s.Reason)
	}
	if s.Wait != 0 {
		w.duration(s.Wait)
	}
	if flags&settleModifiedText != 0 {
		w.string(s.LastModified)
	}
}

// digestSize is that of crawl.Outcome.Digest.
const digestSize = 20

// httpDate reads a date as most servers write it; ok is false for every other text.
func httpDate(s string) (unix int64, ok bool) {
	if len(s) != len(httpLayout) {
		return 0, false
	}
	t, err := time.Parse(httpLayout, s)
	if err != nil || writeHTTPDate(t.Unix()) != s {
		return 0, false
	}
	return t.Unix(), true
}

func writeHTTPDate(unix int64) string { return time.Unix(unix, 0).UTC().Format(httpLayout) }

// ofLease writes what a Release and a Renew begin with.
func (w *packer) ofLease(kind kindOfEntry, id crawl.LeaseID, d crawl.Domain, by string) error {
	l, err := w.places.lease(id)
	if err != nil {
		return err
	}
	if l != nil && l.domain == d && l.record.Holder == by {
		w.kind(kind | packPlaced)
		w.leaseID(id)
		return nil
	}
	w.kind(kind)
	w.uint(uint64(id))
	w.domain(string(d))
	w.peer(by)
	return nil
}

func (w *packer) release(r *Release, last kindOfEntry) error {
	if err := w.ofLease(packRelease|last, r.Lease, r.Domain, r.By); err != nil {
		return err
	}
	w.duration(r.CrawlDelay)
	w.duration(r.Ago)
	return nil
}

func (w *packer) renew(r *Renew, last kindOfEntry) error {
	if err := w.ofLease(packRenew|last, r.Lease, r.Domain, r.By); err != nil {
		return err
	}
	w.duration(r.For)
	return nil
}

func (w *packer) sent(s *Sent) {
	flags := uint64(0)
	if s.Back {
		flags |= packBack
	}
	w.uint(flags | uint64(len(s.Keys))<<1)
	place := 0
	for _, key := range s.Keys {
		at := -1
		if len(key) >= outCheck {
			if at = w.places.outPlace(key, place); at < 0 {
				at = w.places.outPlace(key, 0)
			}
		}
		if at < 0 {
			w.uint(0)
			w.bytes(key)
			continue
		}
		w.uint(1 + zigzag(int64(at-place)))
		w.beside = append(w.beside, key[len(key)-outCheck:]...)
		place = at + 1
	}
}

func (w *packer) slot(s *Slot) {
	w.string(s.Address)
	w.peer(s.By)
	w.peer(s.Granter)
	w.uint(uint64(s.Lease))
	w.domain(string(s.Domain))
	w.duration(s.For)
}

func (w *packer) unslot(u *Unslot) {
	w.string(u.Address)
	w.peer(u.By)
	w.peer(u.Granter)
	w.uint(uint64(u.Lease))
	w.duration(u.Gap)
	good := uint64(u.Good) << 1
	if u.Bad {
		good |= packBad
	}
	w.uint(good)
	w.uint(u.Number)
}

func (w *packer) kind(k kindOfEntry)       { w.text = append(w.text, byte(k)) }
func (w *packer) uint(n uint64)            { w.text = binary.AppendUvarint(w.text, n) }
func (w *packer) int(n int64)              { w.text = binary.AppendVarint(w.text, n) }
func zigzag(n int64) uint64                { return uint64(n)<<1 ^ uint64(n>>63) }
func unzigzag(n uint64) int64              { return int64(n>>1) ^ -int64(n&1) }
func (w *packer) bytes(b []byte)           { w.uint(uint64(len(b))); w.text = append(w.text, b...) }
func (w *packer) leaseID(id crawl.LeaseID) { w.int(int64(id - w.lease)); w.lease = id }

// string writes a string without zeros.
func (w *packer) string(s string) {
	w.failed = w.failed || strings.IndexByte(s, 0) >= 0
	w.text = append(append(w.text, s...), 0)
}

// duration writes most durations as milliseconds.
func (w *packer) duration(d time.Duration) {
	if ms := int64(d / time.Millisecond); time.Duration(ms)*time.Millisecond == d {
		w.uint(1 + zigzag(ms))
		return
	}
	w.uint(0)
	w.int(int64(d))
}

// domain writes a name, or where it was written before.
func (w *packer) domain(name string) {
	if at, ok := w.known[name]; ok {
		w.uint(uint64(len(w.domains) - at))
		return
	}
	w.uint(0)
	w.string(name)
	w.addDomain(name)
}

func (w *packer) addDomain(name string) {
	w.known[name] = len(w.domains)
	w.domains = append(w.domains, name)
}

// peer writes the name of a peer; the same few come again and again.
func (w *packer) peer(name string) {
	if name == "" {
		w.uint(0)
		return
	}
	for i, p := range w.peers {
		if p == name {
			w.uint(uint64(i + 2))
			return
		}
	}
	w.uint(1)
	w.bytes([]byte(name))
	w.peers = append(w.peers, name)
}

func (w *packer) links(origin string, links []Link) {
	w.uint(uint64(len(links)))
	for _, l := range links {
		text := l.URL
		l.URL = ""
		if l == w.link {
			w.url(origin, text)
			continue
		}
		w.text = append(w.text, urlAttributes, l.Depth, l.Redirects, byte(l.Priority), l.Source)
		w.int(l.Modified - w.link.Modified)
		w.link = l
		w.url(origin, text)
	}
}

// How a URL is written. The numbers are on disk and on the wire.
const (
	urlWhole      = 0
	urlPath       = 1 // behind the origin of the lease
	urlHTTP       = 2 // of a domain
	urlHTTPS      = 3
	urlHTTPWWW    = 4
	urlHTTPSWWW   = 5
	urlAttributes = 6 // new attributes of links come first
)

// urlPrefixes are what stands before the domain.
var urlPrefixes = [...]string{urlHTTP: "http://", urlHTTPS: "https://", urlHTTPWWW: "http://www.", urlHTTPSWWW: "https://www."}

// url writes a URL.
func (w *packer) url(origin, text string) {
	if path, ok := strings.CutPrefix(text, origin); ok && origin != "" && strings.HasPrefix(path, "/") {
		w.text = append(w.text, urlPath)
		w.path(path)
		return
	}
	for i := len(urlPrefixes) - 1; i >= urlHTTP; i-- {
		rest, ok := strings.CutPrefix(text, urlPrefixes[i])
		if !ok {
			continue
		}
		slash := strings.IndexByte(rest, '/')
		if slash <= 0 {
			break
		}
		w.text = append(w.text, byte(i))
		w.domain(rest[:slash])
		w.path(rest[slash:])
		return
	}
	w.text = append(w.text, urlWhole)
	w.string(text)
}

// path writes what follows the host of a URL. Escaped bytes beyond ASCII are written as
// they are: a canonical URL has none.
func (w *packer) path(p string) {
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == 0 || c >= 0x80:
			w.failed = true
		case c == '%' && i+2 < len(p):
			if b, ok := escaped(p[i+1], p[i+2]); ok {
				c, i = b, i+2
			}
		}
		w.text = append(w.text, c)
	}
	w.text = append(w.text, 0)
}

// escaped reads two capital hexadecimal digits of a byte beyond ASCII.
func escaped(high, low byte) (b byte, ok bool) {
	h, l := strings.IndexByte(hexDigits, high), strings.IndexByte(hexDigits, low)
	return byte(h<<4 | l), h >= 8 && l >= 0
}

const hexDigits = "0123456789ABCDEF"
