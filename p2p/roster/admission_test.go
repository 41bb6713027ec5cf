package roster

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/signed"
)

// town is a network whose members vouch for each other as far as a rule lets them, without any host.
type town struct {
	tb      testing.TB
	clock   *clock
	set     *Set
	members map[int]*Record
}

func newTown(tb testing.TB, lab bool) *town {
	c := newClock()
	return &town{tb: tb, clock: c, members: make(map[int]*Record),
		set: newSet(c, func(cfg *Config) { cfg.Lab, cfg.MaxPerNet = lab, 2 })}
}

// join has the nth key claim eight units at an address, with vouches of others.
func (w *town) join(n int, addr string, signers ...int) error {
	w.tb.Helper()
	r := record(1)
	r.Capacity, r.Addrs, r.Joined, r.Issued = 8, addrs(addr), signed.HourOf(w.clock.now()), w.clock.now().Unix()
	w.members[n] = &r
	return w.renew(n, signers...)
}

// renew has it say that it is still there, with vouches of others, or the old ones.
func (w *town) renew(n int, signers ...int) error {
	w.tb.Helper()
	_, id := testKey(w.tb, n)
	r := w.members[n]
	r.Peer, r.Seq, r.Issued = id, r.Seq+1, w.clock.now().Unix()
	if len(signers) > 0 {
		r.Vouches = vouches(w.tb, id, *r, signers...)
	}
	_, err := w.set.Add("", seal(w.tb, n, *r))
	return err
}

// pass lets days pass in which every admitted member renews its record, and its vouches when it has none of the last
// week: by the founder and by some of those that came first.
func (w *town) pass(days int) {
	for range (days + 1) / 2 {
		for range 4 {
			w.clock.advance(11 * time.Hour)
			w.set.Expire(w.clock.now())
		}
		all := slices.DeleteFunc(slices.Sorted(maps.Keys(w.members)), func(n int) bool { return !w.admitted(n) })
		for i, n := range all {
			if r := w.members[n]; len(r.Vouches) > 1 && signed.HourOf(w.clock.now())-r.Vouches[0].Hour < 7*24 {
				if err := w.renew(n); err != nil {
					w.tb.Fatal(err)
				}
				continue
			}
			signers := []int{founder}
			for k := 1; k <= min(6, len(all)-1); k++ {
				if s := all[(i+k)%min(len(all), 25)]; s != n {
					signers = append(signers, s)
				}
			}
			if err := w.renew(n, signers...); err != nil {
				w.tb.Fatal(err)
			}
		}
	}
}

func (w *town) admitted(n int) bool {
	_, id := testKey(w.tb, n)
	return w.set.Admitted(id)
}

func (w *town) units(of func(n int) bool) (some, all int) {
	mine := make(map[peer.ID]bool)
	for n := range w.members {
		_, id := testKey(w.tb, n)
		mine[id] = of(n)
	}
	for _, m := range w.set.Owners() {
		all += int(m.Units)
		if mine[m.Peer] {
			some += int(m.Units)
		}
	}
	return some, all
}

// apart is the nth of addresses that are each in a network of its own.
func apart(n int) string { return fmt.Sprintf("/ip4/%d.%d.0.1/tcp/4001", 20+n/200, 1+n%200) }

func TestAdmission_NeedsVouchesThatCount(t *testing.T) {
	w := newTown(t, false)
	other := func(change func(*Record)) []byte {
		_, id := testKey(t, 1)
		r := record(1)
		r.Peer, r.Joined = id, signed.HourOf(w.clock.now())
		r.Vouches = vouches(t, id, r, founder)
		change(&r)
		return seal(t, 1, r)
	}
	cases := []struct {
		name string
		raw  []byte
		want error
	}{
		{"none", other(func(r *Record) { r.Vouches = nil }), ErrUnvouched},
		{"of a stranger", other(func(r *Record) { r.Vouches = vouches(t, r.Peer, *r, 2) }), ErrUnvouched},
		{"that lapsed", other(func(r *Record) {
			old := *r
			old.Issued -= int64(signed.VouchLife/time.Second) + signed.Hour
			r.Vouches = vouches(t, r.Peer, old, founder)
		}), ErrUnvouched},
		{"of tomorrow", other(func(r *Record) {
			old := *r
			old.Issued += 24 * signed.Hour
			r.Vouches = vouches(t, r.Peer, old, founder)
		}), ErrUnvouched},
		{"at another address", other(func(r *Record) { r.Addrs = addrs("/ip4/6.6.6.6/tcp/7708") }), ErrUnvouched},
		{"for another member", other(func(r *Record) {
			_,
				id := testKey(t, 2)
			r.Vouches = vouches(t, id, *r, founder)
		}), ErrInvalid},
		{"for another beginning", other(func(r *Record) { r.Joined -= 1000 }), ErrInvalid},
		{"that count", other(func(*Record) {}), nil},
	}
	for _, c := range cases {
		if _, err := w.set.Add("", c.raw); !errors.Is(err, c.want) {
			t.Errorf("a record with vouches %s: %v, want %v", c.name, err, c.want)
		}
	}
	if !w.admitted(1) || len(w.set.Owners()) != 1 {
		t.Errorf("admitted %v, %d owners; want the member", w.admitted(1), len(w.set.Owners()))
	}
}

