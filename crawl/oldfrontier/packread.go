package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
)

// unpacker reads what a packer wrote, or what a stranger says it has. After the first
// thing that is not there all others are zero, and failed is set.
type unpacker struct {
	text, beside []byte
	packed
	places *placer
	room   int // for the texts of URLs: a name written once may stand in many
	failed bool
	err    error // of the store
}

// unpack returns the entries of a batch, by proposals. Those that have come to nothing, since what
// they name is not there, are the zero Entry.
func (r *unpacker) unpack() ([][]Entry, error) {
	var parts [][]Entry
	var part []Entry
	for len(r.text) > 0 && len(parts) < maxLinks {
		kind := kindOfEntry(r.byte())
		if kind&packKinds != packNothing {
			e := r.entry(kind)
			if r.err != nil {
				return nil, r.err
			}
			if r.failed || len(part) >= maxLinks {
				return nil, fmt.Errorf("%w: entry %d of proposal %d", ErrEntry, len(part), len(parts))
			}
			if e != (Entry{}) {
				if err := e.validate(); err != nil {
					return nil, err
				}
			}
			part = append(part, e)
		}
		if kind&packLast != 0 {
			parts, part = append(parts, part), nil
		}
	}
	if r.failed || len(r.text) > 0 || len(r.beside) > 0 || len(part) > 0 {
		return nil, fmt.Errorf("%w: behind proposal %d", ErrEntry, len(parts))
	}
	return parts, nil
}

func (r *unpacker) entry(kind kindOfEntry) (e Entry) {
	placed := kind&packPlaced != 0
	switch kind & packKinds {
	case packEnqueue:
		e.Enqueue = r.enqueue()
	case packGrant:
		e.Grant = r.grant()
	case packSettle:
		e.Settle = r.settle(placed)
	case packRelease:
		if id, d, by, ok := r.ofLease(placed); ok {
			e.Release = &Release{Lease: id, Domain: d, By: by, CrawlDelay: r.duration(), Ago: r.duration()}
		} else {
			r.duration()
			r.duration()
		}
	case packRenew:
		if id, d, by, ok := r.ofLease(placed); ok {
			e.Renew = &Renew{Lease: id, Domain: d, By: by, For: r.duration()}
		} else {
			r.duration()
		}
	case packSent:
		e.Sent = r.sent()
	case packSlot:
		e.Slot = r.slot()
	case packUnslot:
		e.Unslot = r.unslot()
	case packVoid:
	case packOther:
		if err := decode.Unmarshal(r.bytes(), &e); err != nil {
			r.fail()
		}
	default:
		r.fail()
	}
	return e
}

func (r *unpacker) enqueue() *Enqueue {
	e := new(Enqueue)
	flags := r.uint()
	e.Ask = flags&packAsk != 0
	if flags&packFrom != 0 {
		e.From = crawl.Domain(r.domain())
	}
	e.Date = r.at + r.int()
	e.Links = r.links("")
	e.Out = r.links("")
	return e
}

func (r *unpacker) grant() *Grant {
	g := &Grant{Domain: crawl.Domain(r.domain())}
	origin, slash := bytes.CutSuffix([]byte(r.url(r.byte(), "")), []byte("/"))
	g.Origin = string(origin)
	g.For = r.length + r.duration()
	r.length = g.For
	g.Holder = r.peer()
	n := r.uint()
	if !slash || n > MaxLeaseTasks {
		r.fail()
		return g
	}
	var before [rankHead]byte
	number := uint64(0)
	for range n {
		step := int64(r.uint())
		if step == 0 {
			before = [rankHead]byte{r.byte(), r.byte(), r.byte()}
			step = r.int()
		}
		number += uint64(step)
		g.Tasks = append(g.Tasks, binary.BigEndian.AppendUint64(bytes.Clone(before[:]), number))
	}
	return g
}

