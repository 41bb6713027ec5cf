package swarm

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

const server = "192.0.2.1"

// ownServer has another member own the address of a server, and answer who takes slots of it.
func (n *node) ownServer(owner string, take func() *wire.SlotAnswer) *memNet {
	o := n.lab.join(owner)
	n.lab.mu.Lock()
	n.lab.owners[server] = owner
	n.lab.mu.Unlock()
	o.Handle(wire.KindTakeSlot, func(context.Context, string, []byte) ([]byte, error) { return wire.Encode(take()), nil })
	o.Handle(wire.KindUnslot, func(context.Context, string, []byte) ([]byte, error) { return wire.Encode(&wire.Done{}), nil })
	return o
}

// slot asks for a slot of the server for a lease, in its fetcher's name.
func (n *node) slot(from string, l crawl.Lease) (wire.SlotAnswer, error) {
	return say[wire.SlotAnswer](n, from, wire.KindSlot, &wire.Slot{Lease: l.ID, Domain: l.Domain, Address: server})
}

func (n *node) goingBack(log string) int {
	n.keeper.mu.Lock()
	defer n.keeper.mu.Unlock()
	if p := n.keeper.piles[log]; p != nil {
		return len(p.list)
	}
	return 0
}

// Others may want an address before its owner's answer that it is granted is here. A domain that kept it then would
// have it until it lapses.
func TestSlots_WantedOvertakesTheAnswer(t *testing.T) {
	for _, c := range []struct {
		name          string
		early, answer bool
		back          int
	}{
		{"nobody wants it", false, false, 0},
		{"it was wanted before", false, true, 1},
		{"it is wanted meanwhile", true, false, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNode(t, newLab(t), self)
			n.sites(1, 2)
			l := n.ask(liar, 1)[0]
			n.ownServer(other, func() *wire.SlotAnswer {
				if c.early {
					if _, err := say[wire.Done](n, other, wire.KindWanted, &wire.Wanted{Lease: l.ID, Domain: l.Domain, Address: server}); err != nil {
						t.Error(err)
					}
				}
				return &wire.SlotAnswer{Leases: 1, Wanted: c.answer}
			})
			if got, err := n.slot(liar, l); err != nil || got.Leases != 1 {
				t.Fatalf("the slot: %+v, %v", got, err)
			}
			n.keeper.over(liar, l.Domain, l.ID, wire.SlotUse{Address: server, Good: 1})
			if got := n.goingBack(other); got != c.back {
				t.Errorf("%d slots go back, want %d", got, c.back)
			}
		})
	}
}

// What was said of an address while others wanted it is over with the next answer.
func TestSlots_WantedIsForgotten(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 2)
	l := n.ask(liar, 1)[0]
	n.ownServer(other, func() *wire.SlotAnswer { return &wire.SlotAnswer{Leases: 1} })
	for range 2 {
		if _, err := n.slot(liar, l); err != nil {
			t.Fatal(err)
		}
		if _, err := say[wire.Done](n, other, wire.KindWanted, &wire.Wanted{Lease: l.ID, Domain: l.Domain, Address: server}); err != nil {
			t.Fatal(err)
		}
		if !n.keeper.wanted(l.Domain) {
			t.Error("it is not known to be wanted")
		}
		n.lab.advance(time.Second)
	}
	if _, err := n.slot(liar, l); err != nil || n.keeper.wanted(l.Domain) {
		t.Errorf("it is wanted for ever, %v", err)
	}
}

