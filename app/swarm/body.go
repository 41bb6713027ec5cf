package swarm

import (
	"math"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
)

// bodyKind is the first byte of what is put or told. The numbers are on the wire.
type bodyKind byte

const (
	bodyReport bodyKind = 1 // wire.Report: outcomes of a lease, and whether it is over
	bodyLinks  bodyKind = 2 // wire.Links to one domain
	bodyWant   bodyKind = 3 // wire.Ask
	bodyOffer  bodyKind = 4 // domains that are due
	bodyGone   bodyKind = 5 // links of a domain that have arrived; of this member itself

	// 6 to 10 are those of package slots.

	// bodyCounted are outcomes that count now, a wire.Report, bodyJudged URLs that are to be judged; of this
	// member itself
	bodyCounted bodyKind = 11
	bodyJudged  bodyKind = 12
	bodyOwn     bodyKind = 13 // outcomes of a lease of this member, which holds them; of this member itself
)

const (
	maxOffers   = 64 // domains of one offer
	maxOutcomes = 64 // of one report
)

func body(k bodyKind, m wire.Message) []byte { return append([]byte{byte(k)}, wire.Encode(m)...) }

// split returns what a body is.
func split(b []byte) (bodyKind, []byte) {
	if len(b) == 0 {
		return 0, nil
	}
	return bodyKind(b[0]), b[1:]
}

func offerBody(domains []crawl.Domain) []byte {
	w := &codec.Writer{B: []byte{byte(bodyOffer)}}
	codec.WriteList(w, domains, func(d crawl.Domain) { w.Text(string(d)) })
	return w.B
}

func readOffer(b []byte) ([]crawl.Domain, bool) {
	r := &codec.Reader{B: b}
	list := codec.ReadList(r, maxOffers, func() crawl.Domain { return crawl.Domain(r.Text(codec.MaxName)) })
	return list, r.Done()
}

// reported is what a fetcher tells of a lease: its ID, domain and crawl delay, and what came of it.
type reported struct {
	lease    crawl.Lease
	outcomes []crawl.Outcome
	over     bool
}

// readReport returns what is told of a lease of a domain. Outcomes that cannot be are left out, and so are links that
// are not admitted.
func readReport(d crawl.Domain, b []byte, admits func(crawl.Outlink) bool) (r reported, ok bool) {
	m, err := wire.Decode[wire.Report](b)
	if err != nil || m.Domain != d {
		return reported{}, false
	}
	delay := time.Duration(m.CrawlDelayMs) * time.Millisecond
	r = reported{lease: crawl.Lease{ID: m.Lease, Domain: d, CrawlDelay: delay}, over: m.Over}
	room := wire.MaxReportBytes
	for _, w := range m.Outcomes {
		o, size, err := w.Outcome(room)
		room -= size
		u, bad := crawl.ParseURL(w.URL)
		if err != nil || bad != nil || u.Domain() != d || u.String() != w.URL {
			continue
		}
		o.Lease, o.Domain, o.Task.URL = m.Lease, d, u
		o.Outlinks = slices.DeleteFunc(o.Outlinks, func(l crawl.Outlink) bool { return !admits(l) })
		r.outcomes = append(r.outcomes, o)
	}
	return r, true
}

// ownBody tells of outcomes that this member has: as bytes they would be written and read for nobody.
func ownBody(l crawl.LeaseID, over bool) []byte {
	w := &codec.Writer{B: []byte{byte(bodyOwn)}}
	w.Fixed(uint64(l))
	w.Bool(over)
	return w.B
}

func readOwn(b []byte) (l crawl.LeaseID, over, ok bool) {
	r := &codec.Reader{B: b}
	l, over = crawl.LeaseID(r.Fixed()), r.Bool()
	return l, over, r.Done()
}

// deliveredBody tells which links of a domain have arrived.
func deliveredBody(sent []frontier.Sent) []byte {
	w := &codec.Writer{B: []byte{byte(bodyGone)}}
	codec.WriteList(w, sent, func(s frontier.Sent) {
		w.Text(s.Key)
		w.Uint(uint64(max(s.Date, 0)))
	})
	return w.B
}

func readDelivered(b []byte) ([]frontier.Sent, bool) {
	r := &codec.Reader{B: b}
	list := codec.ReadList(r, linksAtOnce, func() frontier.Sent {
		return frontier.Sent{Key: r.Text(stream.MaxKey), Date: int64(r.UpTo(math.MaxInt64))}
	})
	return list, r.Done()
}

// readLinks returns the links to a domain that are admitted, and where they come from.
func readLinks(
	d crawl.Domain, b []byte, admits func(crawl.Outlink) bool,
) (links []crawl.Outlink, from frontier.Found, ok bool) {
	m, err := wire.Decode[wire.Links](b)
	if err != nil {
		return nil, from, false
	}
	if links, err = m.Parse(); err != nil {
		return nil, from, false
	}
	links = slices.DeleteFunc(links, func(l crawl.Outlink) bool { return l.URL.Domain() != d || !admits(l) })
	return links, frontier.Found{Domain: m.From, Date: time.Unix(m.Date, 0)}, true
}

// judgedBody tells what became of outcomes.
func judgedBody(j judgement) []byte {
	w := &codec.Writer{B: []byte{byte(bodyJudged)}}
	codec.WriteList(w, j.confirm, w.Text)
	codec.WriteList(w, j.undo, w.Text)
	w.Text(j.log)
	return w.B
}

func readJudged(b []byte) (j judgement, ok bool) {
	r := &codec.Reader{B: b}
	key := func() string { return r.Text(stream.MaxKey) }
	j.confirm, j.undo = codec.ReadList(r, 2*maxDone, key), codec.ReadList(r, 2*maxDone, key)
	j.log = r.Text(2 * codec.MaxName)
	return j, r.Done()
}