// settle reads an outcome, nil if its task is not there any more.
func (r *unpacker) settle(placed bool) *Settle {
	s, found, origin := new(Settle), true, ""
	if placed {
		s.Lease = r.leaseID()
		origin, found = r.task(s, r.uint())
	} else {
		s.Lease = crawl.LeaseID(r.uint())
		s.Domain = crawl.Domain(r.domain())
		s.Task = bytes.Clone(r.bytes())
		s.URL = r.url(r.byte(), "")
		s.By = r.peer()
	}
	r.outcome(s)
	s.Links = r.links(origin)
	s.Out = r.links(origin)
	if !found {
		return nil
	}
	return s
}

// task looks up what an outcome is of. It returns the origin of its host.
func (r *unpacker) task(s *Settle, place uint64) (origin string, found bool) {
	l := r.lease(s.Lease)
	if l == nil {
		return "", false
	}
	s.Domain, s.By = l.domain, l.record.Holder
	if place >= uint64(len(l.record.Tasks)) {
		return l.record.Origin, false
	}
	key, u, ok := r.places.task(l, int(place))
	s.Task, s.URL = key, u.String()
	return l.record.Origin, ok
}

// lease looks up a live lease.
func (r *unpacker) lease(id crawl.LeaseID) *placedLease {
	if r.failed || r.err != nil {
		return nil
	}
	l, err := r.places.lease(id)
	r.err = err
	return l
}

func (r *unpacker) outcome(s *Settle) {
	flags := r.uint()
	if flags&^uint64(settleBits) != 0 {
		r.fail()
	}
	has := func(bit uint64) bool { return flags&bit != 0 }
	s.Date = r.at + r.int()
	ms := r.besideInt()
	s.Took = time.Duration(ms) * time.Millisecond
	s.Received = r.besideInt()
	if has(settleDigest) {
		s.Digest = bytes.Clone(r.besideBytes(digestSize))
	}
	s.Ask = has(settleAsk)
	if has(settleETag) {
		s.ETag = r.string()
	}
	if has(settleModified) {
		s.LastModified = writeHTTPDate(r.besideInt())
	}
	if has(settleCrawlDelay) {
		s.CrawlDelay = r.duration()
	}
	if has(settleTitle) {
		s.Title = r.string()
	}
	s.Result, s.Status = crawl.Fetched, statusOK
	if has(settleResult) {
		s.Result, s.Status = crawl.Result(r.byte()), int(int32(r.int()))
	}
	if has(settleReason) {
		s.Reason = r.string()
	}
	if has(settleWait) {
		s.Wait = r.duration()
	}
	s.Duplicate, s.Challenged, s.NoRobots = has(settleDuplicate), has(settleChallenged), has(settleNoRobots)
	if has(settleModifiedText) {
		s.LastModified = r.string()
	}
}

// ofLease reads what a Release and a Renew begin with; ok is false if the lease is over.
func (r *unpacker) ofLease(placed bool) (id crawl.LeaseID, d crawl.Domain, by string, ok bool) {
	if !placed {
		return crawl.LeaseID(r.uint()), crawl.Domain(r.domain()), r.peer(), true
	}
	id = r.leaseID()
	if l := r.lease(id); l != nil {
		return id, l.domain, l.record.Holder, true
	}
	return id, "", "", false
}

func (r *unpacker) sent() *Sent {
	n := r.uint()
	s := &Sent{Back: n&packBack != 0}
	if n >>= 1; n > maxLinks {
		r.fail()
		return s
	}
	place := int64(0)
	for range n {
		at := r.uint()
		if at == 0 {
			s.Keys = append(s.Keys, bytes.Clone(r.bytes()))
			continue
		}
		place += unzigzag(at - 1)
		check := r.besideBytes(outCheck)
		if r.failed || place < 0 || place >= maxOutPlace {
			r.fail()
			return s
		}
		if key := r.places.outKey(int(place)); len(key) >= outCheck && bytes.Equal(key[len(key)-outCheck:], check) {
			s.Keys = append(s.Keys, key)
		}
		place++
	}
	return s
}

func (r *unpacker) slot() *Slot {
	return &Slot{
		Address: r.string(), By: r.peer(), Granter: r.peer(), Lease: crawl.LeaseID(r.uint()), Domain: crawl.Domain(r.domain()), For: r.duration(),
	}
}

