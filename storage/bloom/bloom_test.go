package bloom

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/forage-net/forage/storage"
)

// memory is a Store that works like a bucket within one transaction.
type memory map[string][]byte

func (m memory) Get(key []byte) []byte { return m[string(key)] }
func (m memory) Put(key, value []byte) error {
	m[string(key)] = bytes.Clone(value)
	return nil
}

func (m memory) size() (n int) {
	for _, v := range m {
		n += len(v)
	}
	return n
}

func TestBatch_NeverForgets(t *testing.T) {
	store := memory{}
	const n = 20_000
	for start := 0; start < n; start += 500 {
		b := NewBatch(store)
		for i := start; i < start+500; i++ {
			if _, err := b.Add([]byte("d\x00"), HashOf(fmt.Sprint("in", i))); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	b := NewBatch(store)
	for i := range n {
		if !b.Has([]byte("d\x00"), HashOf(fmt.Sprint("in", i))) {
			t.Fatalf("member %d is not found", i)
		}
		if added, _ := b.Add([]byte("d\x00"), HashOf(fmt.Sprint("in", i))); added {
			t.Fatalf("member %d was added twice", i)
		}
	}
	if b.Has([]byte("e\x00"), HashOf("in0")) {
		t.Error("a filter answers for another one")
	}
	for key, block := range store {
		if len(block) > MaxBlock || !wellFormed(block) {
			t.Errorf("block %q has %d bytes, well-formed %v", key, len(block), wellFormed(block))
		}
	}
}

// The promise is one in a million. With three million strangers asked, three
// are expected at the limit and sixteen would be a broken filter beyond doubt.
func TestBatch_FalsePositives(t *testing.T) {
	strangers := 3_000_000
	if testing.Short() {
		strangers = 500_000
	}
	for _, members := range []int{10, 900, 40_000} {
		store := memory{}
		b := NewBatch(store)
		for i := range members {
			b.Add(nil, HashOf(fmt.Sprint("in", i)))
		}
		b.Flush()
		wrong := 0
		for i := range strangers / 3 {
			if b.Has(nil, HashOf(fmt.Sprint("out", i))) {
				wrong++
			}
		}
		t.Logf("%d members: %d of %d strangers taken for members, %.2f bytes a member", members, wrong, strangers/3,
			float64(store.size())/float64(members))
		if wrong > 3+strangers/3/400_000 {
			t.Errorf("%d members: %d false positives in %d", members, wrong, strangers/3)
		}
	}
}

func TestBatch_RefusesDamagedBlocks(t *testing.T) {
	for _, block := range [][]byte{{}, {1}, {0, 1, 9, 1}, {0, 1, 1, 1, 0}, make([]byte, 5000)} {
		b := NewBatch(memory{"": block})
		if _, err := b.Add(nil, HashOf("x")); err == nil {
			t.Errorf("Add to block % x succeeded", block[:min(len(block), 8)])
		}
		if b.Has(nil, HashOf("x")) {
			t.Errorf("Has in block % x", block[:min(len(block), 8)])
		}
	}
}

func FuzzBlock(f *testing.F) {
	b := NewBatch(memory{})
	b.Add(nil, HashOf("a"))
	f.Add(b.blocks[""], "a")
	f.Add([]byte{0, 1, 6, 1}, "b")
	f.Fuzz(func(t *testing.T, block []byte, member string) {
		if len(block) == 0 {
			return
		}
		store := memory{"": block}
		b := NewBatch(store)
		if _, err := b.Add(nil, HashOf(member)); err != nil {
			return
		}
		if !b.Has(nil, HashOf(member)) {
			t.Error("what was added is not there")
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	db, err := storage.Open(filepath.Join(b.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		db.Update(func(tx *storage.Tx) error {
			batch := NewBatch(tx.Bucket(storage.BucketStats))
			for range 1000 {
				batch.Add([]byte("d\x00"), HashOf(fmt.Sprint(i)))
				i++
			}
			return batch.Flush()
		})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i), "ns/URL")
}