// The record of one that is not admitted is taken from itself alone, and told to nobody.
func TestAdmission_WhoWaitsIsKnownToWhoItTold(t *testing.T) {
	w := newTown(t, false)
	r := record(1)
	r.Joined = signed.HourOf(w.clock.now())
	_, id := testKey(t, 1)
	digest := w.set.Digest()
	if changed, err := w.set.Add(id, seal(t, 1, r)); !changed || err != nil {
		t.Fatal(changed, err)
	}
	if _, is := w.set.Get(id); !is || w.set.Admitted(id) || len(w.set.Owners()) > 0 || w.set.Digest() != digest {
		t.Error("one that waits is not known, or counts")
	}
	summary, _, _ := newSet(w.clock).Summary("", 0, MaxSummary)
	if items, err := w.set.Missing(w.set.cfg.Self, summary, 10, 1<<20); len(items) > 0 || err != nil {
		t.Errorf("%d items told, %v", len(items), err)
	}
	for n := range 3 * MaxWaiting {
		_, id := testKey(t, 100+n)
		if _, err := w.set.Add(id, seal(t, 100+n, r)); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(w.set.Members()); got != MaxWaiting {
		t.Errorf("%d wait, want %d", got, MaxWaiting)
	}
}

func TestAdmission_EstablishedMembersVouchAfterAWeek(t *testing.T) {
	for _, lab := range []bool{false, true} {
		w := newTown(t, lab)
		if err := w.join(1, apart(1), founder); err != nil {
			t.Fatal(err)
		}
		if err := w.join(2, apart(2), 1); (err == nil) != lab {
			t.Errorf("lab %v: a vouch of a newcomer: %v", lab, err)
		}
		w.pass(8)
		if err := w.join(3, apart(3), 1); err != nil {
			t.Errorf("lab %v: a vouch of an established member: %v", lab, err)
		}
	}
}

// From twenty established members on, vouches must come from three networks.
func TestAdmission_ThreeNetworksVouch(t *testing.T) {
	w := newTown(t, false)
	for n := range 25 {
		if err := w.join(n, apart(n), founder); err != nil {
			t.Fatal(err)
		}
	}
	w.pass(8)
	if err := w.join(100, apart(100), 1, 2); !errors.Is(err, ErrUnvouched) {
		t.Errorf("vouches from two networks: %v", err)
	}
	if err := w.join(100, apart(100), 1, 2, 3); err != nil {
		t.Errorf("vouches from three networks: %v", err)
	}
	for n := range 25 {
		if !w.admitted(n) {
			t.Errorf("member %d does not count any more", n)
		}
	}
}

// A hundred identities that can be dialled get a third of the ring in their first month, and no more than their number
// from one network; members that were there first lose no place.
func TestAdmission_ManyIdentitiesGetAThird(t *testing.T) {
	for _, c := range []struct {
		name string
		addr func(n int) string
		most float64
	}{
		{"one /24", func(n int) string { return fmt.Sprintf("/ip4/99.9.9.%d/tcp/4001", n+1) }, 2.0 / 100},
		{"one /16", func(n int) string { return fmt.Sprintf("/ip4/99.9.%d.1/tcp/4001", n+1) }, 8.0 / 100},
		{"a hundred networks", func(n int) string { return apart(1000 + n) }, 1.0 / 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newTown(t, false)
			for n := range 25 {
				if err := w.join(n, apart(n), founder); err != nil {
					t.Fatal(err)
				}
			}
			w.pass(60)
			for n := range 100 {
				if err := w.join(1000+n, c.addr(n), founder, 1, 2, 3); err != nil {
					t.Fatal(err)
				}
			}
			for day := 0; day < 30; day += 2 {
				if evil, all := w.units(func(n int) bool { return n >= 1000 }); float64(evil) > c.most*float64(all) {
					t.Fatalf("day %d: %d of %d units are theirs, want at most %.2f", day, evil, all, c.most)
				}
				honest := 0
				for n := range 25 {
					if w.admitted(n) {
						honest++
					}
				}
				if honest != 25 || len(w.set.Owners()) < 25 {
					t.Fatalf("day %d: %d of the first count, %d own", day, honest, len(w.set.Owners()))
				}
				w.pass(2)
			}
		})
	}
}

