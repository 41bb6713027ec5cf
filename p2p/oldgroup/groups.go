package oldgroup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/storage"
)

// Groups are the logs that a node holds: its own, and copies of others'.
type Groups struct {
	cfg    Config
	events events
	copies copies
	pulls  chan struct{} // holds one for each copy that is made

	opening sync.Mutex // held while a group comes or goes
	unsure  atomic.Bool

	mu     sync.Mutex
	groups map[string]*Group
	links  map[string]*link

	life    sync.Mutex
	serving context.Context // nil while Serve does not run
	work    sync.WaitGroup
}

// New returns groups without any log. Open those that the store holds, then call Serve.
func New(cfg Config) *Groups {
	cfg.setDefaults()
	s := &Groups{
		cfg:    cfg,
		events: events{ready: make(chan struct{}, 1)},
		copies: copies{open: make(map[uint64]*givenCopy)},
		pulls:  make(chan struct{}, maxPulls),
		groups: make(map[string]*Group),
		links:  make(map[string]*link),
	}
	s.unsure.Store(cfg.Unsure)
	return s
}

// Serve runs the clock, sends, and makes copies until ctx ends. Nothing of it runs
// when it returns. A log with one member works without it.
func (s *Groups) Serve(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.life.Lock()
	s.serving = ctx
	s.life.Unlock()
	defer s.rest(stop)
	for _, g := range s.All() {
		g.start()
	}
	s.spawn(s.tell) // not before: what Open and start both tell is told once
	s.kick()
	tick := time.NewTimer(s.untilTick())
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			tick.Reset(s.untilTick())
		case <-ctx.Done():
			return ctx.Err()
		}
		for _, g := range s.All() {
			g.tick()
		}
		s.kick()
	}
}

// untilTick returns how long it is to the next tick.
func (s *Groups) untilTick() time.Duration {
	if s.cfg.Align == nil {
		return s.cfg.Tick
	}
	return s.cfg.Align(s.cfg.Tick)
}

// rest ends what Serve has begun.
func (s *Groups) rest(stop context.CancelFunc) {
	s.life.Lock()
	s.serving = nil
	s.life.Unlock()
	stop()
	s.work.Wait()
	for _, l := range s.allLinks() {
		l.stop()
	}
	for _, g := range s.All() {
		g.mu.Lock()
		g.payNow()
		g.finishDeferred()
		g.mu.Unlock()
	}
}

func (s *Groups) isServing() bool {
	s.life.Lock()
	defer s.life.Unlock()
	return s.serving != nil
}

// spawn runs fn in a goroutine that Serve waits for. It reports false if Serve does not
// run.
func (s *Groups) spawn(fn func(ctx context.Context)) bool {
	s.life.Lock()
	defer s.life.Unlock()
	ctx := s.serving
	if ctx == nil {
		return false
	}
	s.work.Go(func() { fn(ctx) })
	return true
}

// Stored is a log that a store holds.
type Stored struct {
	Log, Bucket string
	// As is the peer as which this node is a member, "" if that is not known yet. Sole says that it is the only one that votes.
	As   string
	Sole bool
}

// List returns the logs that a store holds, in order of buckets. Records that cannot be
// read are an error.
func List(db *storage.DB) (logs []Stored, err error) {
	err = db.View(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketLogs)
		if b == nil {
			return nil
		}
		return b.ForEachBucket(func(name []byte) error {
			st, err := readState(tx, string(name))
			if errors.Is(err, ErrUnknown) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("log in bucket %s: %w", show(string(name)), err)
			}
			s := Stored{Log: st.log, Bucket: string(bytes.Clone(name)), Sole: st.soleVoter()}
			if m := st.member(st.id); m != nil {
				s.As = m.peer
			}
			logs = append(logs, s)
			return nil
		})
	})
	return logs, err
}

// Create begins a log of which this node is the only member. Its bucket in
// storage.BucketLogs is made if it is not there; what it holds becomes the first state.
// The errors are ErrExists, and those of the store.
func (s *Groups) Create(log, bucket string, m Machine) (*Group, error) {
	return s.CreateWith(log, bucket, m, Epoch{}, nil)
}

