package store

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// item returns a random item of one of two domains; the items of the second belong to no URL of it.
func (r random) item() Item {
	d := testDomain
	if r.IntN(10) == 0 {
		d = "b.example"
	}
	key := r.key()
	return Item{Domain: d, Key: key, Value: r.value(key)}
}

// dump returns what indexes say about a domain: all entries, except those of what is the node's own.
func dump(tx *storage.Tx, d crawl.Domain) (list []string) {
	for _, name := range ofItems {
		for k, v := range entries(tx, name, d) {
			list = append(list, fmt.Sprintf("%s %x %x", name, k, v))
		}
	}
	e := readEntry(tx, d)
	list = append(list, fmt.Sprintf("%x %x", e[partCounts], e[partIndexed]))
	for _, o := range []Order{Due, Calendar} {
		for m := range InOrder(tx, o, "") {
			list = append(list, fmt.Sprintf("%c %x", o, m))
		}
	}
	return list
}

// build makes the indexes of a domain in steps of two items; between is run between them.
func build(tx *storage.Tx, d crawl.Domain, between func() error) error {
	for {
		done, err := Build(tx, boltItems{}, d, 2)
		if err != nil || done {
			return err
		}
		if err := between(); err != nil {
			return err
		}
	}
}

func nothing() error { return nil }

func TestChanged_KeepsWhatBuildWouldMake(t *testing.T) {
	for seed := range uint64(150) {
		r := newRandom(seed)
		db := openDB(t)
		update(t, db, func(tx *storage.Tx) error {
			var items boltItems
			for range r.IntN(20) {
				if err := items.merge(tx, r.item()); err != nil {
					return err
				}
			}
			for _, d := range []crawl.Domain{testDomain, "b.example"} {
				if err := build(tx, d, func() error { return items.merge(tx, r.item()) }); err != nil {
					return err
				}
			}
			for range 60 {
				it := r.item()
				step := items.merge(tx, it)
				if kindOf(it.Key) == KindLinks && r.IntN(3) == 0 {
					step = items.delete(tx, it.Domain, it.Key)
				}
				if step != nil {
					return step
				}
				if err := Check(tx, items); err != nil {
					return err
				}
			}
			kept := dump(tx, testDomain)
			if err := forget(tx, r); err != nil {
				return err
			}
			if err := build(tx, testDomain, nothing); err != nil {
				return err
			}
			if built := dump(tx, testDomain); !slices.Equal(kept, built) {
				return fmt.Errorf("seed %d: kept\n%q\nbuilt\n%q", seed, kept, built)
			}
			return Check(tx, items)
		})
	}
}

// forget forgets the test domain in steps, or leaves the rest to Build. Changes meanwhile do nothing.
func forget(tx *storage.Tx, r random) error {
	for {
		done, err := Forget(tx, testDomain, 3)
		if err != nil {
			return err
		}
		key := r.key()
		if err := Changed(tx, testDomain, []Change{{Key: key, New: r.value(key)}}); err != nil {
			return err
		}
		if err := Check(tx, boltItems{}); err != nil {
			return err
		}
		if done {
			return checkForgotten(tx, testDomain)
		}
		if r.IntN(8) == 0 {
			return nil
		}
	}
}

// checkForgotten checks that no bucket of indexes has anything of a domain.
func checkForgotten(tx *storage.Tx, d crawl.Domain) error {
	return tx.ForEach(func(name []byte, b *storage.Bucket) error {
		if bytes.Equal(name, bucketItems) {
			return nil
		}
		return b.ForEach(func(k, _ []byte) error {
			if bytes.Contains(k, []byte(d)) {
				return fmt.Errorf("%s still has %q", name, k)
			}
			return nil
		})
	})
}

// Copies of a domain that changed apart come to the same items and indexes, in whatever order they are merged,
// and twice.
func TestMerge_MakesDivergedCopiesEqual(t *testing.T) {
	for seed := range uint64(60) {
		r := newRandom(seed)
		copies := make([]*storage.DB, 2+r.IntN(3))
		common := r.items(20)
		given := make([][]Item, len(copies))
		for i := range copies {
			copies[i], given[i] = openDB(t), append(slices.Clone(common), r.items(30)...)
			enter(t, copies[i], given[i], i%2 == 0)
		}
		var want []string
		for _, db := range copies {
			for range 2 {
				for _, from := range r.Perm(len(copies)) {
					list := given[from]
					r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
					enter(t, db, list, true)
				}
			}
			got := state(t, db)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: copies differ:\n%q\n%q", seed, got, want)
			}
		}
		checkNothingLost(t, copies[0], slices.Concat(given...))
	}
}

