package swarm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

func (n *memNet) HeirsBut(_ string, d crawl.Domain, k int) []string { return n.Heirs(d, k) }

func (n *memNet) InLineBut(but, peer string, d crawl.Domain, k int) bool {
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	line := slices.DeleteFunc(slices.Clone(n.lab.heirs), func(p string) bool { return p == but })
	return slices.Contains(line[:min(len(line), k)], peer)
}

func (n *memNet) Near(member string, k int) []string {
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(n.lab.heirs), func(p string) bool { return p == member })
	return list[:min(len(list), k)]
}

func (n *memNet) Down(peer string) bool {
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	return n.lab.down[peer]
}

// clerk is a node with a hub, whose seats say what they were asked.
type clerk struct {
	*Hub
	net   *memNet
	leads map[string]string // who leads a log, as this node's copies know
	// trusted is what was found out of who speaks for an owner without being near, if anything is yet to be.
	trusted map[string]bool
	heard   []string
}

func newClerk(l *lab, id string) *clerk {
	c := &clerk{net: l.join(id), leads: make(map[string]string)}
	c.Hub = NewHub(c.net, func(log string) (string, bool) {
		leader, kept := c.leads[log]
		return leader, kept
	}, func(log, peer string) (ok, sure bool) {
		ok, sure = c.trusted[log+" by "+peer]
		return ok, sure || c.trusted == nil
	})
	c.seat(id)
	return c
}

// seat makes the node lead a log when its leads say so.
func (c *clerk) seat(log string) Net {
	seat := c.Seat(log, func() bool { return c.leads[log] == c.net.self })
	for _, kind := range []wire.Kind{wire.KindAsk, wire.KindReport, wire.KindOffer} {
		seat.Handle(kind, func(_ context.Context, from string, body []byte) ([]byte, error) {
			c.heard = append(c.heard, fmt.Sprintf("%s: %s from %s at %s", body, kind, from, log))
			return []byte("done by " + c.net.self), nil
		})
	}
	return seat
}

func (c *clerk) hears(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(c.heard, want) {
		t.Errorf("%s heard %q, want %q", c.net.self, c.heard, want)
	}
	c.heard = nil
}

// asked returns how many requests reached a node since the last call.
func (c *clerk) asked() (n int) {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	for kind, times := range c.net.asked {
		n += times
		delete(c.net.asked, kind)
	}
	return n
}

// clerks makes four nodes; those but the last are near to one another.
func clerks(t *testing.T) (l *lab, a, b, c, d *clerk) {
	l = newLab(t)
	l.heirs, l.down = []string{"a", "b", "c"}, make(map[string]bool)
	a, b, c, d = newClerk(l, "a"), newClerk(l, "b"), newClerk(l, "c"), newClerk(l, "d")
	for _, x := range []*clerk{a, b, c, d} {
		x.leads[x.net.self] = x.net.self
	}
	return l, a, b, c, d
}

func TestHub_FindsWhoLeadsALog(t *testing.T) {
	l, a, b, c, d := clerks(t)
	b.seat("a")
	ask := func(want string) {
		t.Helper()
		got, err := d.call(t.Context(), "d", "a", wire.KindAsk, []byte("work"))
		if want == "" && !errors.Is(err, errNoLeader) && !errors.Is(err, calls.ErrUnreachable) || want != "" && (err != nil || string(got) != "done by "+want) {
			t.Fatalf("answer %q, %v, want one of %q", got, err, want)
		}
	}
	ask("a")
	a.hears(t, "work: ask from d at a")

	// Its owner is up, but a partner leads: the owner knows who.
	a.leads["a"], b.leads["a"], c.leads["a"] = "b", "b", "b"
	ask("b")
	b.hears(t, "work: ask from d at a")
	a.asked()
	ask("b")
	if a.asked() != 0 {
		t.Error("who leads is asked for each time")
	}
	b.heard = nil

	// The owner is gone: those near it are asked, and say who leads.
	l.mu.Lock()
	delete(l.nodes, "a")
	l.mu.Unlock()
	d.forget("a", "b")
	ask("b")
	b.hears(t, "work: ask from d at a")

	// The partner is gone too; nobody leads.
	l.mu.Lock()
	delete(l.nodes, "b")
	l.mu.Unlock()
	c.leads["a"] = ""
	ask("")
	l.mu.Lock()
	l.nodes["a"] = a.net
	l.mu.Unlock()
	a.leads["a"] = "a"
	ask("a")
	a.hears(t, "work: ask from d at a")
}