// CreateWith is Create in an epoch, with what the log begins with: first, if not nil, brings it into the machine's state, in the same transaction.
// Where there may have been a log of that name, the epoch must be one that nobody has had: else who kept that takes this one for it.
func (s *Groups) CreateWith(log, bucket string, m Machine, e Epoch, first func(tx *storage.Tx) error) (*Group, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if err := s.free(log, bucket); err != nil {
		return nil, fmt.Errorf("create log %s: %w", show(log), err)
	}
	// Entries count from 2, so that nobody can have the state by its entries alone.
	begin := &state{
		log: log, id: 1, epoch: e, term: 1, commit: 1, applied: 1, appliedTerm: 1, cut: 1, cutTerm: 1,
		members: []member{{id: 1, peer: s.cfg.Self, voter: true}}, next: 2,
	}
	err := s.cfg.DB.Update(func(tx *storage.Tx) error {
		if bucketOf(tx, bucket) != nil {
			return ErrExists
		}
		if err := createState(tx, bucket, begin); err != nil || first == nil {
			return err
		}
		return first(tx)
	})
	if err != nil {
		return nil, fmt.Errorf("create log %s: %w", show(log), err)
	}
	return s.open(log, bucket, m)
}

// Open takes up a log that the store holds. The errors are ErrUnknown, ErrExists, and
// those of the store.
func (s *Groups) Open(log, bucket string, m Machine) (*Group, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if err := s.free(log, bucket); err != nil {
		return nil, fmt.Errorf("open log %s: %w", show(log), err)
	}
	return s.open(log, bucket, m)
}

// free reports whether names are right and not taken.
func (s *Groups) free(log, bucket string) error {
	for _, name := range []string{log, bucket} {
		if name == "" || len(name) > MaxName {
			return fmt.Errorf("name of %d bytes", len(name))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.groups {
		if g.log == log || g.bucket == bucket {
			return ErrExists
		}
	}
	return nil
}

func (s *Groups) open(log, bucket string, m Machine) (*Group, error) {
	g := newGroup(s, log, bucket, m)
	if err := g.load(ErrLost); err != nil {
		return nil, fmt.Errorf("open log %s: %w", show(log), err)
	}
	if g.st.state.log != log {
		return nil, fmt.Errorf("open log %s: %w: bucket %s is of log %s", show(log), ErrUnknown, show(bucket), show(g.st.state.log))
	}
	s.mu.Lock()
	s.groups[log] = g
	s.mu.Unlock()
	g.start()
	return g, nil
}

// start makes the group known to the others, or lead if it is the only voter.
func (g *Group) start() {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch st := &g.st.state; {
	case g.closed:
	case st.removed:
		g.s.events.dropped(g)
	case g.unsure():
	case g.rn == nil:
	case st.soleVoter() && !st.copying:
		g.standAlone() // tried again by the clock and by proposals
	default:
		g.wake()
		g.hello()
		if st.vote == st.id {
			g.standSoon(1) // it led, likely, and nobody has missed it yet
		}
	}
	g.show()
}

// Get returns the group of a log, nil if this node does not hold it.
func (s *Groups) Get(log string) *Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups[log]
}

// All returns all groups, in order of their logs' names.
func (s *Groups) All() []*Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Group, 0, len(s.groups))
	for _, g := range s.groups {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *Group) int { return cmp.Compare(a.log, b.log) })
	return all
}

// Deliver takes a packet that a peer has sent by its Config.Call, and returns what that
// is to return there. It keeps nothing of the packet. The error is for packets that are
// not understood.
func (s *Groups) Deliver(ctx context.Context, from string, packet []byte) (answer []byte, err error) {
	parts, err := decodePacket(packet, s.fromRequest)
	if err != nil {
		return nil, fmt.Errorf("packet of %s: %w", show(from), err)
	}
	var out outbox
	for _, p := range parts {
		if ctx.Err() != nil {
			break
		}
		s.receive(from, p, &out)
	}
	if len(out.parts) == 0 {
		return nil, nil
	}
	return encodeAnswer(out.parts, parts), nil
}

// answered takes what a peer has answered to a packet with some parts.
func (s *Groups) answered(from string, asked []*part, answer []byte) error {
	if len(answer) == 0 {
		return nil
	}
	parts, err := decodePacket(answer, fromAnswer(asked))
	if err != nil {
		return err
	}
	for _, p := range parts {
		s.receive(from, p, nil)
	}
	return nil
}

// unreachable is told of parts that did not reach a peer.
func (s *Groups) unreachable(peer string, parts []*part) {
	for _, p := range parts {
		if g := s.Get(p.log); g != nil {
			g.lostTouch(p)
		}
	}
}

// link returns the link to a peer.
func (s *Groups) link(peer string) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.links[peer]
	if l == nil {
		l = &link{s: s, peer: peer, full: smallPacket}
		s.links[peer] = l
	}
	return l
}

func (s *Groups) allLinks() []*link {
	s.mu.Lock()
	defer s.mu.Unlock()
	links := make([]*link, 0, len(s.links))
	for _, l := range s.links {
		links = append(links, l)
	}
	return links
}

// kick sends what waits.
func (s *Groups) kick() {
	for _, l := range s.allLinks() {
		l.kick()
	}
}
