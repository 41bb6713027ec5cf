package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// itemKind is the first byte of an item of a move. Those after itemDomain are
// about the domain it names, and come in the order of their numbers. The numbers
// are on the wire.
type itemKind uint8

const (
	itemDomain itemKind = 1 // name
	itemRecord itemKind = 2 // movedDomain
	itemHold   itemKind = 3 // milliseconds (uint64) ‖ origin
	itemShape  itemKind = 4 // path hash ‖ counts
	itemFilter itemKind = 5 // length of path ‖ path ‖ block
	itemPage   itemKind = 6 // movedPage
	itemTask   itemKind = 7 // depth ‖ priority ‖ attempts ‖ kind ‖ URL
)

// movedDomain is the record of a domain on a move. Of the record the leases,
// moves and the counts of what is queued are not used; Careful is for how long that has been so.
type movedDomain struct {
	_      struct{} `cbor:",toarray"`
	Record domainRecord
	Due    time.Duration // until it may be visited again
}

// movedPage is the last visit of a page on a move.
type movedPage struct {
	_            struct{} `cbor:",toarray"`
	URL          string
	Date         int64
	Result       crawl.Result
	Status       int
	Digest       []byte
	ETag         string
	LastModified string
	Every        int64 // milliseconds, as in pageRecord
	Later        int64 // milliseconds to the next visit, negative if none is planned
	Depth        uint8
	Source       uint8
	Misses       uint8
}

// item is one that was read and found possible. What it does not have is zero.
type item struct {
	kind   itemKind
	domain crawl.Domain
	record movedDomain
	hold   time.Duration
	origin string
	hash   []byte // of a shape
	path   []byte // of a filter
	data   []byte // of a shape or filter
	page   movedPage
	url    crawl.URL
	depth  uint8
	prio   crawl.Priority
	task   []byte // value
}

// readItem reads an item that follows others about a domain. The error is
// ErrItem, with what is wrong.
func readItem(raw []byte, domain crawl.Domain) (it item, err error) {
	if len(raw) < 2 || len(raw) > MaxItem {
		return it, fmt.Errorf("%w: %d bytes", ErrItem, len(raw))
	}
	it.kind, it.domain = itemKind(raw[0]), domain
	raw = raw[1:]
	if it.kind == itemDomain {
		it.domain = crawl.Domain(raw)
		if !isDomain(it.domain) {
			err = fmt.Errorf("%w: domain %.100q", ErrItem, raw)
		}
		return it, err
	}
	if domain == "" {
		return it, fmt.Errorf("%w: it is about no domain", ErrItem)
	}
	switch it.kind {
	case itemRecord:
		err = it.readRecord(raw)
	case itemHold:
		err = it.readHold(raw)
	case itemShape:
		err = it.readShape(raw)
	case itemFilter:
		err = it.readFilter(raw)
	case itemPage:
		err = it.readPage(raw)
	case itemTask:
		err = it.readTask(raw)
	default:
		err = fmt.Errorf("%w: kind %d", ErrItem, it.kind)
	}
	return it, err
}

// isDomain reports whether a name is that of a domain as URLs have them.
func isDomain(d crawl.Domain) bool {
	if !validDomain(d) || len(d) > maxHostname {
		return false
	}
	host := string(d)
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		host = "[" + host + "]"
	}
	u, err := crawl.ParseURL("http://" + host + "/")
	return err == nil && u.Domain() == d
}

func (it *item) readRecord(raw []byte) error {
	if err := decode.Unmarshal(raw, &it.record); err != nil {
		return fmt.Errorf("%w: record of %s: %w", ErrItem, it.domain, err)
	}
	r := &it.record.Record
	ok := !r.isAbsurd() && it.record.Due >= 0 && r.Asked >= 0 && r.Took >= 0 && r.Careful >= 0 && r.CrawlDelay >= 0 &&
		r.Level <= maxLevel && r.Unheard <= silentTries && len(r.NextHost) <= maxKey && len(r.Reason) <= maxReason && len(r.Title) <= maxTitle &&
		len(r.Repeats) <= maxRepeats && len(r.Last) <= MaxPeer && r.Duplicates <= r.Fetched && r.Gone <= r.Other
	for _, rep := range r.Repeats {
		ok = ok && len(rep.Digest) == repeatBytes
	}
	if !ok {
		return fmt.Errorf("%w: record of %s", ErrItem, it.domain)
	}
	*r = r.moved()
	return nil
}

