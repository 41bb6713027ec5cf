package swarm

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// Base is what a Hub needs of the network, beside what every seat needs.
type Base interface {
	Net
	// HeirsBut is Heirs for another member than this node: the next n in line for
	// a domain but that one.
	HeirsBut(but string, d crawl.Domain, n int) []string
	// InLineBut is InLine for another member than this node.
	InLineBut(but, peer string, d crawl.Domain, n int) bool
	// Near returns the n members nearest to one, which keep its log with it.
	Near(member string, n int) []string
}

const (
	// speakers is how many of the members nearest to an owner may act for it: the
	// partners of its group, and those that are to be when members come and go.
	speakers = 6
	// leaderFor is how long it is remembered who leads a log of another owner.
	leaderFor = time.Minute
	// maxLeaders bounds the logs that this is remembered of.
	maxLeaders = 8192
	// trustWait is when a member should ask again of which it is yet to be found out whether it may speak for an owner.
	trustWait = 2 * time.Second
)

// Hub brings what is for a log to the member that leads it, and what comes for
// logs that this node leads to those who keep them. A log is named by its owner; while
// that one is down, a partner of its group leads its log and speaks in its name.
type Hub struct {
	net Base

	mu      sync.Mutex
	seats   map[string]*seat
	leaders map[string]hint
	actors  map[string]string // who spoke last for an owner
	claims  claims
	leader  func(log string) (peer string, kept bool)
	trusts  func(log, peer string) (ok, sure bool)
}

// NewHub answers the requests of peers from now on. leader returns who leads a log as
// this node's own copy of it knows, "" if it does not; kept is false if there is no copy. trusts reports
// whether a member may speak for the owner of a log to whom it is not near; sure is false if that is yet to be found out.
// It may be nil: then none may.
func NewHub(net Base, leader func(log string) (peer string, kept bool), trusts func(log, peer string) (ok, sure bool)) *Hub {
	if trusts == nil {
		trusts = func(string, string) (bool, bool) { return false, true }
	}
	h := &Hub{
		net: net, leader: leader, trusts: trusts, seats: make(map[string]*seat), leaders: make(map[string]hint), actors: make(map[string]string),
	}
	for _, kind := range []wire.Kind{
		wire.KindAsk, wire.KindOffer, wire.KindRecall, wire.KindReport, wire.KindLinks, wire.KindHave, wire.KindMove,
		wire.KindSlot, wire.KindTakeSlot, wire.KindUnslot, wire.KindHeldSlots, wire.KindTellSlots, wire.KindWanted,
	} {
		net.Handle(kind, func(ctx context.Context, from string, body []byte) ([]byte, error) {
			return h.handle(ctx, from, kind, body)
		})
	}
	return h
}

// Serve tells all seats of changes until ctx is done.
func (h *Hub) Serve(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-h.net.Changed():
		}
		h.mu.Lock()
		clear(h.leaders)
		for _, s := range h.seats {
			signal(s.changed)
		}
		h.mu.Unlock()
	}
}

// seat is the network as the member sees it that leads a log: it speaks as the
// log's owner.
type seat struct {
	Base
	hub      *Hub
	log      string
	changed  chan struct{}
	handlers map[wire.Kind]Handler
	leads    func() bool
}

// Seat returns the network for who keeps a log; leads reports whether this node
// leads it now. Close must be called in the end, but for the node's own.
func (h *Hub) Seat(log string, leads func() bool) Net {
	s := &seat{Base: h.net, hub: h, log: log, changed: make(chan struct{}, 1), handlers: make(map[wire.Kind]Handler), leads: leads}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seats[log] = s
	return s
}

// Close ends a seat.
func (h *Hub) Close(log string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.seats, log)
}

func (s *seat) Self() string { return s.log }

// FormerName names a log that has been carried on elsewhere, as a source of moves.
func FormerName(log string) string { return former + log }

// former begins the name of such a log. No peer's ID begins so: it is a multihash, and begins with the code of its
// function, 0 or 0x12. What it ends with is anything.
const former = "~"

// ownerOf returns whose log a name stands for, or who the finder of one is.
func ownerOf(name string) string {
	if owner, is := strings.CutPrefix(name, former); is {
		return owner
	}
	return strings.TrimPrefix(name, finder)
}

func (s *seat) InLine(p string, d crawl.Domain, n int) bool {
	owner, ok := s.Owner(d)
	return ok && owner == ownerOf(p) || s.InLineBut(s.log, ownerOf(p), d, n)
}
func (s *seat) WasOut(p string) bool                 { return s.Base.WasOut(ownerOf(p)) }
func (s *seat) Member(p string) bool                 { return s.Base.Member(ownerOf(p)) }
func (s *seat) Holds(p string) bool                  { return s.Base.Holds(ownerOf(p)) }
func (s *seat) Left(p string) bool                   { return s.Base.Left(ownerOf(p)) }
func (s *seat) Down(p string) bool                   { return s.Base.Down(ownerOf(p)) }
func (s *seat) Changed() <-chan struct{}             { return s.changed }
func (s *seat) Heirs(d crawl.Domain, n int) []string { return s.HeirsBut(s.log, d, n) }
func (s *seat) Offend(peer, what string, weight int) { s.Base.Offend(s.hub.actor(peer), what, weight) }
func (s *seat) Resync(peer string)                   { s.Base.Resync(s.hub.actor(peer)) }
func (s *seat) Handle(kind wire.Kind, handler Handler) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.handlers[kind] = handler
}

