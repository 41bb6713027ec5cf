package frontier

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

const server = "192.0.2.1"

// askSlot asks for a slot of server for a lease of its own domain.
func (r *rig) askSlot(id crawl.LeaseID) (bool, time.Duration) {
	r.t.Helper()
	return r.takeSlot(server, id, crawl.Domain(fmt.Sprintf("d%d.test", id)))
}

func (r *rig) takeSlot(address string, id crawl.LeaseID, d crawl.Domain) (bool, time.Duration) {
	r.t.Helper()
	ok, wait, err := r.TakeSlot(r.t.Context(), Slot{Address: address, By: "p", Granter: "g", Lease: id, Domain: d, For: time.Minute})
	if err != nil {
		r.t.Fatal(err)
	}
	if ok == (wait > 0) {
		r.t.Errorf("TakeSlot = %v, wait %v", ok, wait)
	}
	r.check()
	return ok, wait
}

func (r *rig) giveSlot(address string, id crawl.LeaseID, good uint32, bad bool) {
	r.t.Helper()
	r.giveUp(Unslot{Address: address, By: "p", Granter: "g", Lease: id, Gap: 5 * time.Second, Good: good, Bad: bad})
}

func (r *rig) giveUp(u Unslot) {
	r.t.Helper()
	if err := r.FreeSlot(r.t.Context(), u); err != nil {
		r.t.Fatal(err)
	}
	r.commitAll()
	r.check()
}

// commitAll returns when what was proposed before is committed.
func (r *rig) commitAll() {
	r.t.Helper()
	if _, err := r.Propose(r.t.Context(), Entry{Confirm: &Confirm{}}); err != nil {
		r.t.Fatal(err)
	}
}

// endSlots ends what is over and returns how many that were.
func (r *rig) endSlots() int {
	r.t.Helper()
	over, _, err := r.LapsedSlots(100)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range over {
		if _, err := r.Propose(r.t.Context(), Entry{Unslot: &over[i]}); err != nil {
			r.t.Fatal(err)
		}
	}
	r.check()
	return len(over)
}

func (r *rig) slotsOf(address string) (rec slotRecord, ok bool) {
	r.t.Helper()
	err := r.view(func(b *buckets) (err error) {
		rec, ok, err = b.readSlots(address)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return rec, ok
}

func TestFrontier_AddressHasOneCrawlerAtFirst(t *testing.T) {
	r := newRig(t, Config{})
	if ok, _ := r.askSlot(1); !ok {
		t.Fatal("a slot that nobody has was refused")
	}
	if ok, _ := r.askSlot(2); ok {
		t.Fatal("two have the one slot")
	}
	for _, other := range []Slot{{By: "q", Granter: "g", Lease: 1}, {By: "p", Granter: "h", Lease: 1}} {
		other.Address, other.Domain, other.For = server, "d1.test", time.Minute
		if ok, _, err := r.TakeSlot(t.Context(), other); ok || err != nil {
			t.Errorf("%s, %s has the slot of another by the number of its lease, %v", other.By, other.Granter, err)
		}
	}
	if ok, _ := r.takeSlot("192.0.2.2", 2, "d2.test"); !ok {
		t.Error("the slot of another address was refused")
	}
	if ok, _ := r.askSlot(1); !ok {
		t.Error("who has the slot may not renew it")
	}
	r.giveSlot(server, 2, 0, false) // has none
	if ok, _ := r.askSlot(3); ok {
		t.Error("the slot was given back by somebody else")
	}
}

func TestFrontier_SlotRestsForTheGap(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	r.advance(10 * time.Second)
	r.giveSlot(server, 1, 1, false)
	for _, at := range []time.Duration{0, 4 * time.Second, 999 * time.Millisecond} {
		r.advance(at)
		if ok, wait := r.askSlot(2); ok || wait > 10*time.Second {
			t.Fatalf("asked within the gap: %v, wait %v", ok, wait)
		}
		if ok, _ := r.askSlot(1); ok {
			t.Fatal("who gave the slot back had it again within the gap")
		}
	}
	r.advance(time.Millisecond)
	if ok, _ := r.askSlot(2); !ok {
		t.Error("refused behind the gap")
	}
}

// Nobody sends a request within the gap, whatever is committed together.
func TestFrontier_SlotGivenBackAndAskedForAtOnceRests(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	applied, err := r.Propose(t.Context(),
		Entry{Unslot: &Unslot{Address: server, By: "p", Granter: "g", Lease: 1, Gap: time.Second}},
		Entry{Slot: &Slot{Address: server, By: "p", Granter: "g", Lease: 2, Domain: "d2.test", For: time.Minute}})
	if err != nil || applied[1].Granted || applied[1].Wait != time.Second {
		t.Errorf("%+v, %v; want to be refused for a second", applied, err)
	}
}

func TestFrontier_SlotLapsesATenthLater(t *testing.T) {
	gap := crawl.Politeness{}.Gap(0, 0, 0)
	for _, c := range []struct {
		name string
		ends bool // by LapsedSlots, else by who asks next
	}{{"found by the leader", true}, {"found by who asks", false}} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Config{})
			r.askSlot(1)
			r.advance(66*time.Second - 1)
			if n := r.endSlots(); n != 0 {
				t.Fatalf("%d slots have lapsed too early", n)
			}
			if ok, _ := r.askSlot(2); ok {
				t.Fatal("the slot was given twice")
			}
			_, next, err := r.LapsedSlots(1)
			if want := r.clock().Add(1); err != nil || !next.Equal(want) {
				t.Errorf("look again at %v, %v, want %v", next, err, want)
			}
			r.advance(1)
			if c.ends {
				if n := r.endSlots(); n != 1 {
					t.Fatalf("%d slots have lapsed, want 1", n)
				}
			}
			if ok, wait := r.askSlot(2); ok || wait > max(gap, hurriedCommitEvery) {
				t.Fatalf("who let the slot lapse may just have made a request, granted %v, wait %v", ok, wait)
			}
			r.advance(gap)
			if c.ends {
				if n := r.endSlots(); n != 1 {
					t.Errorf("%d rests are over, want 1", n)
				}
			}
			if ok, _ := r.askSlot(2); !ok {
				t.Error("the slot is lost")
			}
		})
	}
}

