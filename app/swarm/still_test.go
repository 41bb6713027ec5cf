package swarm

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// Nothing is closed for a member that takes no domains for now: it would stay so.
func TestMover_ClosesNothingForWhoStandsBy(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 3)
	l.owner = liar
	l.join(liar).Handle(wire.KindMove, func(context.Context, string, []byte) ([]byte, error) {
		return nil, &calls.Busy{After: longBusy}
	})
	err := n.hurried(func() error { return n.mover.begin(t.Context(), liar, list("s0.test")) })
	if !isLongBusy(err) {
		t.Errorf("begin: %v, want that it is busy", err)
	}
	if p, err := n.f.Where("s0.test"); err != nil || p.State != frontier.StateOpen {
		t.Errorf("the domain is in state %v, %v, want open", p.State, err)
	}
}

// What was closed before the member began to stand by is opened again.
func TestMover_CallsOffForWhoStandsBy(t *testing.T) {
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

// Who stands by takes no part of a move, but lets one be called off.
func TestMove_IsNotTakenOnStandby(t *testing.T) {
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
		t.Errorf("on duty: %v", err)
	}
}
