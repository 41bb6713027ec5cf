package swarm

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// askedFirst is how many members are asked before a domain is begun.
	askedFirst = 3
	// askedToo is how many are asked as long as somebody has domains that are to move here, and
	// for the time of wideFor leases after the members changed, or another one came to lead this log:
	// who has a domain may be far down the line for it. All that are asked must have said that they have it not, or
	// nothing for long enough.
	askedToo = 64
	wideFor  = 4
	// inquireEvery is the wait between two rounds of questions.
	inquireEvery = 500 * time.Millisecond
	// inquireIdle is how often it is looked whether there are domains to ask about.
	inquireIdle = 6 * time.Second
	// unansweredFor is how long a member that is there and does not answer is asked. Then the
	// domain is begun without its word. One whose log nobody leads is waited for longer
	// (Config.Leaderless).
	unansweredFor = 15 * time.Second
	// claimFor is for how many leases' time a member is believed that it has domains
	// of which it hands none over. No lease it granted before lives that long.
	claimFor = 10
	// askWithin is how long one question may take.
	askWithin = 3 * time.Second
	// maxUnasked bounds the domains of a round.
	maxUnasked = 4 * wire.MaxHave
)

// inquirer asks former owners for domains that this node heard of first, so
// that no site is begun by two.
type inquirer struct {
	s    *Swarm
	wake chan struct{}

	silent map[string]time.Time // members that do not answer, and since when
	moving bool                 // when last asked, a member had domains that are to move here
	owners [16]byte             // as they were last seen
	since  time.Time            // when that began

	mu     sync.Mutex
	claims map[string]time.Time // members that say they have domains, and since when none came
}

func newInquirer(s *Swarm) *inquirer {
	return &inquirer{s: s, wake: make(chan struct{}, 1), silent: make(map[string]time.Time), claims: make(map[string]time.Time)}
}

// Serve asks until ctx is done.
func (q *inquirer) Serve(ctx context.Context) error {
	wait := inquireIdle
	for {
		timer := time.NewTimer(pulse.Within(wait))
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-q.wake:
		case <-timer.C:
		}
		timer.Stop()
		wait = inquireIdle
		if !q.s.open.Load() || !q.s.leads() {
			continue
		}
		left, err := q.round(ctx)
		if err != nil && ctx.Err() == nil {
			q.s.log.Warn("Domains not begun; others will be asked about them again", "error", err)
		}
		if left || q.s.cfg.Hurry {
			wait = inquireEvery
		}
	}
}

// question is what one member is asked.
type question struct {
	peer    string
	domains []crawl.Domain
	answers []bool // it has that domain
	ok      bool
	unsent  bool // it was not asked: this node asks it much
	gone    bool // it is out, and nobody keeps its log
	away    bool // it is down, or nobody leads its log
}

// round asks about a number of domains at once. left says that some are not
// settled.
func (q *inquirer) round(ctx context.Context) (left bool, err error) {
	domains, err := q.s.cfg.Frontier.Unasked("", maxUnasked)
	if err != nil || len(domains) == 0 {
		return false, err
	}
	digest, wide := q.s.net.Digest(), q.wide()
	byPeer := make(map[string]*question)
	heirs, needed := make(map[crawl.Domain][]string, len(domains)), make(map[crawl.Domain]int, len(domains))
	var ours []crawl.Domain
	for _, d := range domains {
		if !q.s.Owns(d) {
			continue // it is about to move
		}
		ours = append(ours, d)
		heirs[d] = q.s.net.Heirs(d, askedFirst)
		ask := heirs[d]
		if wide {
			ask = q.s.net.Heirs(d, askedToo)
		}
		needed[d] = len(ask)
		for _, p := range ask {
			x := byPeer[p]
			if x == nil {
				x = &question{peer: p}
				byPeer[p] = x
			}
			if len(x.domains) < wire.MaxHave {
				x.domains = append(x.domains, d)
			}
		}
	}
	if q.s.net.Digest() != digest { // some were looked up among other members
		return true, nil
	}
	var asks sync.WaitGroup
	for _, x := range byPeer {
		asks.Go(func() { q.ask(ctx, x, digest) })
	}
	asks.Wait()
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	free, doubtful := q.free(ours, heirs, needed, byPeer, wide)
	var entries []frontier.Entry
	if len(free) > 0 {
		entries = append(entries, frontier.Entry{Confirm: &frontier.Confirm{Domains: free}})
	}
	if len(doubtful) > 0 {
		entries = append(entries, frontier.Entry{Confirm: &frontier.Confirm{Domains: doubtful, Careful: true}})
	}
	if len(entries) > 0 {
		if _, err := q.s.cfg.Frontier.Propose(ctx, entries...); err != nil {
			return true, err
		}
	}
	return len(free)+len(doubtful) < len(domains), nil
}

// wide reports whether those far down the line are to be asked too.
func (q *inquirer) wide() bool {
	now := q.s.now()
	if owners := q.s.net.Owners(); owners != q.owners || q.since.IsZero() {
		q.owners, q.since = owners, now
	}
	return q.moving || now.Sub(q.since) < wideFor*q.s.cfg.LeaseFor
}