func (r *unpacker) unslot() *Unslot {
	u := &Unslot{Address: r.string(), By: r.peer(), Granter: r.peer(), Lease: crawl.LeaseID(r.uint()), Gap: r.duration()}
	good := r.uint()
	u.Good, u.Bad, u.Number = uint32(min(good>>1, 1<<32-1)), good&packBad != 0, r.uint()
	return u
}

func (r *unpacker) fail() { r.text, r.beside, r.failed = nil, nil, true }

func (r *unpacker) byte() byte {
	if len(r.text) == 0 {
		r.fail()
		return 0
	}
	b := r.text[0]
	r.text = r.text[1:]
	return b
}

func (r *unpacker) uint() uint64 {
	n, size := binary.Uvarint(r.text)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.text = r.text[size:]
	return n
}

func (r *unpacker) int() int64 {
	n, size := binary.Varint(r.text)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.text = r.text[size:]
	return n
}

func (r *unpacker) besideInt() int64 {
	n, size := binary.Varint(r.beside)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.beside = r.beside[size:]
	return n
}

// bytes returns a string that is part of what is read from.
func (r *unpacker) bytes() []byte {
	n := r.uint()
	if n > uint64(len(r.text)) {
		r.fail()
		return nil
	}
	b := r.text[:n:n]
	r.text = r.text[n:]
	return b
}

func (r *unpacker) besideBytes(n uint64) []byte {
	if n > uint64(len(r.beside)) {
		r.fail()
		return nil
	}
	b := r.beside[:n:n]
	r.beside = r.beside[n:]
	return b
}

func (r *unpacker) string() string {
	n := bytes.IndexByte(r.text, 0)
	if n < 0 {
		r.fail()
		return ""
	}
	s := string(r.text[:n])
	r.text = r.text[n+1:]
	return s
}

func (r *unpacker) leaseID() crawl.LeaseID {
	r.packed.lease += crawl.LeaseID(r.int())
	return r.packed.lease
}

func (r *unpacker) duration() time.Duration {
	n := r.uint()
	if n == 0 {
		return time.Duration(r.int())
	}
	return time.Duration(unzigzag(n-1)) * time.Millisecond
}

func (r *unpacker) domain() string {
	n := r.uint()
	if n == 0 {
		name := r.string()
		r.domains = append(r.domains, name)
		return name
	}
	if n > uint64(len(r.domains)) {
		r.fail()
		return ""
	}
	return r.domains[uint64(len(r.domains))-n]
}

func (r *unpacker) peer() string {
	switch n := r.uint(); {
	case n == 0:
		return ""
	case n == 1:
		name := string(r.bytes())
		r.peers = append(r.peers, name)
		return name
	case n-2 < uint64(len(r.peers)):
		return r.peers[n-2]
	default:
		r.fail()
		return ""
	}
}

func (r *unpacker) links(origin string) []Link {
	n := r.uint()
	if n > uint64(min(maxLinks, len(r.text))) {
		r.fail()
		return nil
	}
	var links []Link
	for range n {
		how := r.byte()
		if how == urlAttributes {
			r.link = Link{Depth: r.byte(), Redirects: r.byte(), Priority: crawl.Priority(r.byte()), Source: r.byte(), Modified: r.link.Modified + r.int()}
			how = r.byte()
		}
		l := r.link
		l.URL = r.url(how, origin)
		if r.room -= len(l.URL); r.room < 0 {
			r.fail()
		}
		links = append(links, l)
		if r.failed {
			return nil
		}
	}
	return links
}

func (r *unpacker) url(how byte, origin string) string {
	switch how {
	case urlWhole:
		return r.string()
	case urlPath:
		return origin + r.path()
	case urlHTTP, urlHTTPS, urlHTTPWWW, urlHTTPSWWW:
		host := r.domain()
		return urlPrefixes[how] + host + r.path()
	default:
		r.fail()
		return ""
	}
}

func (r *unpacker) path() string {
	n := bytes.IndexByte(r.text, 0)
	if n < 0 {
		r.fail()
		return ""
	}
	raw := r.text[:n]
	r.text = r.text[n+1:]
	path := make([]byte, 0, n+16)
	for _, c := range raw {
		if c < 0x80 {
			path = append(path, c)
		} else {
			path = append(path, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return string(path)
}