// Three established members that collude bring in no more than they own themselves, and no old members at all.
func TestAdmission_ColludersGetNoMoreThanTheirShare(t *testing.T) {
	w := newTown(t, false)
	for n := range 25 {
		if err := w.join(n, apart(n), founder); err != nil {
			t.Fatal(err)
		}
	}
	w.pass(60)
	_, self := testKey(t, 0)
	w.set.cfg.Self = self
	w.pass(4)
	before, _ := w.units(func(n int) bool { return n < 3 })
	for n := range 200 {
		if err := w.join(1000+n, apart(1000+n), 0, 1, 2); err != nil {
			t.Fatal(err)
		}
		r := w.members[1000+n]
		r.Joined -= 80 * 24 // they claim to be old
		if err := w.renew(1000+n, 0, 1, 2); err != nil {
			t.Fatal(err)
		}
	}
	gained, all := w.units(func(n int) bool { return n >= 1000 })
	t.Logf("%d units of their own, %d gained, %d in all", before, gained, all)
	if gained > before || gained == 0 {
		t.Errorf("three members that own %d units gained %d", before, gained)
	}
}

// A newcomer that met liars only believes them: to everybody else it is one member with one unit, and nobody
// that it tells of counts.
func TestAdmission_AnEclipsedNewcomerHarmsNobody(t *testing.T) {
	const newcomer, liar = 500, 501
	w := newTown(t, false)
	for n := range 25 {
		if err := w.join(n, apart(n), founder); err != nil {
			t.Fatal(err)
		}
	}
	w.pass(60)
	_, lie := testKey(t, liar)
	eclipsed := newSet(w.clock, func(cfg *Config) { cfg.Founders, cfg.MaxPerNet = []peer.ID{lie}, 2 })
	for n := range 60 {
		r := record(1)
		_, r.Peer = testKey(t, 1000+n)
		r.Capacity, r.Addrs, r.Joined, r.Issued = 8, addrs(apart(1000+n)), signed.HourOf(w.clock.now()),
			w.clock.now().Unix()
		r.Vouches = vouches(t, r.Peer, r, liar)
		if _, err := eclipsed.Add(lie, seal(t, 1000+n, r)); err != nil {
			t.Fatal(err)
		}
	}
	if len(eclipsed.Owners()) < 3 {
		t.Fatalf("the newcomer believes in %d owners, want some", len(eclipsed.Owners()))
	}
	if err := w.join(newcomer, apart(newcomer), founder, 1, 2, 3); err != nil {
		t.Fatal(err)
	}
	before, own := w.set.Digest(), w.set.Moment().OwnersDigest
	_, from := testKey(t, newcomer)
	summary, _, _ := w.set.Summary(from, 0, MaxSummary)
	told, err := eclipsed.Missing(w.set.cfg.Self, summary, 1000, 1<<20)
	if err != nil || len(told) < 3 {
		t.Fatalf("it tells of %d members, %v", len(told), err)
	}
	for _, raw := range told {
		if _, err := w.set.Add(from, raw); !errors.Is(err, ErrUnvouched) {
			t.Errorf("a record that liars vouch for: %v, want %v", err, ErrUnvouched)
		}
	}
	if its, _ := w.units(func(n int) bool { return n == newcomer }); its != 1 {
		t.Errorf("the newcomer has %d units, want 1", its)
	}
	if w.set.Digest() != before || w.set.Moment().OwnersDigest != own {
		t.Error("what it told changed who the members are")
	}
}

func TestAdmission_ANetworkGrows(t *testing.T) {
	w := newTown(t, false)
	for n := range 25 {
		if err := w.join(n, apart(n), founder); err != nil {
			t.Fatalf("member %d: %v", n+1, err)
		}
		if want := min(n+1, newcomerUnits); len(w.set.Owners()) != want {
			t.Errorf("%d members: %d own, want %d", n+1, len(w.set.Owners()), want)
		}
	}
	was := 0
	for range 8 {
		_, all := w.units(func(int) bool { return true })
		if all < was {
			t.Errorf("%d units after %d", all, was)
		}
		was = all
		w.pass(7)
	}
	if was != 25*8 {
		t.Errorf("%d units in the end, want all", was)
	}
}

