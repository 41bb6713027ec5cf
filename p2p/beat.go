package p2p

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/members"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/requests"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// leisure is how many times as seldom those are asked for a sign of life that this node shares no
// group with.
const leisure = 4

// patience is for how many signs of life a member must have been down to be asked leisure times as seldom:
// every question is a dial that nobody answers, and who is back asks by itself.
const patience = 15

// beats watches the members that this node shares a group with, and those that it may have to
// declare out.
type beats struct {
	cfg      Config
	self     peer.ID
	members  *members.Members
	requests *requests.Requests
	// resync compares rosters with a member that seems to know others, publish spreads a note.
	resync  func(p string)
	publish func(ctx context.Context, item []byte) error
	probes  sync.WaitGroup

	mu    sync.Mutex
	state map[peer.ID]*beat
	notes map[peer.ID]time.Time // victims of notes that were tried, and when
}

// beat is what is known of one member's life.
type beat struct {
	heard  time.Time
	missed int
	down   time.Time // since when; zero if it is not
	asking bool
	asked  time.Time
	spoke  bool // since it is watched
}

func newBeats(cfg Config, m *members.Members, r *requests.Requests) *beats {
	return &beats{cfg: cfg, self: cfg.Host.ID(), members: m, requests: r,
		state: make(map[peer.ID]*beat), notes: make(map[peer.ID]time.Time)}
}

// serve sends signs of life until ctx is done.
func (b *beats) serve(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	defer b.probes.Wait()
	var asks sync.WaitGroup
	defer asks.Wait()
	for {
		timer.Reset(pulse.Until(b.cfg.Times.Beat))
		for _, p := range b.partners() {
			asks.Go(func() { b.ask(ctx, p) })
		}
		b.declare(ctx, &asks)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}

// partners returns whom to ask now, and forgets who is no partner any more.
func (b *beats) partners() (list []peer.ID) {
	near, distant := b.members.Partners()
	partners := slices.Concat(near, distant)
	rests := make(map[peer.ID]bool)
	for _, p := range partners {
		rests[p] = b.members.Rests(string(p))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.state, func(p peer.ID, _ *beat) bool { return !slices.Contains(partners, p) })
	for i, p := range partners {
		every := b.cfg.Times.Beat
		if i >= len(near) {
			every *= leisure
		}
		s := b.state[p]
		if s == nil {
			s = &beat{heard: time.Now()}
			b.state[p] = s
		}
		if rests[p] { // it is not asked, and starts again when it is back
			s.heard, s.missed, s.down = time.Now(), 0, time.Time{}
			continue
		}
		if b.requests.Silent() {
			continue
		}
		// One question serves both: who was asked lately need not ask.
		if !s.asking && time.Since(s.heard) >= every-b.cfg.Times.Beat/4 && !b.canWait(s) {
			s.asking, s.asked = true, time.Now()
			list = append(list, p)
		}
	}
	return list
}

// canWait reports whether a member has been down for so long that it need not be asked now. b.mu is held.
func (b *beats) canWait(s *beat) bool {
	beat := b.cfg.Times.Beat
	return !s.down.IsZero() && time.Since(s.down) >= patience*beat && time.Since(s.asked) < leisure*beat-beat/4
}

// ask asks a member for a sign of life.
func (b *beats) ask(ctx context.Context, p peer.ID) {
	within, cancel := context.WithTimeout(ctx, b.cfg.Times.Beat)
	digest := b.members.Digest()
	watch := b.requests.Watch(p)
	raw, err := b.requests.Call(within, string(p), wire.KindPing,
		wire.Encode(&wire.Ping{Digest: digest[:], Place: b.requests.Place()}))
	cancel()
	if err == nil {
		if answer, err := wire.Decode[wire.Ping](raw); err == nil {
			watch.Stop(answer.Place)
			b.alive(p, answer)
		}
	}
	b.mu.Lock()
	s := b.state[p]
	if s == nil {
		b.mu.Unlock()
		return
	}
	s.asking = false
	suspect := false
	if err != nil && ctx.Err() == nil && !b.requests.Silent() {
		s.missed++
		suspect = s.missed >= b.cfg.Times.Misses && s.down.IsZero()
	}
	b.mu.Unlock()
	if suspect && !b.probe(ctx, p) && ctx.Err() == nil && !b.requests.Silent() {
		b.isDown(p)
	}
}

// alive notes a sign of life.
func (b *beats) alive(p peer.ID, m wire.Ping) {
	b.mu.Lock()
	back := false
	if s := b.state[p]; s != nil {
		back = !s.down.IsZero()
		s.heard, s.missed, s.down, s.spoke = time.Now(), 0, time.Time{}, true
	}
	b.mu.Unlock()
	if back {
		b.cfg.Log.Info("Member is back", "peer", p.String())
	}
	if digest := b.members.Digest(); !bytes.Equal(m.Digest, digest[:]) {
		b.resync(string(p))
	}
}

// probe asks others whether they can reach a member.
func (b *beats) probe(ctx context.Context, p peer.ID) bool {
	ctx, cancel := context.WithTimeout(ctx, b.cfg.Times.Probe)
	defer cancel()
	alive := make(chan bool, 2)
	asked := 0
	for _, other := range b.members.Neighbours(members.MaxNear) {
		if asked == 2 {
			break
		}
		if peer.ID(other) == p || b.Down(peer.ID(other)) {
			continue
		}
		asked++
		b.probes.Go(func() {
			raw, err := b.requests.Call(ctx, other, wire.KindProbe, wire.Encode(&wire.Probe{Peer: string(p)}))
			answer, derr := wire.Decode[wire.Probed](raw)
			alive <- err == nil && derr == nil && answer.Alive
		})
	}
	for range asked {
		if <-alive {
			return true
		}
	}
	return false
}

func (b *beats) isDown(p peer.ID) {
	b.mu.Lock()
	s := b.state[p]
	first := s != nil && s.down.IsZero()
	if first {
		s.down = time.Now()
	}
	b.mu.Unlock()
	if first {
		b.cfg.Log.Info("Member does not answer", "peer", p.String())
		if b.cfg.Finder != nil {
			b.cfg.Finder.PeerGone(p)
		}
	}
}

// Down reports whether a member that this node watches does not answer, or any says
// that it rests.
func (b *beats) Down(p peer.ID) bool {
	return b.members.Rests(string(p)) || b.silent(p)
}

// silent reports whether a member that this node watches does not answer.
func (b *beats) silent(p peer.ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.state[p]
	return s != nil && !s.down.IsZero()
}

// forget begins again with all members: nothing was heard from any while this node was
// silent.
func (b *beats) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.state {
		s.heard, s.missed, s.down = time.Now(), 0, time.Time{}
	}
}

