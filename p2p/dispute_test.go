package p2p

import (
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"

	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// noteBy returns a note about a member, as of its record that at knows, by some signers.
func noteBy(t *testing.T, at, victim *runningNode, keys ...crypto.PrivKey) []byte {
	t.Helper()
	m, _ := at.Members.Roster.Get(victim.self)
	note, err := roster.SealOut(at.cfg.Network, keys[0],
		roster.Out{Victim: victim.self, Seq: m.Seq, Issued: time.Now().Unix()})
	for _, key := range keys[1:] {
		if err == nil {
			note, err = roster.Countersign(at.cfg.Network, note, key)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return note
}

// The two sides of a network that was split have declared each other out, and a note that means
// nothing here means something there: its victim says again that it is there.
func TestDispute_VictimOfMembersElsewhereSpeaks(t *testing.T) {
	nodes := []*runningNode{aloneNode(t)}
	for range 2 {
		nodes = append(nodes, start(t, quickTimes(), nodes[0]))
	}
	until(t, "three members agree, and vouch for each other", func() bool {
		return agree(nodes) && !slices.ContainsFunc(nodes,
			func(n *runningNode) bool { return len(n.own.Load().Vouches) < 2 })
	})
	n, other := nodes[0], nodes[1]
	l, there := newLiar(t, n, nil), newLiar(t, other, nil)
	var known []crypto.PrivKey
	for range 2 {
		key := newKey(t)
		record := memberOf(t, n, key, nil)
		for _, err := range []error{l.sync(t, n, record), there.sync(t, other, record)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		known = append(known, key)
	}
	for name, victim := range map[string]*runningNode{"itself": n, "another": other} {
		was, _ := n.Members.Roster.Get(victim.self)
		before := was.Seq
		for _, keys := range [][]crypto.PrivKey{known[:1], {newKey(t), newKey(t)}} {
			if err := l.sync(t, n, noteBy(t, n, victim, keys...)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(300 * time.Millisecond)
		if m, _ := n.Members.Roster.Get(victim.self); m.Out || m.Seq != before {
			t.Errorf("%s: a note of strangers, or of one member, had it say that it is there: %d, then %d", name,
				before, m.Seq)
		}
		note := noteBy(t, n, victim, known...)
		until(t, "the victim has issued again: "+name, func() bool {
			if err := l.sync(t, n, note); err != nil {
				t.Fatal(err)
			}
			m, _ := n.Members.Roster.Get(victim.self)
			return m.Seq > before && !m.Out
		})
	}
}

// Who came after a member had gone knows a ring with that one and itself, on which those who signed
// its end may have been nobody's neighbours. Any member that holds it to be out says so again.
func TestOut_IsSignedAgainForNewcomers(t *testing.T) {
	nodes := []*runningNode{aloneNode(t)}
	for range 2 {
		nodes = append(nodes, start(t, quickTimes(), nodes[0]))
	}
	until(t, "three members agree", func() bool { return agree(nodes) })
	n, other, gone := nodes[0], nodes[1], nodes[2]
	if raw, err := n.beats.handleSign(t.Context(), other.self,
		wire.Encode(&wire.Sign{Note: noteBy(t, n, gone, other.cfg.Key)})); err != nil {
		t.Fatal(err)
	} else if answer, err := wire.Decode[wire.Sign](raw); err != nil || len(answer.Note) > 0 {
		t.Fatalf("signed that a member is out that is there: %v", err)
	}
	gone.stop()
	until(t, "it is out, and nobody watches it any more", func() bool {
		m, _ := n.Members.Roster.Get(gone.self)
		down, _ := n.beats.downFor(gone.self)
		return m.Out && down == 0
	})
	raw, err := n.beats.handleSign(t.Context(), other.self,
		wire.Encode(&wire.Sign{Note: noteBy(t, n, gone, other.cfg.Key)}))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := wire.Decode[wire.Sign](raw)
	if err != nil {
		t.Fatal(err)
	}
	if _, signers, err := roster.OpenOut(n.cfg.Network, answer.Note); err != nil || len(signers) != 2 ||
		signers[1] != n.self {
		t.Errorf("signed by %v, %v; want by both", signers, err)
	}
}
