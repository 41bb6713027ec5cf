package slots

import (
	"bytes"
	"fmt"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/p2p/codec"
)

var (
	hub   = netip.MustParseAddrPort("192.0.2.1:0")
	begin = time.Unix(1_800_000_000, 0)
)

const slotLease = 10 * time.Second

// desk drives a table and plays the peers: what each has and has seen.
type desk struct {
	*table
	t     *testing.T
	now   time.Time
	quiet bool
	has   map[crawl.PeerID]gates.Grant
	lost  bool // answers are

	number uint64
}

func newDesk(t *testing.T) *desk {
	return &desk{table: newTable(slotLease), t: t, now: begin, has: make(map[crawl.PeerID]gates.Grant)}
}

// say has a peer say what it has and wants, and gives it and others the answers.
func (d *desk) say(by crawl.PeerID, has, wants int, more ...func(*gates.Ask)) {
	d.number++
	m := gates.Ask{Number: d.number, Has: has, Wants: wants}
	for _, f := range more {
		f(&m)
	}
	d.give(d.ask(d.now, by, hub, m, d.quiet))
}

func (d *desk) give(list []answer) {
	for _, a := range list {
		if !d.lost {
			d.has[a.to] = a.Grant
		}
	}
	if p := d.places[hub]; p != nil && !d.quiet && p.total() > p.earned {
		d.t.Errorf("%d slots are held of %d", p.total(), p.earned)
	}
}

// pass lets time pass.
func (d *desk) pass(by time.Duration) {
	d.now = d.now.Add(by)
	d.give(d.tick(d.now, func(netip.AddrPort) bool { return d.quiet }))
}

func (d *desk) want(what string, slots map[crawl.PeerID]int) {
	d.t.Helper()
	for by, n := range slots {
		if got := d.has[by].Slots; got != n {
			d.t.Errorf("%s: %s has %d slots, want %d", what, by, got, n)
		}
	}
}

func good(n int, domains ...uint32) func(*gates.Ask) {
	return func(m *gates.Ask) { m.Good, m.Domains = n, domains }
}

// earn makes an address earn slots.
func (d *desk) earn(by crawl.PeerID, slots int) {
	for i := range uint32(slots) * domainsEach {
		d.say(by, d.has[by].Slots, 1, good(0, i))
	}
	for n := 1; n < slots; n++ {
		for range n {
			d.say(by, d.has[by].Slots, 1, good(goodAnswers))
		}
	}
	if got := d.places[hub].earned; got != slots {
		d.t.Fatalf("the address earned %d slots, want %d", got, slots)
	}
}

func TestSlotTable_OneAtATimeAndRound(t *testing.T) {
	d := newDesk(t)
	d.say("a", 0, 1)
	d.want("alone", map[crawl.PeerID]int{"a": 1})
	if d.has["a"].Wanted || d.has["a"].For != slotLease {
		t.Errorf("granted %+v, want all the time, and that nobody waits", d.has["a"])
	}
	d.say("b", 0, 1)
	d.say("c", 0, 2)
	d.want("two wait", map[crawl.PeerID]int{"a": 1, "b": 0, "c": 0})
	if !d.has["a"].Wanted {
		t.Error("the holder is not told that others wait")
	}
	var order []crawl.PeerID
	holder := crawl.PeerID("a")
	for range 9 {
		d.has[holder] = gates.Grant{}
		d.say(holder, 0, 1) // it was used once; another turn waits
		for _, by := range []crawl.PeerID{"a", "b", "c"} {
			if d.has[by].Slots > 0 {
				holder = by
			}
		}
		order = append(order, holder)
	}
	if got, want := fmt.Sprint(order), "[b c a b c a b c a]"; got != want {
		t.Errorf("slots went round as %s, want %s", got, want)
	}
}

func TestSlotTable_WhatIsLostIsMadeGood(t *testing.T) {
	d := newDesk(t)
	d.lost = true
	d.say("a", 0, 1)
	d.lost = false
	d.say("a", 0, 1)
	d.want("the grant was lost", map[crawl.PeerID]int{"a": 1})

	d.say("b", 0, 1)
	d.has["a"] = gates.Grant{} // it gave the slot back, and that was lost
	d.pass(tickEvery)
	if !d.has["a"].Wanted {
		t.Fatal("the holder is not told again that others wait")
	}
	d.say("a", 0, 0)
	d.want("what was given back was lost", map[crawl.PeerID]int{"b": 1})

	// An old word of a peer takes nothing that it was granted since.
	d.say("b", 1, 1)
	d.say("b", 0, 0, func(m *gates.Ask) { m.Number = 1 })
	if n := d.places[hub].sharers["b"].slots; n != 1 {
		t.Errorf("an old word left %d slots, want 1", n)
	}
}