// downFor returns for how long a member does not answer, and whether it ever did since it is watched.
func (b *beats) downFor(p peer.ID) (down time.Duration, heard bool) {
	if d := b.members.RestedFor(p); d > 0 {
		return d, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.state[p]; s != nil && !s.down.IsZero() {
		return time.Since(s.down), s.spoke
	}
	return 0, true
}

func (b *beats) handlePing(_ context.Context, from peer.ID, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Ping](body)
	if err != nil {
		return nil, &calls.Lie{What: "ping", Weight: 20}
	}
	b.alive(from, m)
	digest := b.members.Digest()
	return wire.Encode(&wire.Ping{Digest: digest[:], Place: b.requests.Place()}), nil
}

// handleProbe finds out for another member whether a third can be reached.
func (b *beats) handleProbe(ctx context.Context, from peer.ID, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Probe](body)
	if err != nil {
		return nil, &calls.Lie{What: "probe", Weight: 20}
	}
	if member, ok := b.members.Roster.Get(peer.ID(m.Peer)); !ok || member.State == roster.StateLeft ||
		member.State == roster.StateResting || !b.members.IsMember(string(from)) {
		return wire.Encode(&wire.Probed{}), nil // nobody is dialled on a stranger's word, nor a stranger
	}
	ctx, cancel := context.WithTimeout(ctx, b.cfg.Times.Probe*3/4)
	defer cancel()
	digest := b.members.Digest()
	_, err = b.requests.Call(ctx, m.Peer, wire.KindPing, wire.Encode(&wire.Ping{Digest: digest[:]}))
	return wire.Encode(&wire.Probed{Alive: err == nil}), nil
}
