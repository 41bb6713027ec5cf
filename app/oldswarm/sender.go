package swarm

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// sendEvery is how often the outbox is looked at, hurriedSendEvery where
	// gaps are short.
	sendEvery        = 6 * time.Second
	hurriedSendEvery = 300 * time.Millisecond
	// sendWait is the least time between two messages of few links to the same owner where gaps are long, sendFew how
	// many are few: each message has two logs commit, whatever it brings. Half as long, there are nearly twice as many; twice
	// as long, what is found at one domain is known at the next half a minute later.
	sendWait = 18 * time.Second
	sendFew  = 64
	// sendScan is how many links of the outbox are looked at in one round, sendPage
	// in one transaction.
	sendScan = 16384
	sendPage = 2048
	// sendLinks is how many links go into one message, sendBytes how many bytes of
	// their URLs at most: the rest of it must fit beside them.
	sendLinks = 2048
	sendBytes = wire.MaxBatchBytes * 3 / 4
	// maxSendStates bounds the owners that are remembered.
	maxSendStates = 1 << 13
	// maxRoutes bounds the domains whose owner is known better than from the
	// ring, routeFor is how long: longer than links wait for others.
	maxRoutes = 4096
	routeFor  = time.Minute
)

// sender empties the outbox: every link goes to the owner of its domain, and
// stays until that one has it for good.
type sender struct {
	s     *Swarm
	every time.Duration

	sends  sync.WaitGroup
	mu     sync.Mutex
	owners map[string]*sendState
	routes map[crawl.Domain]hint
	after  []byte // where the next round begins in the outbox; of Serve alone
}

type sendState struct {
	sending bool      // one message at a time
	last    time.Time // when it had all links that there were
	notYet  time.Time
	retry   backoff
}

// hint is the owner of a domain as another member says.
type hint struct {
	to    string
	until time.Time
}

func newSender(s *Swarm) *sender {
	every := sendEvery
	if s.cfg.Hurry {
		every = hurriedSendEvery
	}
	return &sender{s: s, every: every, owners: make(map[string]*sendState), routes: make(map[crawl.Domain]hint)}
}

// Serve sends until ctx is done.
func (x *sender) Serve(ctx context.Context) error {
	defer x.sends.Wait()
	for sleep(ctx, pulse.Within(x.every)) {
		if !x.s.leads() {
			continue
		}
		if err := x.round(ctx); err != nil && ctx.Err() == nil {
			x.s.log.Warn("Links not sent; they wait", "error", err)
		}
	}
	return ctx.Err()
}

// round sends what the outbox holds for owners that can be reached.
func (x *sender) round(ctx context.Context) error {
	batches := make(map[string][]frontier.OutLink)
	here := make(map[crawl.Domain]bool) // of this node's domains, whether links to them can be taken in
	after := x.after
	x.after = nil
	for scanned := 0; scanned < sendScan; {
		page, err := x.s.cfg.Frontier.Outbox(after, sendPage)
		if err != nil {
			return err
		}
		for _, l := range page {
			to, ok := x.route(l)
			if !ok || len(batches[to]) >= sendLinks {
				continue
			}
			if to == x.s.net.Self() {
				if ok, err = x.isHere(here, domainOf(l.Link.URL)); err != nil {
					return err
				}
			}
			if ok {
				batches[to] = append(batches[to], l)
			}
		}
		if len(page) < sendPage {
			break
		}
		scanned += len(page)
		after = page[len(page)-1].Key
		if scanned >= sendScan {
			x.after = after // what is in front may wait for long for who is down
		}
	}
	for to, links := range batches {
		if to == x.s.net.Self() {
			if x.s.open.Load() {
				if err := x.takeBack(ctx, firstOf(links, sendBytes)); err != nil {
					return err
				}
			}
			continue
		}
		if !x.isRipe(to, len(links)) {
			continue
		}
		x.mark(to, true)
		x.sends.Go(func() {
			x.send(ctx, to, links)
			x.mark(to, false)
		})
	}
	return nil
}

