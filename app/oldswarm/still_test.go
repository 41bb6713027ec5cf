package swarm

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// Nothing is closed for a member that takes no domains for now: it would stay so.
func TestMover_ClosesNothingForWhoIsFull(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 3)
	l.owner = liar
	var wait time.Duration
	l.join(liar).Handle(wire.KindMove, func(context.Context, string, []byte) ([]byte, error) {
		return nil, &calls.Busy{After: wait}
	})
	for _, wait = range []time.Duration{slowWait, longBusy} {
		err := n.hurried(func() error { return n.mover.begin(t.Context(), liar, list("s0.test")) })
		if busyFor(err) != wait {
			t.Errorf("begin: %v, want that it is busy for %v", err, wait)
		}
		if p, err := n.f.Where("s0.test"); err != nil || p.State != frontier.StateOpen {
			t.Errorf("the domain is in state %v, %v, want open", p.State, err)
		}
	}
}

// To who stands by, or from there, few domains go at a time, in small parts.
func TestMover_GoesSlowlyOnStandby(t *testing.T) {
	for _, c := range []struct {
		name       string
		here       bool
		there      wire.MoveState
		most, size int
	}{
		{"both on duty", false, wire.MoveTaken, 64, wire.MaxChunk},
		{"they stand by", false, wire.MoveSlowly, slowMove, 2 * wire.MaxItem},
		{"here", true, wire.MoveTaken, slowMove, 2 * wire.MaxItem},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			n := newNode(t, l, self)
			n.sites(64, 40)
			n.cfg.Slow = func() bool { return c.here }
			n.mover.pace = time.Millisecond
			l.owner = liar
			domains, largest, parts := 0, 0, 0
			var mark []byte
			l.join(liar).Handle(wire.KindMove, func(_ context.Context, _ string, body []byte) ([]byte, error) {
				m, err := wire.Decode[wire.Move](body)
				if err != nil {
					return nil, err
				}
				if m.N != noMove {
					domains = max(domains, len(m.Domains))
				}
				size := 0
				for _, item := range m.Items {
					size += len(item)
				}
				largest = max(largest, size)
				if m.Seq > 0 {
					parts, mark = int(m.Seq), m.Mark
				}
				state := c.there
				if m.Last {
					state = wire.MoveOpened
				}
				return wire.Encode(&wire.MoveAnswer{State: state, Seq: uint64(parts), Mark: mark}), nil
			})
			var names []crawl.Domain
			for i := range 64 {
				names = append(names, crawl.Domain(fmt.Sprintf("s%d.test", i)))
			}
			if err := n.hurried(func() error { return n.mover.begin(t.Context(), liar, names) }); err != nil {
				t.Fatal(err)
			}
			if domains != c.most || largest > c.size || largest == 0 {
				t.Errorf("%d domains in %d parts of at most %d bytes, want %d, in parts of at most %d", domains, parts, largest, c.most, c.size)
			}
			t.Logf("%d domains, %d parts, at most %d bytes", domains, parts, largest)
			if p, err := n.f.Where("s0.test"); err != nil || p.State != frontier.StateGone {
				t.Errorf("the first domain is in state %v, %v, want gone", p.State, err)
			}
		})
	}
}

// Who stands by takes domains of one member at a time, and lets each have its turn.
func TestTurns(t *testing.T) {
	var turns turns
	start := time.Unix(1e9, 0)
	for _, x := range []struct {
		at   time.Duration
		from string
		want bool
	}{
		{0, "a", true}, {time.Second, "b", false}, {20 * time.Second, "a", true}, {45 * time.Second, "b", false}, {51 * time.Second, "b", true},
		{52 * time.Second, "a", false}, {80 * time.Second, "b", true}, {109 * time.Second, "b", true}, {130 * time.Second, "b", true}, {155 * time.Second, "b", true},
		{180 * time.Second, "b", true}, {205 * time.Second, "b", true}, {230 * time.Second, "b", true}, {255 * time.Second, "b", true},
		{280 * time.Second, "b", true}, {305 * time.Second, "b", true}, {330 * time.Second, "b", true}, {350 * time.Second, "a", false},
		{352 * time.Second, "b", false}, {353 * time.Second, "a", true}, {354 * time.Second, "b", false}, {384 * time.Second, "b", true},
	} {
		if got := turns.take(x.from, start.Add(x.at)); got != x.want {
			t.Errorf("after %v it is the turn of %s: %v, want %v", x.at, x.from, got, x.want)
		}
	}
	t.Run("alone", func(t *testing.T) {
		turns.who = ""
		refused := 0
		for i := range 3600 {
			if !turns.take("c", start.Add(time.Hour+time.Duration(i)*time.Second)) {
				refused++
			}
		}
		if most := 3600 / 300 * 30; refused == 0 || refused > most {
			t.Errorf("one that is alone waits for %d of 3,600 s, want at most %d", refused, most)
		}
	})
}

