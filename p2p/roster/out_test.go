package roster

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/signed"
)

func TestOut_SurvivesTheWireWithItsSigners(t *testing.T) {
	_, victim := testKey(t, 1)
	_, a := testKey(t, 2)
	_, b := testKey(t, 3)
	got, signers, err := OpenOut(testNet, sealOut(t, 1, 77, epoch, 2, 3))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Out{Victim: victim, Seq: 77, Issued: epoch.Unix()}); got != want {
		t.Errorf("OpenOut() = %+v, want %+v", got, want)
	}
	if want := []peer.ID{a, b}; !reflect.DeepEqual(signers, want) {
		t.Errorf("OpenOut() signers = %v, want %v", signers, want)
	}
}

func TestCountersign_OncePerKeyAndAtMostFive(t *testing.T) {
	raw := sealOut(t, 1, 77, epoch, 2, 3, 4, 5, 6)
	again, _ := testKey(t, 3)
	if got, err := Countersign(testNet, raw, again); err != nil || !bytes.Equal(got, raw) {
		t.Errorf("Countersign() by a signer changed the note or failed: %v", err)
	}
	sixth, _ := testKey(t, 7)
	if _, err := Countersign(testNet, raw, sixth); !errors.Is(err, ErrInvalid) {
		t.Errorf("Countersign() by a sixth: error = %v, want ErrInvalid", err)
	}
	victim, _ := testKey(t, 1)
	if _, err := Countersign(testNet, sealOut(t, 1, 77, epoch, 2), victim); !errors.Is(err, ErrInvalid) {
		t.Errorf("Countersign() by the victim: error = %v, want ErrInvalid", err)
	}
	forged := bytes.Clone(raw)
	forged[len(forged)-1] ^= 1
	if _, err := Countersign(testNet, forged, sixth); !errors.Is(err, ErrInvalid) {
		t.Errorf("Countersign() of a forged note: error = %v, want ErrInvalid", err)
	}
	if _, err := Countersign(testNet, seal(t, 1, record(1)), sixth); !errors.Is(err, ErrInvalid) {
		t.Errorf("Countersign() of a record: error = %v, want ErrInvalid", err)
	}
}