// Two nodes that send others to each other are not asked forever.
func TestHub_FollowsOnlySoFar(t *testing.T) {
	_, a, b, c, d := clerks(t)
	a.leads["a"], b.leads["a"], c.leads["a"] = "b", "a", "a"
	if got, err := d.call(t.Context(), "d", "a", wire.KindAsk, []byte("work")); err == nil {
		t.Errorf("answer %q from nobody", got)
	}
	if n := a.asked() + b.asked() + c.asked(); n > maxHops {
		t.Errorf("%d questions", n)
	}
}

// Only who may act for an owner is heard in its name.
func TestHub_SpeaksForAnOwner(t *testing.T) {
	_, a, b, _, d := clerks(t)
	seat := b.seat("a")
	a.leads["a"], b.leads["a"] = "b", "b"
	if seat.Self() != "a" {
		t.Errorf("the seat is %q's", seat.Self())
	}
	if _, err := seat.Call(t.Context(), "d", wire.KindReport, []byte("news")); err != nil {
		t.Fatal(err)
	}
	d.hears(t, "news: report from a at d")
	if _, err := seat.Call(t.Context(), "d", wire.KindOffer, []byte("work")); err != nil {
		t.Fatal(err)
	}
	d.hears(t, "work: offer from a at d")
	if _, err := seat.Call(t.Context(), "b", wire.KindReport, []byte("to the node that acts")); err != nil {
		t.Fatal(err)
	}
	b.hears(t, "to the node that acts: report from a at b")

	a.leads["a"] = "d" // d is not near to a
	forger := d.seat("a")
	d.leads["a"] = "d"
	if _, err := forger.Call(t.Context(), "b", wire.KindReport, []byte("lies")); !isRefused(err) {
		t.Errorf("a stranger speaks for a: %v", err)
	}
	b.hears(t)

	b.trusted = map[string]bool{} // it asks others about d
	var busy *calls.Busy
	if _, err := forger.Call(t.Context(), "b", wire.KindReport, []byte("news")); !errors.As(err, &busy) {
		t.Errorf("before it is known who d is: %v, want busy", err)
	}
	b.hears(t)
	b.trusted["a by d"] = true
	if _, err := forger.Call(t.Context(), "b", wire.KindReport, []byte("news")); err != nil {
		t.Errorf("d speaks for a, as others say: %v", err)
	}
	b.hears(t, "news: report from a at b")
}

// All copies of a log may be off the network until nobody knows any more who had one. Who finds it brings its links in its own name, and its
// domains as one that has no part in them; in no other matter it is heard.
func TestHub_FindsALogThatNobodyKnowsOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _, b, _, d := clerks(t)
		own := b.seat("b")
		for _, kind := range []wire.Kind{wire.KindMove, wire.KindLinks} {
			own.Handle(kind, func(_ context.Context, from string, body []byte) ([]byte, error) {
				own.Offend(from, "nonsense", 1)
				b.heard = append(b.heard, fmt.Sprintf("%s: %s from %s", body, kind, from))
				return nil, nil
			})
		}
		seat := d.seat("a")
		say := func(kind wire.Kind, refused bool) {
			t.Helper()
			if _, err := seat.Call(t.Context(), "b", kind, []byte("news")); refused != isRefused(err) || !refused && err != nil {
				t.Errorf("%s: %v, want it refused: %v", kind, err, refused)
			}
		}
		for range 2 * foundAfter / time.Second {
			say(wire.KindMove, true) // a is still there
			time.Sleep(time.Second)
		}
		delete(l.members, "a")
		say(wire.KindMove, true)
		time.Sleep(foundAfter)
		l.members["a"] = true
		say(wire.KindMove, true)
		delete(l.members, "a")
		b.hears(t)
		say(wire.KindMove, false)
		say(wire.KindLinks, false)
		b.hears(t, "news: move from ?d", "news: links from d")
		if w := b.net.weight("d"); w != 2 {
			t.Errorf("who found it was charged %d", w)
		}
		say(wire.KindReport, true)
		time.Sleep(claimPause + 1)
		say(wire.KindLinks, true) // it is long ago
		b.hears(t)

		// A former log of one that is there has more time to be known.
		l.members["a"] = true
		seat = d.seat(FormerName("a"))
		for range formerAfter / foundAfter {
			say(wire.KindMove, true)
			time.Sleep(foundAfter)
		}
		b.hears(t)
		say(wire.KindMove, false)
		b.hears(t, "news: move from ?d")
	})
}