// isHere reports whether links to a domain of this node's can be taken in: one that is on its way, or that somebody has who does not give it up,
// would only have them put back into the outbox. known is what was found in this round.
func (x *sender) isHere(known map[crawl.Domain]bool, d crawl.Domain) (bool, error) {
	is, ok := known[d]
	if ok {
		return is, nil
	}
	p, err := x.s.cfg.Frontier.Where(d)
	if err != nil {
		return false, err
	}
	switch p.State {
	case frontier.StateArriving, frontier.StateClosing:
	case frontier.StateGone:
		is = !x.s.net.Holds(p.Peer) // then it begins anew
	default:
		is = true
	}
	known[d] = is
	return is, nil
}

// isRipe reports whether so many links to an owner are worth a message by now.
func (x *sender) isRipe(to string, links int) bool {
	if x.s.cfg.Hurry || links >= sendFew || x.s.leaving.Load() {
		return true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.s.now().Sub(x.of(to).last) >= sendWait
}

// takeBack takes links in whose domains are this node's now. One that it handed
// to a member which is gone for good begins anew.
func (x *sender) takeBack(ctx context.Context, links []frontier.OutLink) error {
	var anew []crawl.Domain
	seen := make(map[crawl.Domain]bool)
	for _, l := range links {
		d := domainOf(l.Link.URL)
		if seen[d] {
			continue
		}
		seen[d] = true
		p, err := x.s.cfg.Frontier.Where(d)
		if err != nil {
			return err
		}
		if p.State == frontier.StateGone && !x.s.net.Holds(p.Peer) {
			anew = append(anew, d)
		}
	}
	if len(anew) > 0 {
		if _, err := x.s.cfg.Frontier.Propose(ctx, frontier.Entry{Forget: &frontier.Forget{Domains: anew}}); err != nil {
			return err
		}
	}
	_, err := x.s.cfg.Frontier.TakeBack(ctx, links)
	return err
}

// firstOf returns the links whose URLs are together no longer than so many bytes, one at least: an entry of the log has room for no more.
func firstOf(links []frontier.OutLink, room int) []frontier.OutLink {
	for i, l := range links {
		if room -= len(l.Link.URL); room < 0 {
			return links[:max(i, 1)]
		}
	}
	return links
}

// route returns whom a link goes to; false if not now.
func (x *sender) route(l frontier.OutLink) (string, bool) {
	u, err := crawl.ParseURL(l.Link.URL)
	if err != nil {
		return "", false
	}
	d := u.Domain()
	to, ok := x.s.net.Owner(d)
	if !ok {
		to = x.s.net.Self()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.s.now()
	if h, is := x.routes[d]; is && now.Before(h.until) {
		to = h.to
	}
	if st := x.owners[to]; st != nil && (st.sending || now.Before(st.notYet)) {
		return "", false
	}
	return to, true
}

func (x *sender) send(ctx context.Context, to string, all []frontier.OutLink) {
	m, links := linksMessage(all)
	answer, err := call[wire.Taken](ctx, x.s, to, wire.KindLinks, m)
	x.mu.Lock()
	st := x.of(to)
	if err != nil {
		st.notYet = x.s.now().Add(st.retry.next(err))
		x.mu.Unlock()
		if ctx.Err() == nil {
			x.s.log.Debug("Links not delivered", "to", peerName(to), "links", len(links), "error", err)
		}
		return
	}
	st.retry.reset()
	if len(links) == len(all) {
		st.last = x.s.now()
	}
	moved := make(map[crawl.Domain]bool, len(answer.Moved))
	for _, mv := range answer.Moved {
		moved[mv.Domain] = true
	}
	x.noteAll(to, links, answer.Moved)
	x.mu.Unlock()
	var keys [][]byte
	var domain crawl.Domain
	for _, l := range links {
		if d := domainOf(l.Link.URL); !moved[d] {
			keys = append(keys, l.Key)
			domain = d
		}
	}
	if len(answer.Moved) > 0 {
		x.s.net.Resync(to)
	}
	if len(keys) == 0 {
		return
	}
	note := x.s.cfg.Frontier.ProposeSoon
	if len(links) < sendFew { // more will not be there soon; told twice, links do no harm
		note = x.s.cfg.Frontier.ProposeSometime
	}
	if _, err := note(ctx, frontier.Entry{Sent: &frontier.Sent{Keys: keys}}); err != nil {
		x.s.log.Debug("Delivered links stay in the outbox, and are sent again", "error", err)
		return
	}
	x.s.tell(Event{Kind: LinksSent, Peer: to, Domain: domain, Count: len(keys)})
}

// noteAll remembers whose the domains are that a peer says are not its own. Only of
// those that it was sent links to it is asked, and only who may own one is
// believed to.
func (x *sender) noteAll(from string, links []frontier.OutLink, moved []wire.Moved) {
	asked := make(map[crawl.Domain]bool)
	for _, l := range links {
		asked[domainOf(l.Link.URL)] = true
	}
	for _, mv := range moved {
		if !asked[mv.Domain] {
			x.s.refuse(from, "word of domains it was not asked about", 5)
			return
		}
		if mv.To != "" && mv.To != from && x.s.mayOwn(mv.To, mv.Domain) {
			x.note(mv.Domain, mv.To)
		}
	}
}

// mark notes whether a message to an owner is under way.
func (x *sender) mark(to string, sending bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.of(to).sending = sending
}

// of returns what is known of an owner. x.mu is held.
func (x *sender) of(to string) *sendState {
	st := x.owners[to]
	if st == nil {
		st = new(sendState)
		x.forget()
		x.owners[to] = st
	}
	return st
}

// forget makes room for another owner.
func (x *sender) forget() {
	for other, st := range x.owners {
		if len(x.owners) < maxSendStates {
			return
		}
		if !st.sending && !x.s.now().Before(st.notYet) {
			delete(x.owners, other)
		}
	}
}

// note remembers whose a domain is.
func (x *sender) note(d crawl.Domain, to string) {
	now := x.s.now()
	for other, h := range x.routes {
		if len(x.routes) < maxRoutes && now.Before(h.until) {
			continue
		}
		delete(x.routes, other)
	}
	x.routes[d] = hint{to, now.Add(routeFor)}
}

func domainOf(url string) crawl.Domain {
	u, err := crawl.ParseURL(url)
	if err != nil {
		return ""
	}
	return u.Domain()
}

// linksMessage groups links by the domain they were found at. Within a group
// they are in the order of their URLs, which then have much in common.
// It returns those that fitted into the message too.
func linksMessage(links []frontier.OutLink) (*wire.Links, []frontier.OutLink) {
	slices.SortFunc(links, func(a, b frontier.OutLink) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Link.URL, b.Link.URL))
	})
	m := new(wire.Links)
	at, size := 0, 0
	for at < len(links) && len(m.Groups) < wire.MaxGroups {
		n := at
		for n < len(links) && links[n].From == links[at].From && size+len(links[n].Link.URL) <= sendBytes {
			size += len(links[n].Link.URL)
			n++
		}
		if n == at {
			break
		}
		m.Groups = append(m.Groups, groupOf(links[at:n]))
		at = n
	}
	return m, links[:at]
}

func groupOf(links []frontier.OutLink) wire.LinkGroup {
	g := wire.LinkGroup{From: links[0].From, Date: max(links[0].Date, 0), Depth: links[0].Link.Depth}
	list := make([]wire.Link, len(links))
	for i, l := range links {
		list[i] = wire.Link{
			URL: l.Link.URL, Depth: l.Link.Depth, Redirects: l.Link.Redirects, Priority: l.Link.Priority, Source: l.Link.Source,
			Modified: l.Link.Modified,
		}
	}
	g.Links = wire.AppendLinks(nil, g.Depth, list)
	return g
}
