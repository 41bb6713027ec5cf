package p2p

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// noteEvery is how often a note about the same member is tried.
const noteEvery = 10 * time.Second

// declare issues notes for members that have been down for long, or have rested for
// as long.
func (b *beats) declare(ctx context.Context, running *sync.WaitGroup) {
	if b.requests.Silent() {
		return
	}
	rested := make(map[peer.ID]bool)
	near, distant := b.members.Partners()
	for _, p := range slices.Concat(near, distant) {
		rested[p] = b.members.RestedFor(p) >= b.cfg.Times.Out
	}
	b.mu.Lock()
	var victims []peer.ID
	for p, s := range b.state {
		gone := rested[p] || !s.down.IsZero() && time.Since(s.down) >= b.outAfter(s.spoke)
		if gone && time.Since(b.notes[p]) >= noteEvery {
			b.notes[p] = time.Now()
			victims = append(victims, p)
		}
	}
	maps.DeleteFunc(b.notes, func(p peer.ID, _ time.Time) bool { return b.state[p] == nil })
	b.mu.Unlock()
	for _, p := range victims {
		if m, ok := b.members.Roster.Get(p); ok && !m.Out &&
			(m.State == roster.StateActive || m.State == roster.StateResting) {
			running.Go(func() { b.declareOut(ctx, m.Record) })
		}
	}
}

// outAfter returns how long a member must be down to be declared out.
func (b *beats) outAfter(heard bool) time.Duration {
	if heard {
		return b.cfg.Times.Out
	}
	return b.cfg.Times.Unheard
}

// declareOut has a member declared out by those that watch it.
func (b *beats) declareOut(ctx context.Context, victim roster.Record) {
	signers, need := b.members.Signers(string(victim.Peer))
	if len(signers) == 0 || !slices.Contains(signers, string(b.self)) {
		return
	}
	note, err := roster.SealOut(b.cfg.Network, b.cfg.Key,
		roster.Out{Victim: victim.Peer, Seq: victim.Seq, Issued: b.cfg.Now().Unix()})
	if err != nil {
		b.cfg.Log.Warn("Member not declared out", "error", err)
		return
	}
	var copies [][]byte
	for _, p := range signers {
		if len(copies)+1 >= need {
			break
		}
		if p == string(b.self) {
			continue
		}
		raw, err := b.requests.Call(ctx, p, wire.KindSign, wire.Encode(&wire.Sign{Note: note}))
		if answer, derr := wire.Decode[wire.Sign](raw); err == nil && derr == nil && len(answer.Note) > 0 {
			copies = append(copies, answer.Note)
		}
	}
	if len(copies)+1 < need {
		return // others still hear from it, or cannot be reached
	}
	signed, err := roster.MergeOut(b.cfg.Network, note, copies...)
	if err != nil {
		b.cfg.Log.Warn("Member not declared out", "error", err)
		return
	}
	if changed, err := b.members.Roster.Add("", signed); err != nil || !changed {
		return
	}
	b.cfg.Log.Info("Member is out: its domains go to others", "peer", victim.Peer.String())
	b.members.Refresh()
	if err := b.publish(ctx, signed); err != nil {
		b.cfg.Log.Debug("Note not spread at once", "error", err)
	}
}

// handleSign signs that a member is out if this node has not heard from it
// either.
func (b *beats) handleSign(_ context.Context, from peer.ID, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Sign](body)
	if err != nil {
		return nil, &calls.Lie{What: "out note", Weight: 20}
	}
	note, _, err := roster.OpenOut(b.cfg.Network, m.Note)
	if err != nil {
		return nil, &calls.Lie{What: "out note", Weight: 20}
	}
	member, ok := b.members.Roster.Get(note.Victim)
	down, heard := b.downFor(note.Victim)
	if !ok || member.Seq != note.Seq || !member.Out && down < b.outAfter(heard)*3/4 {
		return wire.Encode(&wire.Sign{}), nil
	}
	signed, err := roster.Countersign(b.cfg.Network, m.Note, b.cfg.Key)
	if err != nil {
		return nil, err
	}
	return wire.Encode(&wire.Sign{Note: signed}), nil
}