// free returns the domains that nobody asked has, doubtful being those that somebody may have who
// could not be asked.
func (q *inquirer) free(ours []crawl.Domain, heirs map[crawl.Domain][]string, needed map[crawl.Domain]int, byPeer map[string]*question, wide bool) (free, doubtful []crawl.Domain) {
	now := q.s.now()
	for p, x := range byPeer {
		if x.ok || x.unsent {
			delete(q.silent, p)
		} else if _, is := q.silent[p]; !is {
			q.silent[p] = now
		}
	}
	for p := range q.silent {
		if byPeer[p] == nil {
			delete(q.silent, p)
		}
	}
	taken := make(map[crawl.Domain]bool)
	asked, unheard := make(map[crawl.Domain]int), make(map[crawl.Domain]bool)
	q.moving = false
	for p, x := range byPeer {
		q.weigh(p, x, now)
		q.moving = q.moving || x.ok && slices.Contains(x.answers, true)
		since, silent := q.silent[p]
		for i, d := range x.domains {
			if x.ok && x.answers[i] {
				taken[d] = true
			}
			if x.ok || silent && now.Sub(since) > q.patience(x) {
				asked[d]++
			}
			if slices.Contains(heirs[d], p) && (!x.ok || x.gone) {
				unheard[d] = true
			}
		}
	}
	if q.moving && !wide {
		return nil, nil // the others are to be asked too
	}
	for _, d := range ours {
		switch {
		case taken[d] || asked[d] != needed[d] || !q.s.Owns(d): // it may have got another owner meanwhile
		case unheard[d]:
			doubtful = append(doubtful, d)
		default:
			free = append(free, d)
		}
	}
	return free, doubtful
}

// patience is how long a member is asked in vain.
func (q *inquirer) patience(x *question) time.Duration {
	if x.away {
		return q.s.leaderless()
	}
	return unansweredFor
}

// weigh takes a member's claims out of its answer when it has said for long that
// it has domains and handed none over: else its word alone would keep them from
// being begun.
func (q *inquirer) weigh(p string, x *question, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch since, is := q.claims[p]; {
	case !x.ok:
	case !slices.Contains(x.answers, true):
		delete(q.claims, p)
	case !is, q.s.slow(): // on standby nothing may have been taken yet
		q.claims[p] = now
	case now.Sub(since) > claimFor*q.s.cfg.LeaseFor:
		clear(x.answers)
		q.s.refuse(p, "claim to domains it does not have", 5)
	}
	for other := range q.claims {
		if len(q.claims) > maxClaims {
			delete(q.claims, other)
		}
	}
}

// maxClaims bounds the members whose claims are remembered.
const maxClaims = 1024

// came notes that a member has handed domains over.
func (q *inquirer) came(p string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, is := q.claims[p]; is {
		q.claims[p] = q.s.now()
	}
}

// ask asks one member. Its answer counts only if it knows the same members.
func (q *inquirer) ask(ctx context.Context, x *question, digest [16]byte) {
	ctx, cancel := context.WithTimeout(ctx, askWithin) // the others do not wait for one that is gone
	defer cancel()
	answer, err := call[wire.Had](ctx, q.s, x.peer, wire.KindHave, &wire.Have{Roster: digest[:], Domains: x.domains})
	if errors.Is(err, errNoLog) && !q.s.net.Holds(x.peer) {
		x.answers, x.ok, x.gone = make([]bool, len(x.domains)), true, true
		return
	}
	if err != nil {
		if later, is := errors.AsType[*calls.Busy](err); is {
			x.unsent = later.Unsent
		}
		x.away = errors.Is(err, errNoLeader) || q.s.net.Down(x.peer)
		return
	}
	if !bytes.Equal(answer.Roster, digest[:]) {
		q.s.net.Resync(x.peer)
		return
	}
	x.answers = make([]bool, len(x.domains))
	for _, i := range answer.Here {
		if int(i) < len(x.answers) {
			x.answers[i] = true
		}
	}
	x.ok = true
}

// handleHave tells which of some domains are here, and sets about handing them
// over if they are the asker's. An answer with the asker's roster says of each domain whether it is
// here, so where that cannot be said there is none.
func (s *Swarm) handleHave(_ context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Have](body)
	if err != nil {
		return nil, lie("question", 20)
	}
	digest := s.net.Digest()
	had := wire.Had{Roster: digest[:]}
	if !bytes.Equal(m.Roster, digest[:]) {
		s.net.Resync(from)
		return wire.Encode(&had), nil
	}
	s.cfg.Frontier.Await() // a commit may have begun before the asker was known
	for i, d := range m.Domains {
		if owner, ok := s.net.Owner(d); ok && owner != from { // the members are the same, so it knows
			if s.net.Digest() != digest { // or were, a moment ago
				return nil, busy(inquireEvery)
			}
			s.refuse(from, "question about domains of others", 2)
			return nil, &calls.Refused{Text: "question about domains of others"}
		}
		p, err := s.cfg.Frontier.Where(d)
		if err != nil {
			return nil, err
		}
		switch p.State {
		case frontier.StateOpen, frontier.StateUnasked, frontier.StateClosing, frontier.StateArriving:
			had.Here = append(had.Here, uint16(i))
		}
	}
	if len(had.Here) > 0 {
		s.mover.look()
	}
	return wire.Encode(&had), nil
}