// Who makes up names to speak in takes no room from others, and is no second voice by any of them.
func TestHub_MadeUpNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _, b, c, d := clerks(t)
		say := func(x *clerk, as string) error {
			_, err := x.Seat(as, func() bool { return true }).Call(t.Context(), "b", wire.KindLinks, []byte("news"))
			return err
		}
		b.seat("b").Handle(wire.KindLinks, func(context.Context, string, []byte) ([]byte, error) { return nil, nil })
		delete(l.members, "a")
		for i := range 3 * maxClaimed {
			say(c, fmt.Sprint("nobody ", i))
			if i == maxClaimed && !isRefused(say(d, "a")) {
				t.Error("not refused at first")
			}
		}
		delete(l.members, "d")
		say(d, "no member")
		l.members["d"] = true
		if len(b.claims.list) > maxClaimsBy+1 {
			t.Errorf("%d claims are remembered", len(b.claims.list))
		}
		time.Sleep(foundAfter)
		if err := say(d, "a"); err != nil {
			t.Errorf("what is found is not taken: %v", err)
		}
		for _, name := range []string{finder + "c", FormerName(finder + "c")} {
			if !isRefused(say(c, name)) {
				t.Errorf("it speaks as %q", name)
			}
		}
	})
}

// What an acting member does wrong costs that one, not the owner it speaks for.
func TestHub_ChargesWhoActed(t *testing.T) {
	l, _, b, c, _ := clerks(t)
	b.seat("a")
	b.leads["a"] = "b"
	l.down["a"] = true
	seat := c.seat("c")
	seat.Handle(wire.KindReport, func(_ context.Context, from string, _ []byte) ([]byte, error) {
		seat.Offend(from, "nonsense", 7)
		return nil, nil
	})
	if _, err := b.call(t.Context(), "a", "c", wire.KindReport, []byte("nonsense")); err != nil {
		t.Fatal(err)
	}
	if c.net.weight("b") != 7 || c.net.weight("a") != 0 {
		t.Errorf("charged: b %d, a %d", c.net.weight("b"), c.net.weight("a"))
	}
}

func FuzzEnvelope(f *testing.F) {
	f.Add(envelope{}.seal([]byte("body")))
	f.Add(envelope{to: "a", as: "bb"}.seal(nil))
	f.Add([]byte{3, 1, 'a', 200})
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, body, err := openEnvelope(raw)
		if err == nil && !bytes.Equal(e.seal(body), raw) {
			t.Errorf("% x reads as %+v % x", raw, e, body)
		}
		if r, err := openReply(raw); err == nil && r.answer == nil && len(r.leader) > maxName {
			t.Errorf("% x reads as leader %q", raw, r.leader)
		}
	})
}

// The name of a log that was carried on elsewhere is no other member's, whatever their IDs end with.
func TestHub_NamesOfFormerLogs(t *testing.T) {
	for last := range 256 {
		id := string(append([]byte{0, 0x24, 8, 1, 0x12, 0x20}, bytes.Repeat([]byte{byte(last)}, 32)...))
		if _, err := peer.IDFromBytes([]byte(id)); err != nil {
			t.Fatal(err)
		}
		if got := ownerOf(id); got != id {
			t.Errorf("the owner of %x is %x", id, got)
		}
		if got := ownerOf(FormerName(id)); got != id || FormerName(id) == id {
			t.Errorf("the owner of the former log of %x is %x", id, got)
		}
		if got := ownerOf(finder + id); got != id || !isFinder(finder+id) || isFinder(id) {
			t.Errorf("who found a log by the name of %x is %x", id, got)
		}
		if name := FormerName(id); len(name) > maxName {
			t.Errorf("a name of %d bytes finds no room", len(name))
		}
	}
}

// Who acts for an owner counts the line as that owner does: without it, not without itself.
func TestHub_LineIsThatOfTheLog(t *testing.T) {
	l, a, _, _, _ := clerks(t)
	l.owner, l.heirs = "x", []string{"x", "b", "c", "d", "a"}
	seat := a.seat("x")
	for p, want := range map[string]bool{"b": true, "d": true, "a": false, "~c": true, "~a": false} {
		if got := seat.InLine(p, "site.test", 3); got != want {
			t.Errorf("%s among the first three behind x: %v, want %v", p, got, want)
		}
	}
}
