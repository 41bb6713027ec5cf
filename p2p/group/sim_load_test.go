package group_test

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/stream"
)

// itemSize is the length of an item's value: flags and the number of visits.
const itemSize = 16

// Flags of an item. The others have no meaning and are set by chance, so that copies differ. There are so many that few
// items ever have all.
const (
	flagKnown = 1 << iota
	flagDone
)

func item(flags, visits uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, flags), visits)
}

// mergeItems keeps every flag and the greatest number of visits. Values of another length count as empty.
func mergeItems(_ crawl.Domain, _ string, a, b []byte) []byte {
	fa, va := parseItem(a)
	fb, vb := parseItem(b)
	return item(fa|fb, max(va, vb))
}

func parseItem(v []byte) (flags, visits uint64) {
	if len(v) != itemSize {
		return 0, 0
	}
	return binary.BigEndian.Uint64(v), binary.BigEndian.Uint64(v[8:])
}

// covers reports whether merging b into a would change nothing.
func covers(a, b []byte) bool {
	fa, va := parseItem(a)
	fb, vb := parseItem(b)
	return a != nil && fa|fb == fa && va >= vb
}

// itemsBody is what is put of items.
func itemsBody(items []stream.Item) []byte {
	w := &codec.Writer{}
	codec.WriteList(w, items, func(i stream.Item) {
		w.Text(i.Key)
		w.Bytes(i.Value)
	})
	return w.B
}

// takeItems is the reverse, as a leader does it.
func takeItems(_ group.Sender, d crawl.Domain, body []byte) ([]stream.Make, crawl.LeaseID, bool) {
	r := &codec.Reader{B: body}
	items := codec.ReadList(r, 512, func() stream.Item { return stream.Item{Domain: d, Key: r.Text(64), Value: r.Bytes(64)} })
	return []stream.Make{func(stream.Tx) ([]stream.Item, error) { return items, nil }}, 0, true
}

// request is a line in the log of the servers.
type request struct {
	at      time.Duration
	fetcher *machine
	careful bool
}

// load makes every machine crawl: it asks for leases, visits servers and tells what came of it.
type load struct {
	w       *world
	domains []crawl.Domain
	urls    int
	crawler []*crawler
	log     map[crawl.Domain][]request
	over    bool
	puts    int // acknowledged
	leases  int // granted
}

// crawler is what a machine does for a living. Its outbox survives a crash; its leases do not.
type crawler struct {
	l      *load
	m      *machine
	leases map[crawl.Domain]*held
	asking map[crawl.Domain]bool
	hints  map[crawl.Domain]crawl.PeerID
	outbox []*parcel
	turn   int
}

// held is a lease that a crawler works with.
type held struct {
	lease group.Lease
	asked time.Duration
	left  int // requests until it is given back early; negative: never
}

// parcel is a put that is not acknowledged yet.
type parcel struct {
	domain crawl.Domain
	items  []stream.Item
	flying bool
}

const (
	maxLeases = 6   // of a crawler at a time
	maxOutbox = 200 // parcels; a full outbox makes its crawler wait
	maxFlying = 16
)

func newLoad(w *world) *load {
	return &load{w: w, urls: 12, log: make(map[crawl.Domain][]request)}
}

// begin makes n domains and lets all machines crawl them, those that come later, too.
func (l *load) begin(n int) {
	for i := range n {
		l.domains = append(l.domains, crawl.Domain(fmt.Sprintf("d%d-%03x.example", i, l.w.seed&0xfff)))
	}
	for _, m := range l.w.machines {
		l.started(m)
	}
}

// started gives a machine that starts a crawler.
func (l *load) started(m *machine) {
	for len(l.crawler) <= m.index {
		l.crawler = append(l.crawler, nil)
	}
	c := l.crawler[m.index]
	if c == nil {
		c = &crawler{l: l, m: m}
		l.crawler[m.index] = c
		l.w.every(l.w.times.Beat/2, c.work)
	}
	c.leases, c.asking = make(map[crawl.Domain]*held), make(map[crawl.Domain]bool)
	c.hints = make(map[crawl.Domain]crawl.PeerID)
	for _, p := range c.outbox {
		p.flying = false
	}
}

func (l *load) stopped(m *machine) { l.crawler[m.index].leases = nil }

// key names a URL.
func (l *load) key(i int) string { return fmt.Sprintf("u%d", i) }

// work asks for a lease if there is room, and sends the outbox.
func (c *crawler) work() {
	if !c.m.live() || c.m.busy || len(c.l.domains) == 0 {
		return
	}
	c.send()
	if c.l.over || len(c.leases)+len(c.asking) >= maxLeases || len(c.outbox) >= maxOutbox {
		return
	}
	c.turn++
	d := c.l.domains[(c.turn+c.m.index)%len(c.l.domains)]
	if c.l.w.chance(0.3) {
		d = pick(c.l.w, c.l.domains)
	}
	if c.leases[d] == nil && !c.asking[d] {
		c.ask(d)
	}
}

// hint is who probably leads a domain, sometimes anybody.
func (c *crawler) hint(d crawl.Domain) crawl.PeerID {
	switch {
	case c.l.w.chance(0.1):
		return pick(c.l.w, c.l.w.machines).id
	case c.l.w.chance(0.3):
		return ""
	}
	return c.hints[d]
}