// What a Set has learned about whose word counts outlives a restart; what is not vouched for does not come back.
func TestAdmission_IsJudgedAgainAfterARestart(t *testing.T) {
	w := newTown(t, false)
	for n := range 5 {
		if err := w.join(n, apart(n), founder); err != nil {
			t.Fatal(err)
		}
	}
	w.pass(8)
	if err := w.join(7, apart(7), 3); err != nil { // on the word of a member that is established by now
		t.Fatal(err)
	}
	stored := append(w.set.Export(),
		seal(t, 8, func() Record { r := record(1); r.Joined = 1; r.Issued = w.clock.now().Unix(); return r }()))
	again := newSet(w.clock, func(cfg *Config) { cfg.Founders, cfg.MaxPerNet = nil, 2 })
	again.Import(stored)
	if _, id := testKey(t, 7); again.Digest() != w.set.Digest() ||
		again.Moment().OwnersDigest != w.set.Moment().OwnersDigest || !again.Admitted(id) {
		t.Errorf("%d own after a restart, want %d; the last one counts: %v", len(again.Owners()),
			len(w.set.Owners()), again.Admitted(id))
	}
	if _, id := testKey(t, 8); again.Admitted(id) {
		t.Error("one without vouches came back")
	}
	for _, raw := range [][]byte{{kindTrust}, append([]byte{kindTrust, 0, 0, 0, 0}, make([]byte, 40)...),
		append([]byte{kindTrust, 0, 0, 0, 0}, make([]byte, 41)...)} {
		if bad := again.Import([][]byte{raw}); bad != 1 {
			t.Errorf("% x: %d bad items, want 1", raw, bad)
		}
	}
}

// A newcomer believes those that its invite names, and nobody else, about who is established.
func TestBelieve_FoundersAlone(t *testing.T) {
	w := newTown(t, false)
	_, root := testKey(t, founder)
	_, stranger := testKey(t, 50)
	r := record(1)
	r.Joined = signed.HourOf(w.clock.now().Add(-90 * 24 * time.Hour))
	raw := seal(t, 1, r)
	for _, c := range []struct {
		by   peer.ID
		want bool
	}{{stranger, false}, {root, true}} {
		w.set.Believe(c.by, [][]byte{raw}, false)
		if err := w.join(2+rand.IntN(40), apart(2), 1); (err == nil) != c.want {
			t.Errorf("a vouch of one that %s calls established: %v", c.by, err)
		}
	}
}

// A stranger that a founder tells of a few members knows these, though it knows nobody who vouches for them. When it is
// told of all, they count by their vouches.
func TestBelieve_FewThenAll(t *testing.T) {
	w := newTown(t, false)
	for n := range 60 {
		signers := []int{founder}
		if n > 12 {
			signers = append(signers, n-6, n-9)
		}
		if err := w.join(n, apart(n), signers...); err != nil {
			t.Fatal(err)
		}
		w.pass(1)
	}
	w.pass(10)
	for n := range 60 { // the founder vouches for few of them any more
		if err := w.renew(n, (n+7)%60, (n+23)%60, (n+41)%60); err != nil {
			t.Fatal(err)
		}
	}
	_, self := testKey(t, 70)
	_, root := testKey(t, founder)
	s := newSet(w.clock, func(cfg *Config) { cfg.Self, cfg.MaxPerNet = self, 2 })
	told := func(to peer.ID) (items [][]byte) {
		summary, _, _ := s.Summary(self, 0, MaxSummary)
		items, err := w.set.Missing(to, summary, 1000, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		s.Believe(root, items, to == self)
		for _, raw := range items {
			if _, err := s.Add(root, raw); err != nil {
				t.Error(err)
			}
		}
		return items
	}
	if few := told(self); len(few) != fewTold || len(s.Owners()) != fewTold {
		t.Errorf("%d are told to a stranger, %d it knows, want %d", len(few), len(s.Owners()), fewTold)
	}
	if told(w.set.cfg.Self); s.Moment().OwnersDigest != w.set.Moment().OwnersDigest || len(s.Owners()) < 60 {
		t.Errorf("%d are known in the end, want %d", len(s.Owners()), len(w.set.Owners()))
	}
}

func FuzzVouch(f *testing.F) {
	_, id := testKey(f, 1)
	r := record(1)
	f.Add(vouches(f, id, r, 2)[0].Bytes(), uint32(0))
	f.Fuzz(func(t *testing.T, raw []byte, joined uint32) {
		_, id := testKey(t, 1)
		if v, err := signed.ReadVouch(testNet, raw, id, joined); err == nil && string(v.Bytes()) != string(raw) {
			t.Errorf("vouch % x is % x again", raw, v.Bytes())
		}
	})
}