func (r random) items(n int) (list []Item) {
	for range n {
		list = append(list, r.item())
	}
	return list
}

// enter merges items into a store, which has indexes of the domain before or after.
func enter(t *testing.T, db *storage.DB, list []Item, indexed bool) {
	t.Helper()
	update(t, db, func(tx *storage.Tx) error {
		if indexed {
			if err := build(tx, testDomain, nothing); err != nil {
				return err
			}
		}
		for _, it := range list {
			if err := (boltItems{}).merge(tx, it); err != nil {
				return err
			}
		}
		return Check(tx, boltItems{})
	})
}

// state returns the items and the indexes of a store.
func state(t *testing.T, db *storage.DB) (list []string) {
	t.Helper()
	update(t, db, func(tx *storage.Tx) error {
		list = dump(tx, testDomain)
		return boltItems{}.Scan(tx, testDomain, "", func(key string, value []byte) bool {
			list = append(list, fmt.Sprintf("%x %x", key, value))
			return true
		})
	})
	return list
}

// checkNothingLost checks that a store knows every URL of items that were merged into it, and that what was
// done or retired in one of them, in the latest version, is so.
func checkNothingLost(t *testing.T, db *storage.DB, list []Item) {
	t.Helper()
	best := make(map[string]URL)
	var retired Answer
	for _, it := range list {
		if it.Domain != testDomain {
			continue
		}
		if u, err := DecodeURL(it.Domain, it.Value); err == nil && kindOf(it.Key) == KindURL {
			b, ok := best[it.Key]
			if !ok || u.Version > b.Version || u.Version == b.Version && u.State > b.State {
				best[it.Key] = u
			}
		}
		if rec, err := DecodeRecord(it.Value); err == nil && it.Key == RecordKey && rec.Answer.compare(&retired) > 0 {
			retired = rec.Answer
		}
	}
	update(t, db, func(tx *storage.Tx) error {
		for _, key := range slices.Sorted(maps.Keys(best)) {
			got, err := DecodeURL(testDomain, boltItems{}.Get(tx, testDomain, key))
			if err != nil || got.Version != best[key].Version || got.State != best[key].State {
				return fmt.Errorf("%x is %+v, %v, want %+v", key, got, err, best[key])
			}
		}
		s, err := readSummary(tx, testDomain)
		if err == nil && s.until != retired.Until {
			return fmt.Errorf("retired until %d, want %d", s.until, retired.Until)
		}
		return err
	})
}

func FuzzChanged(f *testing.F) {
	r := newRandom(1)
	for range 20 {
		key := r.key()
		f.Add(key, r.value(key), r.value(key))
	}
	db := openDB(f)
	f.Fuzz(func(t *testing.T, key string, a, b []byte) {
		if len(key) == 0 || len(key) > crawl.MaxItemKey || len(a) > MaxValue || len(b) > MaxValue {
			return
		}
		update(t, db, func(tx *storage.Tx) error {
			if err := build(tx, testDomain, nothing); err != nil {
				return err
			}
			for _, v := range [][]byte{a, b} {
				if err := (boltItems{}).merge(tx, Item{Domain: testDomain, Key: key, Value: v}); err != nil {
					return err
				}
			}
			if err := Check(tx, boltItems{}); err != nil {
				return err
			}
			return (boltItems{}).delete(tx, testDomain, key)
		})
	})
}

func TestHostOf_IsReversed(t *testing.T) {
	for _, c := range []struct {
		d            crawl.Domain
		origin, host string
	}{
		{"a.test", "https://a.test", "s"},
		{"a.test", "http://www.a.test", "pwww."},
		{"a.test", "https://s.a.test:8443", "https://s.a.test:8443"},
		{"192.0.2.1", "http://192.0.2.1", "p"},
		{"2001:db8::1", "http://[2001:db8::1]", "http://[2001:db8::1]"},
	} {
		if host := hostOf(c.d, c.origin); host != c.host || originOf(c.d, host) != c.origin {
			t.Errorf("%s is %q, and back %s", c.origin, host, originOf(c.d, host))
		}
	}
}