// With several slots, the first that ends is not the first to be free, nor the last.
func TestSlotRecord_NthFree(t *testing.T) {
	for _, c := range []struct {
		slots uint8
		times []int64
		want  int64
	}{
		{1, []int64{7}, 7}, {1, []int64{9, 7}, 9}, {2, []int64{9, 7}, 7}, {2, []int64{9, 5, 7}, 7}, {3, []int64{9, 5, 7}, 5},
		{1, []int64{3, 9, 5}, 9}, {2, []int64{5}, 0}, {1, nil, 0},
	} {
		r := slotRecord{Slots: c.slots}
		if got := r.nthFree(c.times); got != c.want {
			t.Errorf("of %d slots, taken until %v, one is free at %d, want %d", c.slots, c.times, got, c.want)
		}
	}
}

// What a clock ends says nothing of answers, and a rest is over when it is.
func TestFrontier_SlotEndedByAClockIsNoAnswer(t *testing.T) {
	r := newRig(t, Config{})
	r.tenure(9, "d9.test", 10, false)
	r.askSlot(1)
	for _, want := range []int{1, 0} { // it rests, and then it is free
		rec, _ := r.slotsOf(server)
		u := Unslot{Address: server, Number: rec.Holders[0].Number, Gap: time.Minute, Good: 3, Bad: true}
		if _, err := r.Propose(t.Context(), Entry{Unslot: &u}); err != nil {
			t.Fatal(err)
		}
		r.check()
		if rec, _ = r.slotsOf(server); len(rec.Holders) != want || rec.Good != 10 {
			t.Errorf("%+v, want %d holders and 10 good answers", rec, want)
		}
	}
}

func TestFrontier_LapsedSlotsAreLimited(t *testing.T) {
	r := newRig(t, Config{})
	for i := range 5 {
		r.takeSlot(fmt.Sprintf("192.0.2.%d", i), 1, "a.test")
		r.advance(time.Second)
	}
	r.advance(time.Hour)
	over, next, err := r.LapsedSlots(3)
	if err != nil || len(over) != 3 || !next.Equal(r.clock()) {
		t.Errorf("%d slots, look again at %v, %v; want 3, and to look again at once", len(over), next, err)
	}
	for i, u := range over {
		if want := fmt.Sprintf("192.0.2.%d", i); u.Address != want || u.By != "p" || u.Granter != "g" || u.Lease != 1 {
			t.Errorf("slot %d is %+v, want that of %s", i, u, want)
		}
	}
	if over, next, err = r.LapsedSlots(10); err != nil || len(over) != 5 || !next.IsZero() {
		t.Errorf("%d slots, look again at %v, %v; want 5, and nothing to look for", len(over), next, err)
	}
}

