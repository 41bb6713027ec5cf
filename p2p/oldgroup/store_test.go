package oldgroup

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/storage"
)

func openStore(t testing.TB) *storage.DB {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func firstState() *state {
	return &state{
		log: testLog, id: 1, term: 1, commit: 1, applied: 1, appliedTerm: 1, cut: 1, cutTerm: 1,
		members: []member{{1, "a", true}, {2, "b", false}}, next: 3,
	}
}

// model is what a store should be: entries from first on.
type model struct {
	first, firstTerm uint64 // the last that is dropped
	entries          []*pb.Entry
}

func (m *model) last() uint64 { return m.first + uint64(len(m.entries)) }

// Whatever is done to a log, in transactions that are committed or not, it is read as
// it should be: within the transaction, after it, and after it was loaded anew.
func TestStore_IsWhatWasDoneToIt(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		db := openStore(t)
		if err := db.Update(func(tx *storage.Tx) error { return createState(tx, testLog, firstState()) }); err != nil {
			t.Fatal(err)
		}
		st := &store{db: db, bucket: testLog, now: time.Now}
		if err := st.load(); err != nil {
			t.Fatal(err)
		}
		good := model{first: 1, firstTerm: 1}
		for range 60 {
			now := model{good.first, good.firstTerm, append([]*pb.Entry(nil), good.entries...)}
			failed := errors.New("no")
			before := st.state
			err := db.Update(func(tx *storage.Tx) error {
				if err := st.open(tx); err != nil {
					return err
				}
				for range r.IntN(4) {
					disturbStore(t, r, st, &now)
					compareStore(t, st, &now)
				}
				if err := st.flush(); err != nil {
					return err
				}
				compareStore(t, st, &now)
				if r.IntN(4) == 0 {
					return failed
				}
				return nil
			})
			st.tx = nil
			switch {
			case errors.Is(err, failed):
				st.state = before
				if err := st.load(); err != nil {
					t.Fatal(err)
				}
			case err != nil:
				t.Fatal(err)
			default:
				good = now
			}
			compareStore(t, st, &good)
			again := &store{db: db, bucket: testLog, now: time.Now}
			if err := again.load(); err != nil {
				t.Fatal(err)
			}
			compareStore(t, again, &good)
		}
	}
}

// disturbStore does something to a log and its model.
func disturbStore(t *testing.T, r *rand.Rand, st *store, m *model) {
	t.Helper()
	term := m.firstTerm
	switch r.IntN(6) {
	case 0, 1, 2: // append, over what follows what is applied
		from := m.last() + 1
		if r.IntN(3) == 0 {
			low := max(m.first, st.state.applied)
			from = low + 1 + r.Uint64N(m.last()-low+1)
		}
		if from > m.first+1 {
			term = m.entries[from-m.first-2].GetTerm()
		}
		var list []*pb.Entry
		for i := range uint64(1 + r.IntN(5)) {
			term += r.Uint64N(2)
			list = append(list, &pb.Entry{Type: pb.EntryNormal.Enum(), Term: new(term), Index: new(from + i), Data: []byte(fmt.Sprint("entry ", r.IntN(1000)))})
		}
		if err := st.append(list); err != nil {
			t.Fatal(err)
		}
		m.entries = append(m.entries[:from-m.first-1:from-m.first-1], list...)
	case 3: // apply
		st.state.applied = max(m.first, st.state.applied) + r.Uint64N(m.last()-max(m.first, st.state.applied)+1)
		st.dirty = true
	case 4: // drop
		l := limits{all: r.Uint64N(m.last() + 1), most: r.Uint64N(m.last() + 1), bytes: r.Int64N(200), writes: r.IntN(8)}
		if err := st.drop(l); err != nil {
			t.Fatal(err)
		}
		if st.state.cut > st.state.applied {
			t.Fatalf("dropped up to %d, applied %d", st.state.cut, st.state.applied)
		}
		if st.state.cut > max(l.all, m.first) && st.state.cut > l.most {
			t.Fatalf("dropped up to %d with limits %+v", st.state.cut, l)
		}
		m.drop(st.state.cut)
	case 5: // a copy arrives
		if r.IntN(4) > 0 {
			return
		}
		index := m.last() + 1 + r.Uint64N(5)
		term = st.lastTerm + r.Uint64N(2)
		if len(m.entries) > 0 && r.IntN(2) == 0 && m.last() > st.state.applied {
			if index = max(m.first, st.state.applied); index == m.first || r.IntN(2) == 0 {
				index += r.Uint64N(m.last() - index + 1)
			}
			if term = m.firstTerm; index > m.first {
				term = m.entries[index-m.first-1].GetTerm()
			}
			m.drop(index)
		} else {
			*m = model{first: index, firstTerm: term}
		}
		if err := st.replace(index, term); err != nil {
			t.Fatal(err)
		}
	}
}