// The former owner of an address has said who has it, and is gone. Who has it gives it back to the new one.
func TestSlots_GivenBackToTheHeir(t *testing.T) {
	for _, c := range []struct {
		name  string
		from  string
		lease crawl.LeaseID
		use   wire.SlotUse
		after time.Duration // it is free
	}{
		{"unused", liar, 7, wire.SlotUse{}, 0},
		{"used", liar, 7, wire.SlotUse{GapMs: 5000, Good: 1}, 5 * time.Second},
		{"of a slow server", liar, 7, wire.SlotUse{GapMs: 90_000, Good: 1}, 90 * time.Second},
		{"another lease", liar, 8, wire.SlotUse{}, time.Minute},
		{"another member", other, 7, wire.SlotUse{}, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNode(t, newLab(t), self)
			n.heir(other)
			n.lab.digest = [16]byte{1} // the members have changed
			former := n.lab.nodes[other]
			gone := false
			former.Handle(wire.KindHeldSlots, func(context.Context, string, []byte) ([]byte, error) {
				if gone {
					return nil, calls.ErrUnreachable
				}
				owners := n.lab.digest
				return wire.Encode(&wire.HeldSlots{Owners: owners[:], List: []wire.HeldSlot{{Address: server, LeftMs: 60_000, Granter: liar, Lease: 7}}}), nil
			})
			take := func() bool {
				got, err := say[wire.SlotAnswer](n, other, wire.KindTakeSlot, &wire.TakeSlot{Lease: 3, Domain: "s0.test", Address: server, Leases: 1})
				if err != nil {
					t.Fatal(err)
				}
				return got.Leases > 0
			}
			if take() {
				t.Fatal("it is granted while another has it")
			}
			gone = true
			c.use.Address = server
			if _, err := say[wire.Done](n, c.from, wire.KindUnslot, &wire.Unslots{List: []wire.Unslot{{Lease: c.lease, Use: c.use}}}); err != nil {
				t.Fatal(err)
			}
			if c.after > 0 {
				n.lab.advance(c.after - time.Second)
				if take() {
					t.Errorf("it is granted before %v are over", c.after)
				}
				n.lab.advance(time.Second)
			}
			if !take() {
				t.Errorf("it is not granted after %v", c.after)
			}
		})
	}
}

// A slot goes back to the log that granted it. If the address has another owner by then, that one is told too.
func TestSlots_BothOwnersAreTold(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 2)
	l := n.ask(liar, 1)[0]
	n.ownServer(other, func() *wire.SlotAnswer { return &wire.SlotAnswer{Leases: 1} })
	if _, err := n.slot(liar, l); err != nil {
		t.Fatal(err)
	}
	n.ownServer("third-member", func() *wire.SlotAnswer { return &wire.SlotAnswer{Leases: 1} })
	n.keeper.over(liar, l.Domain, l.ID, wire.SlotUse{Address: server, Good: 1})
	if a, b := n.goingBack(other), n.goingBack("third-member"); a != 1 || b != 1 {
		t.Errorf("%d and %d slots go back, want one to each", a, b)
	}
}