func (c *crawler) ask(d crawl.Domain) {
	c.asking[d] = true
	boot, asked := c.m.boot, c.l.w.now
	c.m.node.Ask(d, c.hint(d), func(lease group.Lease, ok bool) {
		c.m.durable(func() { c.answered(d, &held{lease, asked, c.early()}, ok, boot) })
	})
	c.m.plan(0)
}

// answered takes the answer to a request for a lease.
func (c *crawler) answered(d crawl.Domain, h *held, ok bool, boot int) {
	if c.m.boot != boot || !c.m.up {
		return
	}
	delete(c.asking, d)
	if !ok {
		delete(c.hints, d)
		return
	}
	c.granted(h)
}

// early draws after how many requests a lease is given back: one of five is.
func (c *crawler) early() int {
	if c.l.w.chance(0.2) {
		return 1 + c.l.w.rng.IntN(4)
	}
	return -1
}

// granted begins to work with a lease.
func (c *crawler) granted(h *held) {
	d := h.lease.Domain
	c.hints[d] = h.lease.Leader
	c.l.leases++
	c.l.w.trace.add(c.m, "", d, "has lease %x from %s, careful %v", uint64(h.lease.ID), c.l.w.name(h.lease.Leader), h.lease.Careful)
	c.l.w.check.accepted(c.m, h.lease)
	c.leases[d] = h
	c.visit(h, c.m.boot)
}

// visit makes the next request of a lease and plans the one after it.
func (c *crawler) visit(h *held, boot int) {
	d := h.lease.Domain
	if c.m.boot != boot || !c.m.up || c.leases[d] != h {
		return
	}
	if c.m.frozen || c.m.busy { // between check and request nothing may pause
		c.l.w.after(c.l.w.times.Beat/20, func() { c.visit(h, boot) })
		return
	}
	if c.l.over || !c.m.node.Live(h.lease) || h.left == 0 {
		c.giveBack(h)
		return
	}
	h.left--
	c.l.request(c.m, h.lease)
	c.outcome(d)
	c.l.w.after(time.Duration(float64(c.gap(h))/c.m.clock.rate)+time.Millisecond, func() { c.visit(h, boot) })
}

func (c *crawler) gap(h *held) time.Duration {
	gap := c.l.w.gap
	if h.lease.Careful {
		gap *= 3
	}
	return max(gap, h.lease.Gap)
}

func (c *crawler) giveBack(h *held) {
	delete(c.leases, h.lease.Domain)
	if h.left == 0 && c.m.node.Live(h.lease) {
		c.l.w.trace.add(c.m, "", h.lease.Domain, "returns lease %x", uint64(h.lease.ID))
		c.m.node.Return(h.lease)
		c.m.plan(0)
	}
}

// request is what the server of a domain sees.
func (l *load) request(m *machine, lease group.Lease) {
	r := request{l.w.now, m, lease.Careful}
	l.w.check.request(lease.Domain, r)
	l.log[lease.Domain] = append(l.log[lease.Domain], r)
}

// outcome puts what came of a visit, and links to other pages, into the outbox.
func (c *crawler) outcome(d crawl.Domain) {
	w := c.l.w
	c.post(d, item(flagKnown|flagDone|1<<(2+w.rng.IntN(62)), uint64(len(c.l.log[d]))))
	for range w.rng.IntN(3) {
		c.post(pick(w, c.l.domains), item(flagKnown|1<<(2+w.rng.IntN(62)), 0))
	}
}

func (c *crawler) post(d crawl.Domain, value []byte) {
	key := c.l.key(c.l.w.rng.IntN(c.l.urls))
	it := stream.Item{Domain: d, Key: key, Value: value}
	for _, p := range c.outbox {
		if p.domain == d && !p.flying && len(p.items) < 8 {
			p.items = append(p.items, it)
			return
		}
	}
	c.outbox = append(c.outbox, &parcel{domain: d, items: []stream.Item{it}})
}

// send puts parcels that are not under way. One that fails is sent again in another round.
func (c *crawler) send() {
	flying := 0
	for _, p := range c.outbox {
		if p.flying {
			flying++
		}
	}
	for _, p := range c.outbox {
		if !p.flying && flying < maxFlying {
			flying++
			c.put(p)
		}
	}
}

func (c *crawler) put(p *parcel) {
	p.flying = true
	boot := c.m.boot
	c.m.node.Put(p.domain, itemsBody(p.items), c.hint(p.domain), func(stored bool) {
		c.m.durable(func() { c.told(p, stored, boot) })
	})
	c.m.plan(0)
}

// told takes the answer to a put.
func (c *crawler) told(p *parcel, stored bool, boot int) {
	switch {
	case c.m.boot != boot || !c.m.up:
	case stored:
		c.stored(p)
	default:
		p.flying = false
		delete(c.hints, p.domain)
	}
}

// stored takes a parcel off the outbox.
func (c *crawler) stored(p *parcel) {
	for i, q := range c.outbox {
		if q == p {
			c.outbox = append(c.outbox[:i], c.outbox[i+1:]...)
			break
		}
	}
	c.l.puts++
	for _, it := range p.items {
		c.l.w.check.acked(c.m, it)
	}
}

// stop ends all crawling; what is in outboxes is still sent.
func (l *load) stop() { l.over = true }

// pending counts the parcels of members and fetchers that run.
func (l *load) pending() (n int) {
	for _, c := range l.crawler {
		if c != nil && c.m.live() {
			n += len(c.outbox)
		}
	}
	return n
}