func (s *seat) Call(ctx context.Context, to string, kind wire.Kind, body []byte) ([]byte, error) {
	return s.hub.call(ctx, s.log, to, kind, body)
}

// isForFetcher reports whether requests of a kind are for a node, not for a log.
func isForFetcher(kind wire.Kind) bool { return kind == wire.KindOffer || kind == wire.KindRecall }

// handler returns who answers requests of a kind about a log, nil if this node
// does not lead it.
func (h *Hub) handler(log string, kind wire.Kind) Handler {
	h.mu.Lock()
	s := h.seats[log]
	h.mu.Unlock()
	if s == nil || !isForFetcher(kind) && !s.leads() {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.handlers[kind]
}

// handle answers a request of a peer.
func (h *Hub) handle(ctx context.Context, from string, kind wire.Kind, raw []byte) ([]byte, error) {
	e, body, err := openEnvelope(raw)
	if err != nil {
		return nil, lie(err.Error(), 20)
	}
	speaker, err := h.speaker(from, e.as, kind)
	if err != nil {
		return nil, err
	}
	log := e.to
	if log == "" || isForFetcher(kind) {
		log = h.net.Self()
	}
	answer := h.handler(log, kind)
	if answer == nil {
		leader, isKept := h.leaderHere(log)
		if leader == "" && isKept {
			return kept(), nil
		}
		return elsewhere(leader), nil
	}
	body, err = answer(ctx, speaker, body)
	if err != nil {
		return nil, err
	}
	return here(body), nil
}

// speaker returns in whose name a request of a member counts that it makes in the name of a log, or of itself if that is "".
func (h *Hub) speaker(from, as string, kind wire.Kind) (string, error) {
	if as == "" || as == from {
		return from, nil
	}
	if isFinder(as) {
		return "", lie("name", 20)
	}
	owner := ownerOf(as)
	ok, sure := false, true
	if h.net.Member(owner) {
		if ok = owner == from || slices.Contains(h.net.Near(owner, speakers), from); !ok {
			ok, sure = h.trusts(owner, from)
		}
	}
	switch {
	case ok:
		h.acts(as, from)
		return as, nil
	case !sure:
		return "", busy(trustWait)
	case kind == wire.KindLinks && h.isFound(from, as):
		return from, nil // any member may
	case kind == wire.KindMove && h.isFound(from, as):
		return finder + from, nil
	}
	h.net.Resync(from) // it may know other members
	return "", &calls.Refused{Text: "you do not act for that member"}
}

// leaderHere returns which other node leads a log, as far as this node knows, and whether it keeps a copy.
func (h *Hub) leaderHere(log string) (leader string, kept bool) {
	leader, kept = h.leader(log)
	if leader == h.net.Self() {
		leader = "" // it is only about to
	}
	return leader, kept
}

// acts notes who speaks for an owner.
func (h *Hub) acts(owner, by string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.actors) >= maxLeaders {
		clear(h.actors)
	}
	h.actors[owner] = by
}

// actor returns the peer behind a name that a request came in.
func (h *Hub) actor(name string) string {
	owner := ownerOf(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	if by, is := h.actors[name]; is && (owner != name || h.net.Down(name)) {
		return by
	}
	return owner
}

// call brings a request to who leads a log, or, if it is for a fetcher, to that
// node, in the name of the log as.
func (h *Hub) call(ctx context.Context, as, to string, kind wire.Kind, body []byte) ([]byte, error) {
	e := envelope{as: as}
	if as == h.net.Self() {
		e.as = ""
	}
	if isForFetcher(kind) {
		if to == h.net.Self() {
			return h.local(ctx, as, to, kind, body)
		}
		raw, err := h.net.Call(ctx, to, kind, e.seal(body))
		if err != nil {
			return nil, err
		}
		r, err := openReply(raw)
		return r.answer, err
	}
	if h.handler(to, kind) != nil {
		return h.local(ctx, as, to, kind, body)
	}
	return h.follow(ctx, e, to, kind, body)
}

func (h *Hub) local(ctx context.Context, as, to string, kind wire.Kind, body []byte) ([]byte, error) {
	handler := h.handler(to, kind)
	if handler == nil {
		return nil, calls.ErrUnreachable
	}
	return handler(ctx, as, body)
}

// known returns who leads a log as it was last seen, or its owner.
func (h *Hub) known(log string) string {
	if p, _ := h.leaderHere(log); p != "" && !h.net.Down(p) {
		return p
	}
	h.mu.Lock()
	x, is := h.leaders[log]
	h.mu.Unlock()
	if is && time.Now().Before(x.until) && !h.net.Down(x.to) {
		return x.to
	}
	return ""
}

// candidate returns the next member to ask for a log: its owner, and then those
// nearest to it.
func (h *Hub) candidate(log string, tried map[string]bool) string {
	list := append([]string{log}, h.net.Near(log, speakers)...)
	for _, p := range list {
		if !tried[p] && !h.net.Down(p) {
			return p
		}
	}
	return ""
}

func (h *Hub) note(log, leader string) {
	if leader == log {
		return // as everybody would think
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.leaders) >= maxLeaders {
		clear(h.leaders)
	}
	h.leaders[log] = hint{to: leader, until: time.Now().Add(leaderFor)}
}

func (h *Hub) forget(log, leader string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaders[log].to == leader {
		delete(h.leaders, log)
	}
}
