package roster

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/signed"
)

func TestAdd_NewestRecordWins(t *testing.T) {
	s := newSet(newClock())
	_, id := testKey(t, 1)
	first, second := seal(t, 1, record(1)), seal(t, 1, record(2))
	mustAdd(t, s, first)
	mustAdd(t, s, second)
	if changed, err := add(s, second); changed || err != nil {
		t.Errorf("Add(the same again) = %v, %v, want false and no error", changed, err)
	}
	if changed, err := add(s, first); changed || !errors.Is(err, ErrOld) {
		t.Errorf("Add(older) = %v, %v, want ErrOld", changed, err)
	}
	if m, ok := s.Get(id); !ok || m.Seq != 2 || !bytes.Equal(m.Raw, second) {
		t.Errorf("Get() = sequence %d, %v, want 2", m.Seq, ok)
	}
}

func TestAdd_EqualSequencesAreDecidedTheSameEverywhere(t *testing.T) {
	r := record(5)
	a := seal(t, 1, r)
	r.Seats = 9
	b := seal(t, 1, r)
	one, two := newSet(newClock()), newSet(newClock())
	for _, raw := range [][]byte{a, b, a} {
		if _, err := add(one, raw); err != nil && !errors.Is(err, ErrOld) {
			t.Fatal(err)
		}
	}
	for _, raw := range [][]byte{b, a, b} {
		if _, err := add(two, raw); err != nil && !errors.Is(err, ErrOld) {
			t.Fatal(err)
		}
	}
	if one.Digest() != two.Digest() || !bytes.Equal(one.Members()[0].Raw, two.Members()[0].Raw) {
		t.Error("sets that heard the same records in another order disagree")
	}
}

func TestAdd_RefusesForgeries(t *testing.T) {
	good := seal(t, 1, record(7))
	_, other := testKey(t, 2)
	swapped := bytes.Clone(good)
	copy(swapped[1+signed.TagSize:], other[len(other)-signed.KeySize:])
	for i := range good {
		forged := bytes.Clone(good)
		forged[i] ^= 1
		if changed, err := add(newSet(newClock()), forged); changed || err == nil {
			t.Errorf("Add() of a record with byte %d changed = %v, %v, want an error", i, changed, err)
		}
	}
	for name, raw := range map[string][]byte{"another's": swapped, "cut": good[:len(good)-1], "empty": nil,
		"huge": make([]byte, MaxItem+1)} {
		if _, err := add(newSet(newClock()), raw); !errors.Is(err, ErrInvalid) {
			t.Errorf("Add(%s) error = %v, want ErrInvalid", name, err)
		}
	}
}

func TestAdd_RefusesOtherNetworks(t *testing.T) {
	key, victim := testKey(t, 1)
	issuer, _ := testKey(t, 2)
	rec, err := Seal("elsewhere", key, record(1))
	if err != nil {
		t.Fatal(err)
	}
	note, err := SealOut("elsewhere", issuer, Out{Victim: victim, Seq: 1, Issued: epoch.Unix()})
	if err != nil {
		t.Fatal(err)
	}
	mine := signed.TagOf(testNet)
	for _, raw := range [][]byte{rec, note} {
		s := newSet(newClock(), func(cfg *Config) { cfg.Entitled = func(peer.ID, []peer.ID) bool { return true } })
		if _, err := add(s, raw); !errors.Is(err, ErrForeign) {
			t.Errorf("Add(foreign) error = %v, want ErrForeign", err)
		}
		copy(raw[1:], mine[:])
		if _, err := add(s, raw); !errors.Is(err, ErrInvalid) {
			t.Errorf("Add(foreign with our tag) error = %v, want ErrInvalid", err)
		}
	}
}

