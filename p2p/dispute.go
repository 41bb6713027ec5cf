package p2p

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// A network that was split for long has two sides that have declared each other out. Nobody looks for
// who is out, and the notes of one side mean nothing on the other, whose ring has other watchers. So
// every member tries now and then to reach one that is out, and members whose end a note tells, though
// they are there, hear of it: their next record undoes it.

const (
	// disputeEvery is how long a member is left alone that was told of a note about it.
	disputeEvery = 10 * time.Second
	// confirmFor is how long others may take to say that they hold a member to be out too.
	confirmFor = 20 * time.Second
	// maxDisputes bounds the members that are remembered for that.
	maxDisputes = 1024
)

// disputes are notes about members that are there.
type disputes struct {
	own   atomic.Bool // one is about this node
	notes chan warning

	mu   sync.Mutex
	told map[peer.ID]time.Time
}

// warning is a note that its victim is to hear of.
type warning struct {
	victim peer.ID
	note   []byte
}

// lately reports whether a member was told within some time.
func (d *disputes) lately(p peer.ID, within time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, is := d.told[p]
	return is && time.Since(at) < within
}

func (d *disputes) tell(p peer.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.told == nil || len(d.told) >= maxDisputes {
		d.told = make(map[peer.ID]time.Time)
	}
	d.told[p] = time.Now()
}

// seekOut compares rosters with a member that is out, if it can be reached after all.
func (e *exchange) seekOut() {
	var out []peer.ID
	for _, m := range e.members.Roster.Leaving() {
		if m.Out {
			out = append(out, m.Peer)
		}
	}
	if len(out) > 0 {
		e.soon(string(out[rand.N(len(out))]))
	}
}

// dispute hears of a note whose signers may not end a record, as this node knows the ring. If they
// are members, they may on the ring that they know: the victim is to say that it is there. The error
// is that of roster.OpenOut for a forged note; few are looked at that closely.
func (e *exchange) dispute(raw []byte) error {
	note, signers, err := roster.ReadOut(e.cfg.Network, raw)
	if err != nil {
		return err
	}
	known := 0
	for _, s := range signers {
		if _, is := e.members.Roster.Get(s); is && s != note.Victim {
			known++
		}
	}
	victim, is := e.members.Roster.Get(note.Victim)
	if known < e.members.SignersNeeded() || !is || victim.Out || victim.Seq != note.Seq ||
		victim.State == roster.StateLeft {
		return nil
	}
	every := disputeEvery
	if note.Victim == e.self {
		every = e.cfg.Times.Out / 60
	}
	if e.disputed.lately(note.Victim, every) {
		return nil
	}
	if _, _, err := roster.OpenOut(e.cfg.Network, raw); err != nil {
		return err
	}
	e.disputed.tell(note.Victim)
	if note.Victim != e.self {
		select {
		case e.disputed.notes <- warning{note.Victim, raw}:
		default: // it hears of it in another way, or later
		}
		return nil
	}
	e.disputed.own.Store(true)
	e.reissue()
	return nil
}

// warn tells a member that others declare it out.
func (e *exchange) warn(ctx context.Context, w warning) {
	within, cancel := context.WithTimeout(ctx, e.cfg.Times.Probe)
	defer cancel()
	summary, _, _ := e.members.Roster.Summary(w.victim, 0, wire.MaxSummary)
	m := e.syncMessage(w.victim, [][]byte{w.note}, summary)
	if _, err := e.requests.Call(within, string(w.victim), wire.KindSync, wire.Encode(m)); err != nil {
		e.cfg.Log.Debug("Member not told that others declare it out", "peer", w.victim.String(), "error", err)
		e.confirm(ctx, w)
	}
}

// confirm asks those who may end a record, as this node knows the ring, whether they hold its
// member to be out too. A node that came after a member has gone knows a ring with that one and
// itself; who signed had other neighbours, and may be gone as well.
func (e *exchange) confirm(ctx context.Context, w warning) {
	ctx, cancel := context.WithTimeout(ctx, confirmFor)
	defer cancel()
	note, changed := w.note, false
	signers, _ := e.members.Signers(string(w.victim))
	for _, p := range signers {
		if p == string(e.self) || e.down(peer.ID(p)) {
			continue
		}
		raw, err := e.requests.Call(ctx, p, wire.KindSign, wire.Encode(&wire.Sign{Note: note}))
		answer, derr := wire.Decode[wire.Sign](raw)
		if err != nil || derr != nil || len(answer.Note) == 0 {
			continue
		}
		if merged, err := roster.MergeOut(e.cfg.Network, note, answer.Note); err == nil {
			note = merged
		}
		if changed, err = e.members.Roster.Add("", note); changed || err == nil {
			break
		}
	}
	if changed {
		e.cfg.Log.Info("Member is out: its domains go to others", "peer", w.victim.String())
		e.members.Refresh()
	}
}