// A slot is not held for years because somebody has set a clock back.
func TestFrontier_SlotOfAFutureThatDoesNotComeLapses(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	r.advance(-1000 * time.Hour)
	r.takeSlot("192.0.2.2", 2, "b.test")
	if n := r.endSlots(); n != 1 {
		t.Errorf("%d slots are over, want the one of the future", n)
	}
	if rec, _ := r.slotsOf("192.0.2.2"); len(rec.Holders) != 1 || rec.Holders[0].Resting {
		t.Error("the other one was ended too")
	}
}

func TestFrontier_WhatAReleaseSaysIsCut(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	r.giveUp(Unslot{Address: server, By: "p", Granter: "g", Lease: 1, Gap: 24 * time.Hour, Good: 1 << 30, Number: 77})
	rec, _ := r.slotsOf(server)
	if len(rec.Holders) != 1 || rec.Holders[0].For != MaxSlotGap || rec.Good != MaxLeaseTasks {
		t.Errorf("%+v, want a rest of %v and %d answers", rec, MaxSlotGap, MaxLeaseTasks)
	}
}

// Who says that there need be no gap is believed only if it has sent nothing.
func TestFrontier_SlotThatWasUsedRestsForTheLeastGap(t *testing.T) {
	least := crawl.Politeness{}.Gap(0, 0, 0)
	for _, c := range []struct {
		u    Unslot
		rest time.Duration
	}{
		{Unslot{}, 0}, {Unslot{Good: 1}, least}, {Unslot{Bad: true}, least}, {Unslot{Gap: 1}, least}, {Unslot{Gap: least + 1, Good: 1}, least + 1},
	} {
		r := newRig(t, Config{})
		r.askSlot(1)
		c.u.Address, c.u.By, c.u.Granter, c.u.Lease = server, "p", "g", 1
		r.giveUp(c.u)
		var rest time.Duration
		if rec, _ := r.slotsOf(server); len(rec.Holders) > 0 {
			rest = rec.Holders[0].For
		}
		if rest != c.rest {
			t.Errorf("%+v: it rests for %v, want %v", c.u, rest, c.rest)
		}
	}
}

func TestFrontier_SlotForLongerThanALeaseIsCut(t *testing.T) {
	r := newRig(t, Config{LeaseFor: time.Second})
	r.askSlot(1)
	if rec, _ := r.slotsOf(server); rec.Holders[0].For != time.Second {
		t.Errorf("held for %v", rec.Holders[0].For)
	}
}

// What a clock found over may have been renewed before that is committed.
func TestFrontier_RenewedSlotDoesNotLapse(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	r.advance(66 * time.Second)
	over, _, err := r.LapsedSlots(10)
	if err != nil || len(over) != 1 {
		t.Fatalf("%d slots have lapsed, %v", len(over), err)
	}
	slot := Slot{Address: server, By: "p", Granter: "g", Lease: 1, Domain: "d1.test", For: time.Minute}
	applied, err := r.Propose(t.Context(), Entry{Slot: &slot}, Entry{Unslot: &over[0]})
	if err != nil || !applied[0].Granted {
		t.Fatalf("%+v, %v", applied, err)
	}
	if ok, _ := r.askSlot(2); ok {
		t.Error("the renewal was undone")
	}
	r.advance(66*time.Second - 1)
	if n := r.endSlots(); n != 0 {
		t.Error("the renewed slot lapses by its old time")
	}
	r.advance(1)
	if n := r.endSlots(); n != 1 {
		t.Error("the renewed slot never lapses")
	}
}

// tenure lets one lease have a slot for as long as it takes.
func (r *rig) tenure(id crawl.LeaseID, d crawl.Domain, good uint32, bad bool) {
	r.t.Helper()
	if ok, _ := r.takeSlot(server, id, d); !ok {
		r.t.Fatalf("lease %d was refused", id)
	}
	r.giveSlot(server, id, good, bad)
	r.advance(5 * time.Second)
	r.endSlots()
}

func TestFrontier_SlotsAreEarnedByManyDomainsAndGoodAnswers(t *testing.T) {
	for _, c := range []struct {
		name    string
		good    uint32 // answers of each lease
		domains int
		leases  int
		want    uint8
	}{
		{"one lease short of the answers", 16, 4, 3, 1},
		{"enough", 16, 4, 4, 2},
		{"a domain short", 100, 3, 50, 1},
		{"answers short", 1, 60, 63, 1},
		{"answers just enough", 1, 60, 64, 2},
		{"the second takes twice as much", 16, 8, 4 + 7, 2},
		{"and gets it", 16, 8, 4 + 8, 3},
		{"of twice as many domains, too few answers", 8, 60, 8 + 15, 2},
		{"and enough", 8, 60, 8 + 16, 3},
		{"no more than the most", MaxLeaseTasks, 100, 400, MaxSlots},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Config{})
			for i := range c.leases {
				r.tenure(crawl.LeaseID(i+1), crawl.Domain(fmt.Sprintf("d%d.test", i%c.domains)), c.good, false)
			}
			rec, ok := r.slotsOf(server)
			if !ok || rec.Slots != c.want {
				t.Fatalf("%d slots, want %d", rec.Slots, c.want)
			}
			for i := range c.want {
				if ok, _ := r.askSlot(crawl.LeaseID(1000 + int(i))); !ok {
					t.Fatalf("slot %d of %d was refused", i+1, c.want)
				}
			}
			if ok, _ := r.askSlot(2000); ok {
				t.Errorf("more than %d have one", c.want)
			}
		})
	}
}

