package swarm

import (
	"math"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
)

// bodyKind is the first byte of what is put or told. The numbers are on the wire.
type bodyKind byte

const (
	bodyReport bodyKind = 1 // wire.Report: outcomes of one domain, and whether the lease is over
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

// leaseReport is what a report says of a lease. Each outcome names its URL: the leader may be another one by now.
func leaseReport(l crawl.Lease, outcomes []crawl.Outcome, over bool) wire.LeaseReport {
	r := wire.LeaseReport{Lease: l.ID, Domain: l.Domain, Over: over, CrawlDelayMs: l.CrawlDelay.Milliseconds()}
	for _, o := range outcomes {
		r.Outcomes = append(r.Outcomes, wire.OutcomeOf(o))
	}
	return r
}

// readReport returns the outcomes of one domain that a report tells of. Those that cannot be are left out.
func readReport(d crawl.Domain, b []byte) (outcomes []crawl.Outcome, report wire.LeaseReport, ok bool) {
	m, err := wire.Decode[wire.Report](b)
	if err != nil || len(m.Leases) != 1 || m.Leases[0].Domain != d {
		return nil, report, false
	}
	return outcomesOf(&m.Leases[0]), m.Leases[0], true
}

// outcomesOf returns the outcomes of a report.
func outcomesOf(report *wire.LeaseReport) (outcomes []crawl.Outcome) {
	room := wire.MaxReportBytes
	for _, w := range report.Outcomes {
		o, size, err := w.Outcome(room)
		room -= size
		u, bad := crawl.ParseURL(w.URL)
		if err != nil || bad != nil || u.Domain() != report.Domain || u.String() != w.URL {
			continue
		}
		o.Lease, o.Domain, o.Task.URL = report.Lease, report.Domain, u
		outcomes = append(outcomes, o)
	}
	return outcomes
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

// linkGroup is what links to one domain have in common.
type linkGroup struct {
	from  crawl.Domain
	date  int64 // Unix seconds
	links []crawl.Outlink
}

// readLinks returns the links to a domain that a body tells of.
func readLinks(d crawl.Domain, b []byte) ([]linkGroup, bool) {
	m, err := wire.Decode[wire.Links](b)
	if err != nil {
		return nil, false
	}
	lists, err := m.Parse()
	if err != nil {
		return nil, false
	}
	groups := make([]linkGroup, 0, len(lists))
	for i, list := range lists {
		g := linkGroup{from: m.Groups[i].From, date: m.Groups[i].Date}
		for _, l := range list {
			if l.URL.Domain() == d {
				g.links = append(g.links, l)
			}
		}
		groups = append(groups, g)
	}
	return groups, true
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