func TestMergeOut_JoinsSigners(t *testing.T) {
	raw := sealOut(t, 1, 77, epoch, 2)
	with := func(n int) []byte {
		key, _ := testKey(t, n)
		c, err := Countersign(testNet, raw, key)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	merged, err := MergeOut(testNet, raw, with(3), with(4), with(3))
	if err != nil {
		t.Fatal(err)
	}
	if want := sealOut(t, 1, 77, epoch, 2, 3, 4); !bytes.Equal(merged, want) {
		t.Errorf("MergeOut() = %x, want %x", merged, want)
	}
	if merged, err = MergeOut(testNet, raw, with(3), with(4), with(5), with(6), with(7)); err != nil {
		t.Fatal(err)
	}
	if _, signers, err := OpenOut(testNet, merged); err != nil || len(signers) != MaxSigners {
		t.Errorf("MergeOut() of six has %d signers, %v, want %d", len(signers), err, MaxSigners)
	}
	if _, err := MergeOut(testNet, raw, sealOut(t, 1, 78, epoch, 3)); !errors.Is(err, ErrInvalid) {
		t.Errorf("MergeOut() of different notes: error = %v, want ErrInvalid", err)
	}
}

func TestOut_RefusesDoubledSignersAndSpareBytes(t *testing.T) {
	raw := sealOut(t, 1, 77, epoch, 2)
	sig := raw[len(raw)-signatureSize:]
	for name, bad := range map[string][]byte{
		"one signer twice": append(bytes.Clone(raw), sig...),
		"a spare byte":     append(bytes.Clone(raw), 0),
		"no signer":        raw[:len(raw)-signatureSize],
		"six signers": append(sealOut(t, 1, 77, epoch, 2, 3, 4, 5, 6),
			sealOut(t, 1, 77, epoch, 7)[len(raw)-signatureSize:]...),
	} {
		if _, _, err := OpenOut(testNet, bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("OpenOut() of %s: error = %v, want ErrInvalid", name, err)
		}
	}
}

func TestAdd_OutEndsTheRecordUntilAHigherSequence(t *testing.T) {
	c := newClock()
	s := newSet(c)
	_, id := testKey(t, 1)
	mustAdd(t, s, seal(t, 1, record(10)))
	note := sealOut(t, 1, 10, c.now(), 2, 3)
	mustAdd(t, s, note)

	m, ok := s.Get(id)
	if !ok || !m.Out || !bytes.Equal(m.Note, note) {
		t.Errorf("Get() = out %v, note of %d bytes, %v, want out with its note", m.Out, len(m.Note), ok)
	}
	if got := len(s.Owners()); got != 0 {
		t.Errorf("%d owners while out, want 0", got)
	}
	if got := ids(s.Leaving()); !reflect.DeepEqual(got, []peer.ID{id}) {
		t.Errorf("Leaving() = %v, want the victim", got)
	}

	mustAdd(t, s, seal(t, 1, record(11)))
	if m, _ := s.Get(id); m.Out || m.Note != nil || len(s.Owners()) != 1 || len(s.Leaving()) != 0 {
		t.Errorf("after a higher sequence: out %v, %d owners, %d leaving, want an owner", m.Out, len(s.Owners()),
			len(s.Leaving()))
	}
	if _, err := add(s, note); !errors.Is(err, ErrOld) {
		t.Errorf("Add(old note) error = %v, want ErrOld", err)
	}
}

func TestAdd_OutBeforeItsRecord(t *testing.T) {
	c := newClock()
	s := newSet(c)
	mustAdd(t, s, sealOut(t, 1, 10, c.now(), 2, 3))
	if got := len(s.Members()); got != 0 {
		t.Errorf("%d members known by a note alone, want 0", got)
	}
	mustAdd(t, s, seal(t, 1, record(9)))
	mustAdd(t, s, seal(t, 1, record(10)))
	if got := len(s.Owners()); got != 0 {
		t.Errorf("%d owners, want 0", got)
	}
	mustAdd(t, s, seal(t, 1, record(11)))
	if got := len(s.Owners()); got != 1 {
		t.Errorf("%d owners after a higher sequence, want 1", got)
	}
}

func TestAdd_NotesNeedEntitledSigners(t *testing.T) {
	c := newClock()
	s := newSet(c)
	mustAdd(t, s, seal(t, 1, record(10)))
	if _, err := add(s, sealOut(t, 1, 10, c.now(), 2)); !errors.Is(err, ErrUnentitled) {
		t.Errorf("Add(note of one) error = %v, want ErrUnentitled", err)
	}
	forged := sealOut(t, 1, 10, c.now(), 2, 3)
	forged[len(forged)-1] ^= 1
	if _, err := add(s, forged); !errors.Is(err, ErrInvalid) {
		t.Errorf("Add(forged note) error = %v, want ErrInvalid", err)
	}
	none := newSet(c, func(cfg *Config) { cfg.Entitled = nil })
	if _, err := add(none, sealOut(t, 1, 10, c.now(), 2, 3)); !errors.Is(err, ErrUnentitled) {
		t.Errorf("Add(note) where nobody is entitled: error = %v, want ErrUnentitled", err)
	}
}

// Nodes that heard of a note in time and others must agree while the record lives.
func TestAdd_NotesCountAsLongAsTheRecordTheyEnd(t *testing.T) {
	late := epoch.Add(-Lifetime)
	s := newSet(newClock())
	note := sealOut(t, 1, 5, late, 2, 3)
	if _, err := add(s, note); !errors.Is(err, ErrExpired) {
		t.Errorf("Add(expired note without its record) error = %v, want ErrExpired", err)
	}
	mustAdd(t, s, seal(t, 1, record(5)))
	mustAdd(t, s, note)
	mustAdd(t, s, seal(t, 1, record(6)))
	if _, err := add(s, note); !errors.Is(err, ErrExpired) {
		t.Errorf("Add(expired note, newer record) error = %v, want ErrExpired", err)
	}
}

func TestOpenOut_RefusesTheVictimAsSigner(t *testing.T) {
	key, id := testKey(t, 1)
	it, err := openOut(testNet, sealOut(t, 1, 5, epoch, 2))
	if err != nil {
		t.Fatal(err)
	}
	sig, err := signed.Sign(testNet, key, it.outBody())
	if err != nil {
		t.Fatal(err)
	}
	raw := append(append(bytes.Clone(it.raw), id[len(id)-signed.KeySize:]...), sig...)
	if _, _, err := OpenOut(testNet, raw); !errors.Is(err, ErrInvalid) {
		t.Errorf("OpenOut() error = %v, want ErrInvalid", err)
	}
}

// A note for a sequence beyond the clock would be above anything its victim can issue.
func TestAdd_NotesCannotReachIntoTheFuture(t *testing.T) {
	c := newClock()
	s := newSet(c)
	mustAdd(t, s, seal(t, 1, record(10)))
	ahead := uint64(c.now().Add(time.Hour).UnixMilli())
	if _, err := add(s, sealOut(t, 1, ahead, c.now(), 2, 3)); !errors.Is(err, ErrUnentitled) {
		t.Errorf("Add(note beyond the clock) error = %v, want ErrUnentitled", err)
	}
	mustAdd(t, s, seal(t, 1, record(ahead)))
	mustAdd(t, s, sealOut(t, 1, ahead, c.now(), 2, 3))
}