func TestSlotTable_KilledHolder(t *testing.T) {
	d := newDesk(t)
	d.say("a", 0, 1)
	for gone := time.Duration(0); gone < slotLease*11/10; gone += tickEvery {
		d.say("b", 0, 1)
		d.want(fmt.Sprint("after ", gone), map[crawl.PeerID]int{"b": 0})
		d.pass(tickEvery)
	}
	d.say("b", 0, 1)
	d.want("it has lapsed", map[crawl.PeerID]int{"b": 1})
	d.pass(time.Minute)
	d.pass(tickEvery)
	if len(d.places)+len(d.of) != 0 {
		t.Errorf("%d addresses and %d peers are remembered that nobody speaks of", len(d.places), len(d.of))
	}
}

func TestSlotTable_HolderThatKeepsItsSlotLosesIt(t *testing.T) {
	d := newDesk(t)
	d.say("a", 0, 1)
	for range 12 {
		d.pass(tickEvery)
		d.say("b", 0, 1)
		d.say("a", 1, 1) // it renews, whatever it is told
	}
	d.want("one that will not share", map[crawl.PeerID]int{"b": 1})
}

func TestSlotTable_Earns(t *testing.T) {
	d := newDesk(t)
	d.say("a", 0, 1)
	for range 100 {
		d.say("a", 1, 8, good(goodAnswers, 1, 2, 3))
	}
	d.want("three domains", map[crawl.PeerID]int{"a": 1})
	d.earn("a", 5)
	d.say("a", d.has["a"].Slots, 8)
	d.want("many domains and good answers", map[crawl.PeerID]int{"a": 5})
	d.t = new(testing.T) // more are held than earned, until they come back
	d.say("a", 5, 5, func(m *gates.Ask) { m.Bad = true })
	if !d.has["a"].Wanted || d.places[hub].earned != 2 {
		t.Errorf("after a bad answer: %+v of %d", d.has["a"], d.places[hub].earned)
	}
	d.t = t
	d.say("a", 2, 5)
	d.say("b", 0, 1)
	d.want("a bad answer", map[crawl.PeerID]int{"b": 0})
}

// A leader that lends one domain to many fetchers gets one request at a time from the honest ones.
func TestSlotTable_OneDomainLentToMany(t *testing.T) {
	d := newDesk(t)
	for i := range 500 {
		by := crawl.PeerID(fmt.Sprintf("fetcher-%d", i%100))
		d.say(by, min(d.has[by].Slots, i/100), 1, good(goodAnswers, 1))
	}
	if p := d.places[hub]; p.earned != 1 || p.total() != 1 {
		t.Errorf("%d of %d slots are held", p.total(), p.earned)
	}
}

// One that has no slot any more, but is believed to have one that lapses soon, gets one for its whole time when
// its turn comes.
func TestSlotTable_NoSlotForAMoment(t *testing.T) {
	d := newDesk(t)
	d.say("a", 0, 1)
	d.say("b", 0, 1)
	d.now = d.now.Add(slotLease - 100*time.Millisecond)
	d.has["a"] = gates.Grant{}
	d.say("a", 0, 1) // what it had is forgotten there
	d.want("it stands behind the other", map[crawl.PeerID]int{"a": 0, "b": 1})
	if got := d.has["b"].For; got != slotLease {
		t.Errorf("the slot is granted for %v, want %v", got, slotLease)
	}
}

func TestSlotTable_QuietLeaderGrantsNothingNew(t *testing.T) {
	d := newDesk(t)
	d.say("a", 0, 1)
	d.quiet = true // another one led meanwhile, to which it gave the slot back
	d.say("a", 0, 1)
	d.has["a"] = gates.Grant{}
	d.say("b", 1, 1)
	d.want("quiet", map[crawl.PeerID]int{"b": 1}) // of the leader before
	if n := d.places[hub].sharers["a"].slots; n != 0 {
		t.Errorf("one that gave its slot back has %d", n)
	}
	d.quiet = false
	d.say("a", 0, 1)
	d.want("the slot of before", map[crawl.PeerID]int{"a": 0})
	if !d.has["b"].Wanted {
		t.Error("the holder of before is not told that others wait")
	}
	d.say("b", 0, 0)
	d.want("it came back", map[crawl.PeerID]int{"a": 1})
	d.say("c", 3, 3)
	d.want("one that says it has some", map[crawl.PeerID]int{"c": 0})
}