func (m *model) drop(to uint64) {
	for m.first < to {
		m.first, m.firstTerm, m.entries = m.entries[0].GetIndex(), m.entries[0].GetTerm(), m.entries[1:]
	}
}

func compareStore(t *testing.T, st *store, m *model) {
	t.Helper()
	if first, _ := st.FirstIndex(); first != m.first+1 {
		t.Fatalf("first %d, want %d", first, m.first+1)
	}
	if last, _ := st.LastIndex(); last != m.last() {
		t.Fatalf("last %d, want %d", last, m.last())
	}
	if term, err := st.Term(m.first); err != nil || term != m.firstTerm {
		t.Fatalf("term of what is dropped %d, %v, want %d", term, err, m.firstTerm)
	}
	if _, err := st.Term(m.first - 1); !errors.Is(err, raft.ErrCompacted) {
		t.Fatalf("term before that: %v", err)
	}
	if _, err := st.Term(m.last() + 1); !errors.Is(err, raft.ErrUnavailable) {
		t.Fatalf("term behind the end: %v", err)
	}
	if _, err := st.Entries(m.first, m.last()+1, 1000); !errors.Is(err, raft.ErrCompacted) {
		t.Fatalf("entries that are dropped: %v", err)
	}
	for _, e := range m.entries {
		if term, err := st.Term(e.GetIndex()); err != nil || term != e.GetTerm() {
			t.Fatalf("term of %d is %d, %v, want %d", e.GetIndex(), term, err, e.GetTerm())
		}
	}
	for _, size := range []uint64{0, 60, 1 << 20} {
		for lo := m.first + 1; lo <= m.last(); lo++ {
			got, err := st.Entries(lo, m.last()+1, size)
			if err != nil || len(got) == 0 {
				t.Fatalf("entries from %d: %v, %v", lo, got, err)
			}
			total := uint64(0)
			for i, e := range got {
				want := m.entries[lo-m.first-1+uint64(i)]
				total += entrySize(e)
				if e.GetIndex() != want.GetIndex() || e.GetTerm() != want.GetTerm() || !bytes.Equal(e.GetData(), want.GetData()) {
					t.Fatalf("entry %v, want %v", e, want)
				}
			}
			if len(got) > 1 && total > size || size == 1<<20 && len(got) != int(m.last()+1-lo) {
				t.Fatalf("%d entries of %d bytes from %d, at most %d", len(got), total, lo, size)
			}
		}
	}
	if st.tx == nil {
		size := int64(0)
		for _, e := range m.entries {
			size += int64(len(encodeEntry(e)))
		}
		if st.state.bytes != size {
			t.Fatalf("%d bytes, want %d", st.state.bytes, size)
		}
	}
}

func TestState_RoundTrip(t *testing.T) {
	for _, s := range []*state{
		firstState(),
		{log: "x", id: 7, epoch: Epoch{3, "founder"}, term: 9, vote: 2, commit: 4, applied: 4, appliedTerm: 8, cut: 2, cutTerm: 1, bytes: 77, copying: true},
		{log: "x", id: 7, removed: true, members: []member{{3, "c", true}}, next: 8},
		{log: "x", id: 7, members: []member{{3, "c", true}}, next: 8, former: []string{"a", "b"}},
	} {
		got, err := decodeState(s.encode())
		if err != nil || fmt.Sprint(got) != fmt.Sprint(*s) {
			t.Errorf("%+v becomes %+v, %v", *s, got, err)
		}
		raw := s.encode()
		for i := range raw {
			if _, err := decodeState(raw[:i]); err == nil {
				t.Errorf("%d of %d bytes are enough", i, len(raw))
			}
		}
	}
}

func TestOpen_DamagedRecord(t *testing.T) {
	db := openStore(t)
	if err := db.Update(func(tx *storage.Tx) error {
		if err := createState(tx, testLog, firstState()); err != nil {
			return err
		}
		return bucketOf(tx, testLog).Put(keyState, []byte{recordVersion, 9})
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := List(db); !errors.Is(err, errRecord) {
		t.Errorf("listed: %v", err)
	}
	if _, err := New(Config{DB: db, Self: "a"}).Open(testLog, testLog, nil); !errors.Is(err, errRecord) {
		t.Errorf("opened: %v", err)
	}
}
