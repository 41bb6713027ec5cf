package frontier

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/storage"
)

// slotsLeft returns what is left of the slots of an address by a member's own clock.
func slotsLeft(t testing.TB, f *Frontier, address string) (left []time.Duration) {
	t.Helper()
	err := f.view(func(b *buckets) error {
		rec, _, err := b.readSlots(address)
		for _, h := range rec.Holders {
			at, ok := b.slotTime(address, h.Number)
			if !ok {
				t.Errorf("holder %d of %s has no clock", h.Number, address)
			}
			left = append(left, time.Duration(at-f.cfg.Now().UnixNano()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// Who copies a log goes on with what is left of slots, as of leases: whether they are held, rest or are over, and
// however many answers it takes to say so.
func TestCopy_SlotsGoOnWithWhatIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: more slots than one answer tells")
	}
	const slots = 12_000 // more than an answer tells
	now := time.Unix(1_800_000_000, 0)
	from := emptyLog(t, Config{Now: func() time.Time { return now }})
	address := func(i int) string { return fmt.Sprintf("192.%d.%d.1", i/250, i%250) }
	for first := 0; first < slots; first += 1000 {
		err := from.db.Update(func(tx *storage.Tx) error {
			m, err := newMachine(tx, &from.cfg)
			if err != nil {
				return err
			}
			for i := first; i < first+1000; i++ {
				if _, err := m.applyOne(Entry{Slot: &Slot{Address: address(i), Lease: 7, Domain: "a.test", For: time.Minute}}); err != nil {
					return err
				}
			}
			return m.flush()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(20 * time.Second)
	applyIn(t, from, Entry{Slot: &Slot{Address: address(1), Lease: 7, Domain: "a.test", For: time.Minute}})  // renewed
	applyIn(t, from, Entry{Unslot: &Unslot{Address: address(2), Lease: 7, Gap: 100 * time.Second, Good: 1}}) // rests
	applyIn(t, from, Entry{Slot: &Slot{Address: address(3), Lease: 7, Domain: "a.test", For: time.Second}})  // over, but not yet ended
	now = now.Add(10 * time.Second)
	there := now.Add(1000 * time.Hour) // the clock of another member
	want := []time.Duration{36 * time.Second, 56 * time.Second, 90 * time.Second, 0, 36 * time.Second}
	for _, piece := range []int{0, 100} {
		to := emptyLog(t, Config{Now: func() time.Time { return there }, piece: piece})
		mustCopy(t, from, to)
		for i, want := range want {
			if got := slotsLeft(t, to, address(i)); len(got) != 1 || got[0] != want {
				t.Errorf("piece %d: of %s, %v is left, want %v", piece, address(i), got, want)
			}
		}
		for i := len(want); i < slots; i++ {
			if got := slotsLeft(t, to, address(i)); len(got) != 1 || got[0] != 36*time.Second {
				t.Fatalf("piece %d: of %s, %v is left, want 36s", piece, address(i), got)
			}
		}
	}
}

// tidySlotsAnswer runs a copy in which the source says of slots what change makes of it, and returns the first error.
func tidySlotsAnswer(t *testing.T, from, to *Frontier, change func(*copyAnswer)) error {
	t.Helper()
	return from.db.View(func(source *storage.Tx) error {
		for request := []byte(nil); ; {
			q, err := decodeCopyRequest(request)
			if err != nil {
				return err
			}
			raw, err := from.Piece(source, request)
			if err != nil {
				return err
			}
			if a, err := decodeCopyAnswer(raw); err == nil && q.Stage == stageTidy {
				change(&a)
				if raw, err = encode.Marshal(a); err != nil {
					return err
				}
			}
			err = to.db.Update(func(tx *storage.Tx) (err error) {
				request, err = to.Install(tx, request, raw)
				return err
			})
			if err != nil || request == nil {
				return err
			}
		}
	})
}

// A source that does not say what is left of slots is of a version that cannot: they count in full. One that says
// too much is not believed.
func TestCopy_SlotsOfASourceThatSaysSomethingElse(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	cfg := Config{Now: func() time.Time { return now }}
	from := emptyLog(t, cfg)
	applyIn(t, from, Entry{Slot: &Slot{Address: "192.0.2.1", Lease: 7, Domain: "a.test", For: time.Minute}})
	now = now.Add(30 * time.Second)
	for _, c := range []struct {
		name   string
		change func(*copyAnswer)
		want   time.Duration // 0 for an error
	}{
		{"as it is", func(*copyAnswer) {}, 36 * time.Second},
		{"nothing", func(a *copyAnswer) { a.Given = nil }, 66 * time.Second},
		{"not of this one", func(a *copyAnswer) { a.Given[0].Pairs[0].Key[0]++ }, 66 * time.Second},
		{"more than all", func(a *copyAnswer) { a.Given[0].Pairs[0].Value = encodeWait(int64(time.Hour), 0) }, 66 * time.Second},
		{"another part", func(a *copyAnswer) { a.Given[0].Part = partSlots }, 0},
		{"twice", func(a *copyAnswer) { a.Given = append(a.Given, a.Given[0]) }, 0},
		{"no time", func(a *copyAnswer) { a.Given[0].Pairs[0].Value = []byte{1} }, 0},
		{"without end", func(a *copyAnswer) { a.Given[0].End = []byte{0} }, 0},
		{"a long end", func(a *copyAnswer) { a.Given[0].End = make([]byte, copyKeyBytes+1) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := emptyLog(t, cfg)
			ends := 0
			err := tidySlotsAnswer(t, from, to, func(a *copyAnswer) {
				if len(a.Given) > 0 {
					c.change(a)
				}
				if ends++; ends > 10 {
					t.Fatal("the copy does not end")
				}
			})
			switch {
			case c.want == 0:
				if !errors.Is(err, ErrCopy) {
					t.Errorf("error %v, want %v", err, ErrCopy)
				}
			case err != nil:
				t.Error(err)
			default:
				if got := slotsLeft(t, to, "192.0.2.1"); len(got) != 1 || got[0] != c.want {
					t.Errorf("%v is left, want %v", got, c.want)
				}
			}
		})
	}
}