func TestFrontier_BadAnswerTakesASlotBack(t *testing.T) {
	r := newRig(t, Config{})
	for i := range 4 + 8 {
		r.tenure(crawl.LeaseID(i+1), crawl.Domain(fmt.Sprintf("d%d.test", i)), 16, false)
	}
	r.tenure(90, "d90.test", 10, false)
	for i := range 2 {
		r.askSlot(crawl.LeaseID(100 + i))
	}
	r.giveSlot(server, 100, 20, true) // of 3 slots, 2 are left, with one held and one resting
	if ok, _ := r.askSlot(200); ok {
		t.Error("three have one of two slots")
	}
	if rec, _ := r.slotsOf(server); rec.Slots != 2 || rec.Good != 0 || len(rec.Domains) != 0 {
		t.Errorf("%+v after a bad answer, want 2 slots, and to begin anew", rec)
	}
	r.advance(5 * time.Second)
	if ok, _ := r.askSlot(200); !ok {
		t.Error("the second slot was refused")
	}
	for i, want := range []uint8{1, 1} {
		r.giveSlot(server, crawl.LeaseID(101+i*99), 0, true)
		if rec, _ := r.slotsOf(server); rec.Slots != want || rec.Good != 0 || len(rec.Domains) != 0 {
			t.Errorf("%+v after another bad answer, want %d slots, and to begin anew", rec, want)
		}
	}
}

func TestFrontier_AddressThatNobodyVisitsLosesItsSlots(t *testing.T) {
	r := newRig(t, Config{})
	for i := range 4 {
		r.tenure(crawl.LeaseID(i+1), crawl.Domain(fmt.Sprintf("d%d.test", i)), 16, false)
	}
	other := 0
	visitAnother := func() {
		other++
		address := fmt.Sprintf("198.51.100.%d", other)
		r.takeSlot(address, 9, "o.test")
		r.giveSlot(address, 9, 0, false)
	}
	for _, c := range []struct {
		wait  time.Duration
		slots uint8
	}{{24*time.Hour - 10*time.Second, 2}, {10 * time.Second, 1}, {24*time.Hour - 1, 1}, {1, 0}} {
		r.advance(c.wait)
		visitAnother()
		if rec, ok := r.slotsOf(server); rec.Slots != c.slots || ok != (c.slots > 0) {
			t.Errorf("%d slots, known %v; want %d", rec.Slots, ok, c.slots)
		}
	}
}

func TestFrontier_AddressInUseIsNotForgotten(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	for range 50 {
		r.advance(time.Hour)
		if ok, _ := r.askSlot(1); !ok {
			t.Fatal("a renewal was refused")
		}
		r.takeSlot("198.51.100.1", 9, "o.test")
	}
	if ok, _ := r.askSlot(2); ok {
		t.Error("it was forgotten who has the slot")
	}
}