// The tag is short; the signature covers the whole name.
func TestAdd_RefusesNetworksWithTheSameTag(t *testing.T) {
	key, id := testKey(t, 1)
	r := record(1)
	r.Peer = id
	body := r.append(nil, signed.TagOf(testNet))
	sig, err := signed.Sign("tset", key, body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := add(newSet(newClock()), append(body, sig...)); !errors.Is(err, ErrInvalid) {
		t.Errorf("Add() error = %v, want ErrInvalid", err)
	}
}

func TestAdd_ExpiredRecordsDoNotStandInTheWay(t *testing.T) {
	c := newClock()
	s := newSet(c)
	mustAdd(t, s, seal(t, 1, record(10)))
	c.advance(Lifetime)
	r := record(5)
	r.Issued = c.now().Unix()
	mustAdd(t, s, seal(t, 1, r))
}

func TestAdd_RefusesDatesOutOfRange(t *testing.T) {
	cases := []struct {
		age  time.Duration
		want error
	}{
		{-MaxSkew, nil},
		{-MaxSkew - time.Second, ErrFuture},
		{Lifetime - time.Second, nil},
		{Lifetime, ErrExpired},
	}
	for _, c := range cases {
		r := record(1)
		r.Issued = epoch.Add(-c.age).Unix()
		if _, err := add(newSet(newClock()), seal(t, 1, r)); !errors.Is(err, c.want) {
			t.Errorf("Add(record issued %v ago) error = %v, want %v", c.age, err, c.want)
		}
		if _, err := add(newSet(newClock()), sealOut(t, 1, 1, epoch.Add(-c.age), 2, 3)); !errors.Is(err, c.want) {
			t.Errorf("Add(note issued %v ago) error = %v, want %v", c.age, err, c.want)
		}
	}
}

func TestAdd_StaleItemsCostNoSignatureCheck(t *testing.T) {
	s := newSet(newClock())
	mustAdd(t, s, seal(t, 1, record(2)))
	forged := seal(t, 1, record(1))
	forged[len(forged)-1] ^= 1
	if _, err := add(s, forged); !errors.Is(err, ErrOld) {
		t.Errorf("Add(old and forged) error = %v, want ErrOld before its signature is looked at", err)
	}
}

func TestAdd_KeepsACopy(t *testing.T) {
	s := newSet(newClock())
	raw := seal(t, 1, record(1))
	want := bytes.Clone(raw)
	mustAdd(t, s, raw)
	clear(raw)
	if got := s.Members()[0].Raw; !bytes.Equal(got, want) {
		t.Error("the Set changed with the caller's buffer")
	}
}

func TestSet_RecordsExpire(t *testing.T) {
	c := newClock()
	s := newSet(c)
	mustAdd(t, s, seal(t, 1, record(1)))
	digest := s.Digest()
	changed, cancel := s.Subscribe()
	defer cancel()
	c.advance(Lifetime - time.Second)
	if s.Expire(c.now()) || s.Digest() != digest || len(s.Owners()) != 1 {
		t.Error("a record expired before its time")
	}
	c.advance(time.Second)
	if got := len(s.Owners()); got != 0 {
		t.Errorf("%d owners after their time, want 0", got)
	}
	if !s.Expire(c.now()) || len(s.entries.byPeer) != 0 {
		t.Errorf("Expire() left %d entries or said that nothing changed", len(s.entries.byPeer))
	}
	if s.Expire(c.now()) {
		t.Error("Expire() dropped something twice")
	}
	if !woken(changed) {
		t.Error("nobody was told of the expiry")
	}
}

func TestSet_LeavingMembersAreRememberedForADay(t *testing.T) {
	for _, state := range []State{StateLeaving, StateLeft} {
		c := newClock()
		s := newSet(c)
		mustAdd(t, s, seal(t, 1, record(1)))
		owners := s.Moment().OwnersDigest
		r := record(2)
		r.State = state
		mustAdd(t, s, seal(t, 1, r))
		if s.Moment().OwnersDigest == owners || len(s.Owners()) != 0 || len(s.Leaving()) != 1 {
			t.Errorf("%v: %d owners, %d leaving, want 0 and 1", state, len(s.Owners()), len(s.Leaving()))
		}
		c.advance(LeavingWindow)
		if len(s.Leaving()) != 0 || len(s.Members()) != 1 {
			t.Errorf("%v after a day: %d leaving of %d members, want 0 of 1", state, len(s.Leaving()), len(s.Members()))
		}
		if _, err := add(s, seal(t, 1, record(1))); !errors.Is(err, ErrOld) {
			t.Errorf("%v: replay of the active record: error = %v, want ErrOld", state, err)
		}
	}
}

// Who rests keeps its place on the ring, and who knows of it has something to tell;
// out notes end such a record as any other.
func TestSet_RestingMembersKeepTheirPlace(t *testing.T) {
	c := newClock()
	s := newSet(c)
	mustAdd(t, s, seal(t, 1, record(1)))
	owners, digest := s.Moment().OwnersDigest, s.Digest()
	r := record(2)
	r.State = StateResting
	mustAdd(t, s, seal(t, 1, r))
	if s.Moment().OwnersDigest != owners || len(s.Owners()) != 1 || len(s.Leaving()) != 0 {
		t.Errorf("%d owners, %d leaving, want 1 and 0", len(s.Owners()), len(s.Leaving()))
	}
	if s.Digest() == digest {
		t.Error("nobody would hear that it rests")
	}
	c.advance(LeavingWindow)
	if len(s.Owners()) != 1 {
		t.Errorf("%d owners after a day, want 1", len(s.Owners()))
	}
	mustAdd(t, s, sealOut(t, 1, 2, c.now(), 3, 4))
	if len(s.Owners()) != 0 || len(s.Leaving()) != 1 {
		t.Errorf("%d owners, %d leaving after the note, want 0 and 1", len(s.Owners()), len(s.Leaving()))
	}
}

// Who rests without capacity may still hold domains, for a day.
func TestSet_RestingWithoutCapacityIsLeaving(t *testing.T) {
	c := newClock()
	s := newSet(c)
	mustAdd(t, s, seal(t, 1, record(1)))
	r := record(2)
	r.State, r.Capacity = StateResting, 0
	mustAdd(t, s, seal(t, 1, r))
	if len(s.Owners()) != 0 || len(s.Leaving()) != 1 {
		t.Errorf("%d owners, %d leaving, want 0 and 1", len(s.Owners()), len(s.Leaving()))
	}
	c.advance(LeavingWindow)
	if len(s.Leaving()) != 0 {
		t.Errorf("%d leaving after a day, want 0", len(s.Leaving()))
	}
}

// The date of a note must not bring its victim back while the record lives.
func TestSet_OutMembersStayOutAsLongAsTheirRecordLives(t *testing.T) {
	c := newClock()
	s := newSet(c)
	r := record(1)
	r.Issued = epoch.Add(MaxSkew).Unix()
	mustAdd(t, s, seal(t, 1, r))
	mustAdd(t, s, sealOut(t, 1, 1, c.now().Add(-time.Hour), 2, 3))
	for range 100 {
		c.advance(30 * time.Minute)
		s.Expire(c.now())
		if got := len(s.Owners()); got != 0 {
			t.Fatalf("the victim owns again %v later", c.now().Sub(epoch))
		}
	}
	if len(s.entries.byPeer) != 0 {
		t.Errorf("%d entries left, want 0", len(s.entries.byPeer))
	}
}

func TestSet_OwnersDigestIgnoresNewIssues(t *testing.T) {
	s := newSet(newClock())
	mustAdd(t, s, seal(t, 1, record(1)))
	owners, all := s.Moment().OwnersDigest, s.Digest()
	mustAdd(t, s, seal(t, 1, record(2)))
	if s.Moment().OwnersDigest != owners {
		t.Error("OwnersDigest() changed though the ring did not")
	}
	if s.Digest() == all {
		t.Error("Digest() stayed the same though a record changed")
	}
	r := record(3)
	r.Capacity = 2
	mustAdd(t, s, seal(t, 1, r))
	if s.Moment().OwnersDigest == owners {
		t.Error("OwnersDigest() stayed the same though a capacity changed")
	}
}

func TestSubscribe_TellsOfOwnersAndNotOfFetchers(t *testing.T) {
	s := newSet(newClock())
	changed, cancel := s.Subscribe()
	fetcher := record(1)
	fetcher.Capacity = 0
	mustAdd(t, s, seal(t, 1, fetcher))
	s.Owners()
	if woken(changed) {
		t.Error("woken for a fetcher")
	}
	mustAdd(t, s, seal(t, 2, record(1)))
	mustAdd(t, s, seal(t, 3, record(1)))
	if !woken(changed) {
		t.Error("not woken for an owner")
	}
	s.Owners()
	if woken(changed) {
		t.Error("woken twice for one change")
	}
	cancel()
	mustAdd(t, s, seal(t, 4, record(1)))
	if woken(changed) {
		t.Error("woken after cancel")
	}
}

func TestNextSeq_IsAboveAllThatWasHeard(t *testing.T) {
	c := newClock()
	_, id := testKey(t, 1)
	s := newSet(c, func(cfg *Config) { cfg.Self = id })
	now := uint64(epoch.Truncate(time.Hour).UnixMilli())
	if got := s.NextSeq(0); got != now {
		t.Errorf("NextSeq(0) = %d, want the hour, %d", got, now)
	}
	if got := s.NextSeq(now + 5); got != now+6 {
		t.Errorf("NextSeq(ahead) = %d, want %d", got, now+6)
	}
	if got := s.NextSeq(5); got != 6 {
		t.Errorf("NextSeq(5) = %d, want 6: others may have later ones, and would not send them", got)
	}
	mustAdd(t, s, seal(t, 1, record(now+10)))
	if got := s.NextSeq(0); got != now+11 {
		t.Errorf("NextSeq() after one's own record = %d, want %d", got, now+11)
	}
	mustAdd(t, s, sealOut(t, 1, now+20, c.now(), 2, 3))
	if got := s.NextSeq(0); got != now+21 {
		t.Errorf("NextSeq() after a note = %d, want %d", got, now+21)
	}
}

// Who asks with a summary for its own record gets the one that the other has, an older one too.
func TestAskingSummary_BringsTheOwnRecord(t *testing.T) {
	c := newClock()
	_, id := testKey(t, 1)
	own, other := newSet(c, func(cfg *Config) { cfg.Self = id }), newSet(c)
	mustAdd(t, own, seal(t, 1, record(9)))
	mustAdd(t, own, seal(t, 2, record(4)))
	mustAdd(t, other, seal(t, 1, record(5)))
	mustAdd(t, other, seal(t, 2, record(4)))
	for name, c := range map[string]struct {
		summary func(peer.ID, uint64, int) ([]byte, uint64, bool)
		want    int
	}{"asking": {own.AskingSummary, 1}, "not asking": {own.Summary, 0}} {
		summary, _, done := c.summary("", 0, MaxSummary)
		items, err := other.Missing(other.cfg.Self, summary, 10, 1<<20)
		if err != nil || !done || len(items) != c.want {
			t.Errorf("%s: %d items, %v, want %d", name, len(items), err, c.want)
		}
	}
}

func TestMembers_AreOrderedByID(t *testing.T) {
	s := newSet(newClock())
	for n := range 20 {
		mustAdd(t, s, seal(t, n, record(1)))
	}
	for name, list := range map[string][]Member{"Members": s.Members(), "Owners": s.Owners()} {
		if len(list) != 20 || !slices.IsSorted(ids(list)) {
			t.Errorf("%s() = %d members, sorted %v, want 20 in order", name, len(list), slices.IsSorted(ids(list)))
		}
	}
}

func TestSet_SurvivesARestart(t *testing.T) {
	c := newClock()
	s := newSet(c)
	for n := range 5 {
		mustAdd(t, s, seal(t, n, record(1)))
	}
	mustAdd(t, s, sealOut(t, 0, 1, c.now(), 1, 2))
	items := append(s.Export(), []byte("damaged"), nil)
	items[3] = bytes.Clone(items[3])
	items[3][50] ^= 1

	again := newSet(c, func(cfg *Config) { cfg.Entitled = nil })
	if bad := again.Import(items); bad != 3 {
		t.Errorf("Import() = %d bad, want 3", bad)
	}
	if bad := again.Import(s.Export()); bad != 0 {
		t.Errorf("Import() of all = %d bad, want 0", bad)
	}
	if again.Digest() != s.Digest() {
		t.Error("digests differ after a restart")
	}
	c.advance(2 * Lifetime)
	if bad := newSet(c).Import(items[:2]); bad != 0 {
		t.Errorf("Import() counts %d expired items as bad, want 0", bad)
	}
}

func TestSet_ConcurrentUse(t *testing.T) {
	c := newClock()
	s := newSet(c)
	var raws [][]byte
	for n := range 10 {
		for seq := range 3 {
			raws = append(raws, seal(t, n, record(uint64(seq+1))))
		}
		raws = append(raws, sealOut(t, n, 2, c.now(), n+1, n+2))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range raws {
				if _, err := add(s, raws[(i*7+g*11)%len(raws)]); err != nil && !errors.Is(err, ErrOld) {
					t.Error(err)
				}
				s.Owners()
				data, _, _ := s.Summary(s.cfg.Self, 0, MaxSummary)
				if _, err := s.Missing(s.cfg.Self, data, 10, 1000); err != nil {
					t.Error(err)
				}
				s.Expire(c.now())
			}
		})
	}
	wg.Wait()
	if got := len(s.Owners()); got != 10 {
		t.Errorf("%d owners, want 10", got)
	}
}

// A member that a node hears of has been there since its record was issued, and stays that old when it issues another.
func TestMember_Since(t *testing.T) {
	clk := newClock()
	s := newSet(clk)
	_, id := testKey(t, 1)
	began := clk.now().Add(-5 * time.Hour).Round(0)
	r := record(1)
	r.Issued = began.Unix()
	mustAdd(t, s, seal(t, 1, r))
	r.Seq, r.Issued = 2, clk.now().Unix()
	mustAdd(t, s, seal(t, 1, r))
	if m, _ := s.Get(id); !m.Since.Equal(time.Unix(began.Unix(), 0)) {
		t.Errorf("there since %v, want %v", m.Since, began)
	}
	_, ahead := testKey(t, 2)
	r.Seq, r.Issued = 1, clk.now().Add(time.Minute).Unix()
	mustAdd(t, s, seal(t, 2, r))
	if m, _ := s.Get(ahead); !m.Since.Equal(clk.now().Round(0)) {
		t.Errorf("one whose clock is ahead is there since %v, want %v", m.Since, clk.now())
	}
}
