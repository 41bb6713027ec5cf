package p2p

import (
	"context"
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
	if b.n.Requests.Silent() {
		return
	}
	rested := make(map[peer.ID]bool)
	near, distant := b.n.Members.Partners()
	for _, p := range slices.Concat(near, distant) {
		rested[p] = b.n.Members.RestedFor(p) >= b.n.cfg.Times.Out
	}
	b.mu.Lock()
	var victims []peer.ID
	for p, s := range b.state {
		gone := rested[p] || !s.down.IsZero() && time.Since(s.down) >= b.n.outAfter(s.spoke)
		if gone && time.Since(b.notes[p]) >= noteEvery {
			b.notes[p] = time.Now()
			victims = append(victims, p)
		}
	}
	for p := range b.notes {
		if b.state[p] == nil {
			delete(b.notes, p)
		}
	}
	b.mu.Unlock()
	for _, p := range victims {
		if m, ok := b.n.Members.Roster.Get(p); ok && !m.Out &&
			(m.State == roster.StateActive || m.State == roster.StateResting) {
			running.Go(func() { b.n.declareOut(ctx, m.Record) })
		}
	}
}

// outAfter returns how long a member must be down to be declared out.
func (n *Node) outAfter(heard bool) time.Duration {
	if heard {
		return n.cfg.Times.Out
	}
	return n.cfg.Times.Unheard
}

// declareOut has a member declared out by those that watch it.
func (n *Node) declareOut(ctx context.Context, victim roster.Record) {
	signers, need := n.Members.Signers(string(victim.Peer))
	if len(signers) == 0 || !slices.Contains(signers, string(n.self)) {
		return
	}
	note, err := roster.SealOut(n.cfg.Network, n.cfg.Key,
		roster.Out{Victim: victim.Peer, Seq: victim.Seq, Issued: n.cfg.Now().Unix()})
	if err != nil {
		n.log.Warn("Member not declared out", "error", err)
		return
	}
	var copies [][]byte
	for _, p := range signers {
		if len(copies)+1 >= need {
			break
		}
		if p == string(n.self) {
			continue
		}
		raw, err := n.Requests.Call(ctx, p, wire.KindSign, wire.Encode(&wire.Sign{Note: note}))
		if answer, derr := wire.Decode[wire.Sign](raw); err == nil && derr == nil && len(answer.Note) > 0 {
			copies = append(copies, answer.Note)
		}
	}
	if len(copies)+1 < need {
		return // others still hear from it, or cannot be reached
	}
	signed, err := roster.MergeOut(n.cfg.Network, note, copies...)
	if err != nil {
		n.log.Warn("Member not declared out", "error", err)
		return
	}
	if changed, err := n.Members.Roster.Add("", signed); err != nil || !changed {
		return
	}
	n.log.Info("Member is out: its domains go to others", "peer", victim.Peer.String())
	n.Members.Refresh()
	if err := n.publish(ctx, signed); err != nil {
		n.log.Debug("Note not spread at once", "error", err)
	}
}

// handleSign signs that a member is out if this node has not heard from it
// either.
func (n *Node) handleSign(_ context.Context, from peer.ID, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Sign](body)
	if err != nil {
		return nil, &calls.Lie{What: "out note", Weight: 20}
	}
	note, _, err := roster.OpenOut(n.cfg.Network, m.Note)
	if err != nil {
		return nil, &calls.Lie{What: "out note", Weight: 20}
	}
	member, ok := n.Members.Roster.Get(note.Victim)
	down, heard := n.beats.downFor(note.Victim)
	if !ok || member.Seq != note.Seq || !member.Out && down < n.outAfter(heard)*3/4 {
		return wire.Encode(&wire.Sign{}), nil
	}
	signed, err := roster.Countersign(n.cfg.Network, m.Note, n.cfg.Key)
	if err != nil {
		return nil, err
	}
	return wire.Encode(&wire.Sign{Note: signed}), nil
}