// What was closed before the member had no more room is opened again.
func TestMover_CallsOffForWhoIsFull(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 3)
	l.owner = liar
	asked := 0
	l.join(liar).Handle(wire.KindMove, func(_ context.Context, _ string, body []byte) ([]byte, error) {
		m, err := wire.Decode[wire.Move](body)
		if err != nil {
			return nil, err
		}
		if asked++; m.Abort {
			return wire.Encode(&wire.MoveAnswer{State: wire.MoveDeclined}), nil
		}
		if asked == 1 {
			return wire.Encode(&wire.MoveAnswer{State: wire.MoveTaken}), nil
		}
		return nil, &calls.Busy{After: longBusy}
	})
	if err := n.hurried(func() error { return n.mover.begin(t.Context(), liar, list("s0.test")) }); err != nil {
		t.Error(err)
	}
	if p, err := n.f.Where("s0.test"); err != nil || p.State != frontier.StateOpen {
		t.Errorf("the domain is in state %v, %v, want open", p.State, err)
	}
}

// Who has no room takes no part of a move, but lets one be called off.
func TestMove_IsNotTakenByWhoIsFull(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.heir(other)
	wait := 30 * time.Second
	n.cfg.Still = func() time.Duration { return wait }
	for _, m := range []*wire.Move{{N: 1, Domains: list("a.test")}, {N: 1, Seq: 1, Last: true, Domains: list("a.test")}} {
		_, err := n.move(other, m)
		var busy *calls.Busy
		if !errors.As(err, &busy) || busy.After != wait {
			t.Errorf("part %d: %v, want busy for %v", m.Seq, err, wait)
		}
	}
	if _, err := n.move(other, &wire.Move{N: 1, Abort: true, Domains: list("a.test")}); err != nil {
		t.Errorf("abort: %v", err)
	}
	wait = 0
	if _, err := n.move(other, &wire.Move{N: 2, Domains: list("a.test")}); err != nil {
		t.Errorf("with room: %v", err)
	}
}

// Who only asks, or may not bring anything, has no turn on standby.
func TestMove_OnlyWhoBringsHasATurn(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.heir(other)
	n.cfg.Slow = func() bool { return true }
	if got, err := n.move(other, &wire.Move{N: noMove, Domains: list("a.test")}); err != nil || got.State != wire.MoveSlowly {
		t.Errorf("a question: %+v, %v, want that it goes slowly", got, err)
	}
	for _, m := range []*wire.Move{{N: noMove, Domains: list("a.test")}, {N: 7, Domains: list("a.test")}, {N: 7, Seq: 1, Last: true, Domains: list("a.test")}} {
		if _, err := n.move(liar, m); err == nil {
			t.Errorf("part %d of move %d is taken from a stranger", m.Seq, m.N)
		}
	}
	if n.turns.who != "" {
		t.Errorf("%q has the turn though nobody brought anything", n.turns.who)
	}
	if got, err := n.move(other, &wire.Move{N: 1, Domains: list("a.test")}); err != nil || got.State != wire.MoveSlowly || n.turns.who != other {
		t.Errorf("a move: %+v, %v, it is the turn of %q", got, err, n.turns.who)
	}
	n.turns.who = liar
	n.turns.heard, n.turns.since = n.now(), n.now()
	if _, err := n.move(other, &wire.Move{N: 1, Domains: list("a.test")}); busyFor(err) != slowWait {
		t.Errorf("out of turn: %v, want busy for %v", err, slowWait)
	}
}