func TestSlotTable_IsHandedOver(t *testing.T) {
	d := newDesk(t)
	d.say("a", 0, 1)
	d.earn("a", 3)
	d.say("b", 0, 2)
	d.say("c", 0, 0)
	w := new(codec.Writer)
	if !d.write(w, d.now, func(at netip.AddrPort) bool { return at == hub }) {
		t.Fatal("it is too long")
	}
	r := &codec.Reader{B: w.B}
	list := readTable(r, slotLease)
	if !r.Done() || len(list) != 2 || list[0].earned != 3 {
		t.Fatalf("read %+v", list)
	}
	next := newDesk(t)
	next.has, next.now = d.has, begin.Add(time.Hour) // its clock has nothing to do with that of the other
	next.take(next.now, list, func(netip.AddrPort) bool { return true })
	next.say("c", 0, 1)
	next.want("all is held", map[crawl.PeerID]int{"c": 0})
	next.say("b", 2, 2)
	next.want("it goes on", map[crawl.PeerID]int{"b": 2})
	next.pass(slotLease*11/10 + time.Second)
	next.say("c", 0, 1)
	next.want("what was handed over has lapsed", map[crawl.PeerID]int{"c": 1})
}

func TestSlotTable_IsBounded(t *testing.T) {
	d := newDesk(t)
	for i := range maxOfPeer + 10 {
		at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 0)
		d.ask(d.now, "a", at, gates.Ask{Number: 1, Wants: 1}, false)
	}
	for i := range maxSharers + 10 {
		d.ask(d.now, crawl.PeerID(fmt.Sprint(i)), hub, gates.Ask{Number: 1, Wants: 1}, false)
	}
	if n := d.of["a"]; n != maxOfPeer {
		t.Errorf("one peer shares %d addresses", n)
	}
	if n := len(d.places[hub].sharers); n != maxSharers {
		t.Errorf("%d peers share an address", n)
	}
}

// FuzzSlotMessages reads what strangers say of slots. What is read has one form, and no table fails of it.
func FuzzSlotMessages(f *testing.F) {
	m := gates.Ask{Number: 5, Has: 1, Wants: 8, Good: 3, Bad: true, Domains: []uint32{1, 1 << 31}}
	f.Add(askBody(hub, m))
	f.Add(grantBody(answer{"a", netip.MustParseAddrPort("[2001:db8::]:0"),
		gates.Grant{Number: 1, Slots: 8, For: slotLease, Wanted: true}}))
	f.Add(movedBody(hub, 9, "a"))
	f.Add(handBody(&span{id: 1, shard: "ab"}))
	w := &codec.Writer{B: []byte{byte(kindTable)}}
	table := newTable(slotLease)
	table.ask(begin, "a", hub, m, false)
	table.write(w, begin, func(netip.AddrPort) bool { return true })
	f.Add(w.B)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 || !Mine(b[0]) {
			return
		}
		rest := b[1:]
		var again []byte
		switch kind(b[0]) {
		case kindAsk:
			if at, m, ok := readAsk(rest); ok {
				again = askBody(at, m)
				table := newTable(slotLease)
				table.ask(begin, "a", at, m, true)
				table.ask(begin, "b", at, m, false)
				if p := table.places[at]; p.total() > 2*gates.MaxSlots {
					t.Errorf("%d slots", p.total())
				}
			}
		case kindGrant:
			if at, m, ok := readGrant(rest, slotLease); ok {
				again = grantBody(answer{"", at, m})
			}
		case kindMoved:
			if at, number, to, ok := readMoved(rest); ok {
				again = movedBody(at, number, to)
			}
		case kindHand:
			if h, ok := readHand(rest); ok {
				again = handBody(h)
			}
		case kindTable:
			r := &codec.Reader{B: rest}
			if list := readTable(r, slotLease); r.Done() {
				table := newTable(slotLease)
				table.take(begin, list, func(netip.AddrPort) bool { return true })
				table.tick(begin, func(netip.AddrPort) bool { return false })
			}
		}
		if again != nil && !bytes.Equal(again, b) {
			t.Errorf("%x is read, and written as %x", b, again)
		}
	})
}

func TestSlotMessages(t *testing.T) {
	m := gates.Ask{Number: 5, Has: 1, Wants: 8, Good: 3, Bad: true, Domains: []uint32{1, 1 << 31}}
	if at, got, ok := readAsk(askBody(hub, m)[1:]); !ok || at != hub || !reflect.DeepEqual(got, m) {
		t.Errorf("read %v %+v %v, want %+v", at, got, ok, m)
	}
	if n := len(askBody(hub, gates.Ask{Number: uint64(begin.UnixMilli()), Has: 1, Wants: 1,
		Domains: []uint32{1 << 30}})); n > 30 {
		t.Errorf("an ordinary question takes %d bytes", n)
	}
}