// The address that nobody has visited for longest makes room for a new one, and if all are being
// visited, there is none.
func TestFrontier_AddressesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: as many addresses as there may be")
	}
	r := newRig(t, Config{})
	name := func(i int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255) }
	in := func(do func(m *machine)) {
		t.Helper()
		err := r.db.Update(func(tx *storage.Tx) error {
			m, err := newMachine(tx, &r.cfg)
			if err != nil {
				return err
			}
			do(m)
			return m.flush()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slot := func(m *machine, i int) bool {
		m.meta.At += int64(time.Millisecond)
		a, err := m.slot(&Slot{Address: name(i), Lease: 1, Domain: "a.test", For: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return a.Granted
	}
	const batch = 500 // a transaction of many takes long
	for i := 0; i < maxSlotAddresses; i += batch {
		in(func(m *machine) {
			for k := range batch {
				if !slot(m, i+k) {
					t.Fatalf("address %d was refused", i+k)
				}
			}
		})
	}
	in(func(m *machine) {
		if slot(m, maxSlotAddresses) {
			t.Error("an address in use was forgotten")
		}
		unused := []int{7, 5, 6}
		for _, i := range unused {
			m.meta.At += int64(time.Millisecond)
			if err := m.unslot(&Unslot{Address: name(i), Lease: 1}); err != nil {
				t.Fatal(err)
			}
		}
		for k, gone := range unused {
			if !slot(m, maxSlotAddresses+1+k) {
				t.Fatal("refused in spite of one that nobody visits")
			}
			if _, ok, _ := m.b.readSlots(name(gone)); ok {
				t.Errorf("address %d was used least recently, and is known still", gone)
			}
		}
		if slot(m, maxSlotAddresses+10) {
			t.Error("an address in use was forgotten")
		}
	})
	r.check()
}

func TestFrontier_HoldSlots(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	until := r.clock().Add(time.Minute)
	r.HoldSlots(until, func(address string) bool { return !strings.HasPrefix(address, "198.") })
	if ok, _ := r.askSlot(1); !ok {
		t.Error("a slot that is held here may not be renewed")
	}
	if ok, wait := r.takeSlot("192.0.2.9", 2, "d2.test"); ok || wait != time.Minute {
		t.Errorf("TakeSlot = %v, wait %v, want to be refused for a minute", ok, wait)
	}
	if ok, _ := r.takeSlot("198.51.100.1", 3, "d3.test"); !ok {
		t.Error("another address was held")
	}
	r.HoldSlots(until.Add(-time.Second), func(address string) bool { return address == "198.51.100.9" })
	for _, address := range []string{"192.0.2.9", "198.51.100.9"} {
		if ok, _ := r.takeSlot(address, 2, "d2.test"); ok {
			t.Errorf("one of two holds of %s is forgotten", address)
		}
	}
	r.HoldSlots(until.Add(time.Minute), nil)
	if ok, wait := r.takeSlot("198.51.100.2", 4, "d4.test"); ok || wait != 2*time.Minute {
		t.Errorf("TakeSlot = %v, wait %v, want to be refused for two minutes", ok, wait)
	}
	r.advance(2*time.Minute - 1)
	if ok, _ := r.takeSlot("192.0.2.9", 2, "d2.test"); ok {
		t.Error("granted before the hold was over")
	}
	r.advance(1)
	if ok, _ := r.takeSlot("192.0.2.9", 2, "d2.test"); !ok {
		t.Error("refused behind the hold")
	}
	for i := range 10 * maxSlotHolds {
		r.HoldSlots(r.clock().Add(time.Duration(i+1)*time.Second), func(string) bool { return false })
	}
	if n := len(r.desk.holds); n > maxSlotHolds {
		t.Errorf("%d holds are remembered", n)
	}
}

// Those who wait are told different times, so that they do not all come at once, and in vain.
func TestFrontier_RefusedComeBackOneAfterTheOther(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	first := time.Duration(0)
	last := time.Duration(0)
	for i := range 30 {
		_, wait := r.askSlot(crawl.LeaseID(10 + i))
		if i == 0 {
			first = wait
		}
		if wait <= last || wait > maxComeBack {
			t.Fatalf("number %d is told to wait %v, the one before %v", i, wait, last)
		}
		last = wait
	}
	if first > time.Minute {
		t.Errorf("the first is told to wait %v, as if nobody gave a slot back", first)
	}
	for _, held := range []time.Duration{5 * time.Second, 45 * time.Second} {
		for range 12 {
			r.advance(held)
			r.giveSlot(server, 1, 1, false)
			r.advance(5 * time.Second)
			r.askSlot(1)
		}
		r.advance(2 * maxComeBack)
		r.endSlots()
		r.advance(time.Minute)
		r.askSlot(1)
		_, before := r.askSlot(50)
		_, behind := r.askSlot(51)
		if want := held + 5*time.Second; before < want*9/10 || before > want || behind-before < want*9/10 || behind-before > want {
			t.Errorf("slots are held and rest for %v, and those who wait are told to come in %v and %v", want, before, behind)
		}
	}
	for i := range 2000 {
		_, wait, err := r.TakeSlot(t.Context(), Slot{Address: server, Lease: 99, Domain: crawl.Domain(fmt.Sprint(i)), For: time.Minute})
		if err != nil || wait > maxComeBack {
			t.Fatalf("told to wait %v, %v", wait, err)
		}
	}
	_, wait := r.askSlot(60)
	r.advance(time.Second)
	for range 10 {
		if _, again := r.askSlot(60); again != wait-time.Second {
			t.Errorf("who asks too early is told %v, want %v", again, wait-time.Second)
		}
	}
}

func TestFrontier_LinesOfAddressesAreBounded(t *testing.T) {
	r := newRig(t, Config{})
	look := slotLook{slots: 1, began: []int64{0}, ends: []int64{r.clock().UnixNano()}}
	for i := range 2 * maxSlotLines {
		for k := range 4 {
			r.comeBack(&Slot{Address: fmt.Sprint(i), Domain: crawl.Domain(fmt.Sprint(k))}, look)
		}
	}
	if n := len(r.desk.tickets); n > maxSlotTickets {
		t.Errorf("%d of those who wait are remembered", n)
	}
	if n := len(r.desk.lines); n > maxSlotLines {
		t.Errorf("%d lines are remembered", n)
	}
	r.advance(time.Hour)
	r.comeBack(&Slot{Address: "new"}, look)
	if n, k := len(r.desk.lines), len(r.desk.tickets); n != 1 || k != 1 {
		t.Errorf("%d lines and %d tickets are remembered of which nobody has need", n-1, k-1)
	}
}

func TestFrontier_RefusalCostsNoCommit(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	before := dumpAll(t, r.db)
	for i := range 100 {
		r.askSlot(crawl.LeaseID(2 + i))
	}
	if dumpAll(t, r.db) != before {
		t.Error("refusals were committed")
	}
}

func TestFrontier_SlotThatIsNoneIsRefused(t *testing.T) {
	r := newRig(t, Config{})
	good := Slot{Address: server, By: "p", Granter: "g", Lease: 1, Domain: "a.test", For: time.Minute}
	for _, spoil := range []func(*Slot){
		func(s *Slot) { s.Address = "a.test" }, func(s *Slot) { s.Address = "192.0.2.01" }, func(s *Slot) { s.Address = "" },
		func(s *Slot) { s.By = strings.Repeat("p", MaxPeer+1) }, func(s *Slot) { s.Granter = strings.Repeat("p", MaxGranter+1) },
		func(s *Slot) { s.Lease = 0 }, func(s *Slot) { s.Domain = "" }, func(s *Slot) { s.For = 0 }, func(s *Slot) { s.For = -1 },
	} {
		s := good
		spoil(&s)
		if ok, _, err := r.TakeSlot(t.Context(), s); ok || !errors.Is(err, ErrEntry) {
			t.Errorf("TakeSlot(%+v) = %v, %v", s, ok, err)
		}
	}
	for _, u := range []Unslot{{Address: "x", Lease: 1}, {Address: server}, {Address: server, Number: 7}, {Address: server, Lease: 1, By: strings.Repeat("p", MaxPeer+1)}} {
		if err := r.FreeSlot(t.Context(), u); !errors.Is(err, ErrEntry) {
			t.Errorf("FreeSlot(%+v) = %v", u, err)
		}
	}
	for _, u := range []Unslot{
		{Address: server, Lease: 1, Gap: -1}, {Address: server, Lease: 1, Gap: MaxSlotGap + 1}, {Address: server, Lease: 1, Good: MaxLeaseTasks + 1},
	} {
		if _, err := r.Propose(t.Context(), Entry{Unslot: &u}); !errors.Is(err, ErrEntry) {
			t.Errorf("Propose(%+v) = %v", u, err)
		}
	}
	s := good
	if s.For = 2 * maxSlotFor; s.validate() == nil {
		t.Error("an entry may hold a slot for ever")
	}
	if _, ok := r.slotsOf(server); ok {
		t.Error("something was taken in")
	}
}

func TestValidAddress(t *testing.T) {
	for s, want := range map[string]bool{
		"192.0.2.1": true, "2001:db8:1:2::/64": true, "2001:db8::/64": true, "127.0.0.1:8001": true, "[::1]:8001": true,
		"": false, "a.test": false, "192.0.2.1 ": false, "192.0.2.001": false, "192.0.2.1/32": false, "192.0.2.0/24": false, "::ffff:192.0.2.1": false,
		"2001:db8:1:2::1": false, "2001:db8:1:2::1/64": false, "2001:db8:1:2::/63": false, "2001:DB8:1:2::/64": false, "2001:0db8:1:2::/64": false,
		"::ffff:0:0/64": false, "127.0.0.1:0": false, "127.0.0.1:08001": false, "[::ffff:127.0.0.1]:80": false, "[fe80::1%eth0]:80": false, "fe80::1%eth0": false,
		strings.Repeat("1", 100): false,
	} {
		if got := ValidAddress(s); got != want {
			t.Errorf("ValidAddress(%q) = %v, want %v", s, got, want)
		}
	}
}

func FuzzValidAddress(f *testing.F) {
	f.Add("192.0.2.1")
	f.Add("2001:db8:1:2::/64")
	f.Add("[::1]:80")
	f.Fuzz(func(t *testing.T, s string) {
		if ValidAddress(s) && (strings.ToLower(s) != s || strings.TrimSpace(s) != s || len(s) > maxSlotAddress) {
			t.Errorf("%q is one of several names of an address", s)
		}
	})
}

// Check sees whatever does not agree.
func TestCheck_SeesWhatIsWrongWithSlots(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	r.takeSlot("192.0.2.2", 2, "b.test")
	r.giveUp(Unslot{Address: "192.0.2.2", By: "p", Granter: "g", Lease: 2})
	rec, _ := r.slotsOf(server)
	idle, _ := r.slotsOf("192.0.2.2")
	put := func(b *buckets, address string, change func(*slotRecord)) {
		rec, _, _ := b.readSlots(address)
		change(&rec)
		putRecord(b.slots, slotKey(address), &rec)
	}
	n := rec.Holders[0].Number
	for name, damage := range map[string]func(b *buckets){
		"a record":             func(b *buckets) { b.slots.Put(slotKey(server), []byte("x")) },
		"no record":            func(b *buckets) { b.slots.Delete(slotKey(server)) },
		"no slots":             func(b *buckets) { put(b, server, func(r *slotRecord) { r.Slots = 0 }) },
		"too many slots":       func(b *buckets) { put(b, server, func(r *slotRecord) { r.Slots = 9 }) },
		"a holder twice":       func(b *buckets) { put(b, server, func(r *slotRecord) { r.Holders = append(r.Holders, r.Holders[0]) }) },
		"no holder":            func(b *buckets) { put(b, server, func(r *slotRecord) { r.Holders = nil }) },
		"half a hash":          func(b *buckets) { put(b, server, func(r *slotRecord) { r.Domains = []byte{1} }) },
		"no clock":             func(b *buckets) { b.slotTimes.Delete(slotClockKey(server, n)) },
		"a clock out of order": func(b *buckets) { b.slotTimes.Put(slotClockKey(server, n), make([]byte, 8)) },
		"no place in time": func(b *buckets) {
			b.slotTimes.Delete(first(b.slotTimes))
			b.slotTimes.Delete([]byte(lastKey(b.slotTimes)))
		},
		"a clock of nobody":    func(b *buckets) { b.setSlotTime("192.0.2.7", 5, 1) },
		"no place in last use": func(b *buckets) { b.slots.Delete(slotIdleKey(idle.Idle, "192.0.2.2")) },
		"a wrong place in use": func(b *buckets) { b.slots.Put(slotIdleKey(7, "192.0.2.2"), []byte{}) },
		"in use and not":       func(b *buckets) { b.slots.Put(slotIdleKey(0, server), []byte{}) },
		"a strange key":        func(b *buckets) { b.slots.Put([]byte("x"), []byte{}) },
		"a strange address":    func(b *buckets) { b.slots.Put(slotKey("x"), b.slots.Get(slotKey(server))) },
		"the head":             func(b *buckets) { b.slots.Put(keySlots, []byte("x")) },
		"no head":              func(b *buckets) { b.slots.Delete(keySlots) },
		"a wrong count":        func(b *buckets) { putRecord(b.slots, keySlots, &slotHead{Addresses: 3, Number: 9}) },
		"a low number":         func(b *buckets) { putRecord(b.slots, keySlots, &slotHead{Addresses: 2}) },
	} {
		err := r.db.Update(func(tx *storage.Tx) error {
			b, err := openBuckets(tx, "self")
			if err != nil {
				return err
			}
			damage(&b)
			if r.checkIn(tx) == nil {
				t.Errorf("%s: Check sees nothing", name)
			}
			if err := mendAndCompare(t, tx, &r.cfg, nil, nil); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, ok, err := b.readSlots("192.0.2.2"); !ok || err != nil {
				t.Errorf("%s: an address is lost", name)
			}
			return errUndo
		})
		if err != errUndo {
			t.Error(err)
		}
	}
}

func lastKey(b *storage.Bucket) string {
	key, _ := b.Cursor().Last()
	return string(key)
}

// An address of which it is lost who visits it is left alone for a while.
func TestRepair_LostSlotIsNoLeaveToHurry(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	r.db.Update(func(tx *storage.Tx) error {
		b, _ := openBuckets(tx, "self")
		return b.slots.Put(slotKey(server), []byte("x"))
	})
	mended, err := Repair(t.Context(), r.db, r.cfg, false)
	if text := fmt.Sprint(mended); err != nil || !strings.Contains(text, "damaged records of who visits which address: 1,") {
		t.Errorf("Repair = %s, %v", text, err)
	}
	r.advance(slotMendFor - 1)
	if ok, _ := r.askSlot(2); ok {
		t.Error("the slot is free at once")
	}
	r.advance(1)
	if ok, _ := r.askSlot(2); !ok {
		t.Error("the slot is never free")
	}
}

func TestRepair_MendsAnyDamageOfSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	r := newRig(t, Config{})
	for i := range 60 {
		address := fmt.Sprintf("192.0.2.%d", rng.IntN(20))
		r.takeSlot(address, crawl.LeaseID(i+1), "a.test")
		if rng.IntN(2) == 0 {
			r.giveSlot(address, crawl.LeaseID(i+1), 1, false)
		}
		r.advance(time.Duration(rng.IntN(3)) * time.Second)
	}
	r.endSlots()
	for round := range 400 {
		v := &vandal{rng: rand.New(rand.NewPCG(1, uint64(round))), hurt: make(map[string]bool)}
		err := r.db.Update(func(tx *storage.Tx) error {
			v.log = tx.Bucket(storage.BucketLogs).Bucket([]byte("self"))
			var done []string
			for range 1 + v.rng.IntN(20) {
				done = append(done, v.strike([]string{"slots", "slottimes"}[v.rng.IntN(2)]))
			}
			if err := mendAndCompare(t, tx, &r.cfg, nil, nil); err != nil {
				return fmt.Errorf("%w\nafter %s", err, strings.Join(done, "\n"))
			}
			return errUndo
		})
		if err != errUndo {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// A clock that a member has not begun, it begins when somebody asks.
func TestFrontier_SlotWithoutAClockIsCountedInFull(t *testing.T) {
	r := newRig(t, Config{})
	r.askSlot(1)
	rec, _ := r.slotsOf(server)
	r.db.Update(func(tx *storage.Tx) error {
		b, _ := openBuckets(tx, "self")
		return b.dropSlotTime(server, rec.Holders[0].Number)
	})
	r.advance(time.Hour)
	if ok, _ := r.askSlot(2); ok {
		t.Fatal("granted, though it is not known since when the slot is held")
	}
	r.advance(66 * time.Second)
	r.endSlots()
	r.advance(2 * time.Second)
	if ok, _ := r.askSlot(2); !ok {
		t.Error("the slot never lapses")
	}
}

// led is the log of a member that another leads.
type led struct{ Log }

func (led) Leads() bool { return false }

func TestFrontier_OnlyTheLeaderGrantsSlots(t *testing.T) {
	r := newRig(t, Config{})
	r.log = led{r.log}
	if _, _, err := r.TakeSlot(t.Context(), Slot{Address: server, Lease: 1, Domain: "a.test", For: 1}); !errors.Is(err, ErrNotLed) {
		t.Errorf("TakeSlot: %v", err)
	}
	if err := r.FreeSlot(t.Context(), Unslot{Address: server, Lease: 1}); !errors.Is(err, ErrNotLed) {
		t.Errorf("FreeSlot: %v", err)
	}
}

func FuzzSlotEntries(f *testing.F) {
	slot := &Slot{Address: server, By: "p", Granter: "g", Lease: 1, Domain: "a.test", For: time.Minute}
	seed, _ := encodeEntries([]Entry{
		{Slot: slot}, {Slot: slot}, {Slot: &Slot{Address: server, Lease: 2, Domain: "b.test", For: 1}},
		{Unslot: &Unslot{Address: server, By: "p", Granter: "g", Lease: 1, Gap: 1, Good: 3}}, {Unslot: &Unslot{Address: server, Number: 3}}, {Slot: slot},
		{Unslot: &Unslot{Address: server, By: "p", Granter: "g", Lease: 1, Bad: true}}, {Slot: &Slot{Address: "[::1]:80", Lease: 2, Domain: "b.test", For: 1}},
	})
	f.Add(seed)
	db, cfg := lived(f, 1)
	f.Fuzz(func(t *testing.T, data []byte) {
		db.Update(func(tx *storage.Tx) error {
			m, err := newMachine(tx, &cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.apply(data); err != nil {
				return errUndo
			}
			if err := m.flush(); err != nil {
				t.Fatal(err)
			}
			if err := (&Frontier{cfg: cfg}).checkIn(tx); err != nil {
				t.Fatal(err)
			}
			return errUndo
		})
	})
}