// Who leaves calls home what others fetch for it, and gives slots back before it is gone.
func TestLeave_BringsLeasesAndSlotsHome(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 2)
	n.heir(other)
	l := n.ask(liar, 1)[0]
	owner := n.ownServer(other, func() *wire.SlotAnswer { return &wire.SlotAnswer{Leases: 1} })
	if _, err := n.slot(liar, l); err != nil {
		t.Fatal(err)
	}
	var reports sync.WaitGroup
	n.lab.join(liar).Handle(wire.KindRecall, func(context.Context, string, []byte) ([]byte, error) {
		reports.Go(func() {
			w := wire.LeaseReport{Lease: l.ID, Domain: l.Domain, Over: true, Slots: []wire.SlotUse{{Address: server, Good: 1}}}
			if _, err := say[wire.Reported](n, liar, wire.KindReport, &wire.Report{Leases: []wire.LeaseReport{w}}); err != nil {
				t.Error(err)
			}
		})
		return wire.Encode(&wire.Done{}), nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	var keeper sync.WaitGroup
	keeper.Go(func() { _ = n.keeper.Serve(ctx) })
	defer keeper.Wait()
	defer cancel()
	if err := n.Leave(ctx); err != nil {
		t.Fatal(err)
	}
	reports.Wait()
	if _, ok, err := n.f.LeaseOf(l.Domain); ok || err != nil {
		t.Errorf("the lease is not home, %v", err)
	}
	if got := owner.count(wire.KindUnslot); got != 1 {
		t.Errorf("the owner of the address was told %d times, want once", got)
	}
}

// Who leaves tells the new owner of an address who has slots of it: nobody can ask it any more. The new owner keeps
// to that, and passes it on.
func TestLeave_TellsWhoHasSlots(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.heir(liar)
	if got, err := say[wire.SlotAnswer](n, liar, wire.KindTakeSlot, &wire.TakeSlot{Lease: 7, Domain: "s0.test", Address: server, Leases: 1}); err != nil || got.Leases != 1 {
		t.Fatalf("the slot: %+v, %v", got, err)
	}
	heir := newNode(t, l, other) // it owns all now
	l.mu.Lock()
	l.heirs, l.digest = []string{self, other, liar}, [16]byte{1}
	l.mu.Unlock()
	if err := n.hurried(func() error { return n.Leave(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	l.heirs = []string{other, liar}
	delete(l.nodes, self)
	delete(l.members, self)
	l.mu.Unlock()
	take := func(lease crawl.LeaseID) bool {
		got, err := say[wire.SlotAnswer](heir, liar, wire.KindTakeSlot, &wire.TakeSlot{Lease: lease, Domain: "s1.test", Address: server, Leases: 1})
		if err != nil {
			t.Fatal(err)
		}
		return got.Leases > 0
	}
	if take(8) {
		t.Error("it is granted again at once")
	}
	held, err := say[wire.HeldSlots](heir, liar, wire.KindHeldSlots, &wire.AskSlots{Owners: l.digest[:]})
	if err != nil || len(held.List) != 0 {
		t.Errorf("who does not own the address is told %v, %v", held.List, err)
	}
	l.mu.Lock()
	l.owners[server] = liar
	l.mu.Unlock()
	if held, err = say[wire.HeldSlots](heir, liar, wire.KindHeldSlots, &wire.AskSlots{Owners: l.digest[:]}); err != nil || len(held.List) != 1 || held.List[0].Granter != liar || held.List[0].Lease != 7 {
		t.Errorf("the next owner is told %+v, %v, want the slot", held.List, err)
	}
	l.mu.Lock()
	delete(l.owners, server)
	l.mu.Unlock()
	l.advance(2 * testLease)
	if !take(9) {
		t.Error("it is not granted after the time of a lease")
	}
}

// Not everybody is believed about slots: they keep others from visiting. And whoever speaks for a log may add to its
// word, but takes nothing back.
func TestSlots_WhoMayTell(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.heir(other)
	n.lab.digest = [16]byte{1}
	asked := 0
	n.lab.nodes[other].Handle(wire.KindHeldSlots, func(context.Context, string, []byte) ([]byte, error) {
		asked++
		return wire.Encode(&wire.HeldSlots{Owners: n.lab.digest[:]}), nil
	})
	told := &wire.HeldSlots{Owners: n.lab.digest[:], List: []wire.HeldSlot{{Address: server, LeftMs: 60_000, Granter: liar, Lease: 7}}}
	_, err := say[wire.Done](n, liar, wire.KindTellSlots, told)
	n.expectLie("slots of who owns nothing", liar, 0, err)
	if left := n.addresses.told[liar]; left != nil {
		t.Errorf("it is kept: %+v", left)
	}
	tell := func(m *wire.HeldSlots) {
		t.Helper()
		if _, err := say[wire.Done](n, other, wire.KindTellSlots, m); err != nil {
			t.Fatal(err)
		}
	}
	tell(told)
	tell(&wire.HeldSlots{Owners: n.lab.digest[:]})
	tell(&wire.HeldSlots{Owners: n.lab.digest[:], List: []wire.HeldSlot{{Address: server, LeftMs: 10, Granter: liar, Lease: 7}}})
	if left := n.addresses.told[other].left(server, n.lab.clock()); left != time.Minute {
		t.Errorf("the address is held for %v, want a minute", left)
	}
	many := &wire.HeldSlots{Owners: n.lab.digest[:]}
	for i := range wire.MaxHeldSlots {
		many.List = append(many.List, wire.HeldSlot{Address: server, LeftMs: 60_000, Granter: liar, Lease: crawl.LeaseID(100 + i)})
	}
	for i := range 2 * maxToldSlots / wire.MaxHeldSlots {
		for k := range many.List {
			many.List[k].Lease += wire.MaxHeldSlots
		}
		_, err := say[wire.Done](n, other, wire.KindTellSlots, many)
		if full := (i+1)*wire.MaxHeldSlots >= maxToldSlots; full != isBusy(err) || !full && err != nil {
			t.Fatalf("message %d of many slots: %v", i+1, err)
		}
	}
	got, err := say[wire.SlotAnswer](n, other, wire.KindTakeSlot, &wire.TakeSlot{Lease: 3, Domain: "s0.test", Address: server, Leases: 1})
	if err != nil || asked != 1 || got.Leases != 1 {
		t.Errorf("granted %d, %v, its log was asked %d times: its own word counts", got.Leases, err, asked)
	}
	told.Owners = make([]byte, 16)
	if _, err := say[wire.Done](n, other, wire.KindTellSlots, told); !isBusy(err) {
		t.Errorf("from who knows other members: %v", err)
	}
}