// moved returns what of a record moves with its domain.
func (d *domainRecord) moved() domainRecord {
	r := *d
	r.Lease, r.Over, r.Former, r.Closing, r.Arriving = leaseRecord{}, leaseRecord{}, nil, nil, nil
	r.Queued, r.Revisiting, r.Known, r.Index = 0, 0, 0, 0
	return r
}

func (it *item) readHold(raw []byte) error {
	if len(raw) < 8 || len(raw) > 8+maxKey {
		return fmt.Errorf("%w: hold of a host of %s", ErrItem, it.domain)
	}
	ms := binary.BigEndian.Uint64(raw)
	it.hold = time.Duration(min(ms, uint64(crawl.MaxWait/time.Millisecond))) * time.Millisecond
	it.origin = string(raw[8:])
	if !validHost(hostKey(it.domain, it.origin)) {
		return fmt.Errorf("%w: %.100q is no host of %s", ErrItem, it.origin, it.domain)
	}
	return nil
}

func (it *item) readShape(raw []byte) error {
	if len(raw) != pageHash+2*len(shapeLimits) {
		return fmt.Errorf("%w: shape of %d bytes", ErrItem, len(raw))
	}
	it.hash, it.data = raw[:pageHash], raw[pageHash:]
	return nil
}

func (it *item) readFilter(raw []byte) error {
	if len(raw) == 0 || int(raw[0]) > len(raw)-1 {
		return fmt.Errorf("%w: block of a filter", ErrItem)
	}
	n := int(raw[0])
	it.path, it.data = raw[1:1+n], raw[1+n:]
	if err := bloom.CheckBlock(it.path, it.data); err != nil {
		return fmt.Errorf("%w: %w", ErrItem, err)
	}
	return nil
}

func (it *item) readPage(raw []byte) error {
	if err := decode.Unmarshal(raw, &it.page); err != nil {
		return fmt.Errorf("%w: page of %s: %w", ErrItem, it.domain, err)
	}
	p := &it.page
	if err := it.readURL(p.URL); err != nil {
		return err
	}
	longest := retireMost.Milliseconds()
	if p.Result < crawl.Fetched || p.Result > crawl.Declined || p.Status < 0 || p.Status > 999 || len(p.Digest) != 0 && len(p.Digest) != 20 ||
		len(p.ETag) > crawl.MaxValidator || len(p.LastModified) > crawl.MaxValidator || p.Every < 0 || p.Every > longest || p.Later > longest ||
		p.Date < 0 || p.Date > maxNumber || p.Source > crawl.MaxSource {
		return fmt.Errorf("%w: visit of %s", ErrItem, p.URL)
	}
	return nil
}

func (it *item) readTask(raw []byte) error {
	if len(raw) < 5 {
		return fmt.Errorf("%w: task of %d bytes", ErrItem, len(raw))
	}
	if err := it.readURL(string(raw[4:])); err != nil {
		return err
	}
	it.depth, it.prio = raw[0], crawl.Priority(raw[1])
	if it.prio != validPriority(it.prio) || raw[2] >= maxRefusals {
		return fmt.Errorf("%w: task of %s", ErrItem, it.url)
	}
	it.task = bytes.Clone(raw[2:])
	return nil
}

// readURL reads the URL of a page or task.
func (it *item) readURL(text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("%w: %.100q", ErrItem, text)
	}
	u, err := crawl.ParseURL(text)
	if err != nil || u.String() != text || u.Domain() != it.domain || len(u.Hostname()) > maxHostname {
		return fmt.Errorf("%w: %.200q is no URL of %s", ErrItem, text, it.domain)
	}
	it.url = u
	return nil
}

// CheckItems reports whether the items of a chunk, from whomever, are possible,
// and returns the domains they are about, each once, in their order. The error is ErrItem, with
// what is wrong with the first that is not. Whether the sender may speak of these
// domains is for the caller to decide.
func CheckItems(items [][]byte) ([]crawl.Domain, error) {
	var domains []crawl.Domain
	known := make(map[crawl.Domain]bool)
	var domain crawl.Domain
	size := 0
	for _, raw := range items {
		if size += len(raw); size > MaxChunk {
			return nil, fmt.Errorf("%w: more than %d bytes together", ErrItem, MaxChunk)
		}
		it, err := readItem(raw, domain)
		if err != nil {
			return nil, err
		}
		domain = it.domain
		if !known[domain] {
			known[domain] = true
			domains = append(domains, domain)
		}
	}
	return domains, nil
}
