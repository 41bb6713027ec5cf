package ledger

import (
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"log/slog"
	"testing"

	"github.com/forage-net/forage/storage"
)

// captureNumber makes up the first capture of the n-th payload.
func captureNumber(n int) firstCapture {
	return firstCapture{
		Digest: sha1.Sum(binary.BigEndian.AppendUint32(nil, uint32(n))),
		At:     place{"forage-20260102030405-00001-0123abcd.warc.gz", int64(n)},
	}
}

func captureNumbers(from, to int) (list []firstCapture) {
	for n := from; n < to; n++ {
		list = append(list, captureNumber(n))
	}
	return list
}

func testDigests(t *testing.T, db *storage.DB) *digests {
	t.Helper()
	d, err := openDigests(db, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// check makes sure that the payloads up to, not including, n are known and no others.
func (d *digests) check(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		f := captureNumber(i)
		if at, ok := d.get(f.Digest); !ok || at != f.At {
			t.Fatalf("payload %d of %d is at %+v, %v", i, n, at, ok)
		}
	}
	if at, ok := d.get(captureNumber(n).Digest); ok {
		t.Fatalf("payload %d is at %+v", n, at)
	}
}

// records returns how many payloads have a record, and how many commits.
func (d *digests) records(t *testing.T) (sums, commits int) {
	t.Helper()
	err := d.db.View(func(tx *storage.Tx) error {
		return tx.Bucket(storage.BucketDigests).ForEach(func(key, _ []byte) error {
			if isFreshKey(key) {
				commits++
			} else {
				sums++
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums, commits
}

func TestDigests_StayKnown(t *testing.T) {
	db := openDB(t)
	d, known := testDigests(t, db), 0
	for commit := 0; known < 3*freshDigests; commit++ {
		next := known + 1 + 37*(commit%5)
		if err := db.Update(func(tx *storage.Tx) error { return d.add(tx, captureNumbers(known, next)) }); err != nil {
			t.Fatal(err)
		}
		known = next
		if commit%16 == 0 {
			d.check(t, known)
			d = testDigests(t, db)
			d.check(t, known)
		}
		if len(d.fresh) > freshDigests {
			t.Fatalf("%d payloads are in memory", len(d.fresh))
		}
	}
	sums, commits := d.records(t)
	if sums < 2*freshDigests || sums+len(d.fresh) != known || commits > freshDigests {
		t.Errorf("of %d payloads %d have a record, %d are in %d of commits", known, sums, len(d.fresh), commits)
	}
}

// What comes to nothing changes nothing, whether it would bring payloads to their places or not.
func TestDigests_TransactionFails(t *testing.T) {
	db := openDB(t)
	d := testDigests(t, db)
	full := errors.New("the disk is full")
	for _, n := range []int{10, freshDigests, freshDigests + 10} {
		before, _ := d.records(t)
		list := captureNumbers(0, n)
		err := db.Update(func(tx *storage.Tx) error { return errors.Join(d.add(tx, list), full) })
		if !errors.Is(err, full) {
			t.Fatal(err)
		}
		if sums, _ := d.records(t); sums != before {
			t.Errorf("%d payloads have a record, %d before", sums, before)
		}
		if err := db.Update(func(tx *storage.Tx) error { return d.add(tx, list) }); err != nil {
			t.Fatal(err)
		}
		d.check(t, n)
		testDigests(t, db).check(t, n)
	}
}

// Two transactions in a row may both find so many that they are to be brought to their places: memory is told only after.
func TestDigests_PlacedTwice(t *testing.T) {
	db := openDB(t)
	d := testDigests(t, db)
	for n := 0; n < freshDigests; n += 128 {
		if err := db.Update(func(tx *storage.Tx) error { return d.add(tx, captureNumbers(n, n+128)) }); err != nil {
			t.Fatal(err)
		}
	}
	err := db.Update(func(tx *storage.Tx) error {
		return errors.Join(d.add(tx, captureNumbers(freshDigests, freshDigests+5)), d.add(tx, captureNumbers(freshDigests+5, freshDigests+10)))
	})
	if err != nil {
		t.Fatal(err)
	}
	d.check(t, freshDigests+10)
	if sums, commits := d.records(t); sums != freshDigests+10 || commits != 0 || len(d.fresh) != 0 {
		t.Errorf("%d payloads have a record, %d commits, %d are in memory", sums, commits, len(d.fresh))
	}
}

func FuzzPlace(f *testing.F) {
	raw, _ := captureNumber(7).At.MarshalBinary()
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var p, again place
		if p.UnmarshalBinary(raw) != nil {
			return
		}
		raw, err := p.MarshalBinary()
		if err != nil || again.UnmarshalBinary(raw) != nil || again != p {
			t.Errorf("%+v becomes %+v, %v", p, again, err)
		}
	})
}

// Where payloads are is forgotten with their captures, whether it is in its place or not yet.
func TestForget_Digests(t *testing.T) {
	l := newLibrary(t, 0)
	l.settle(l.take("http://a.test/", page("text")))
	known := l.take("http://b.test/", page("other"))
	l.settle(known)
	err := l.db.Update(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketDigests)
		lost := captureNumber(1)
		raw, err := lost.At.MarshalBinary()
		return errors.Join(err, b.Put(lost.Digest[:keySize], raw), l.digests.add(tx, captureNumbers(2, 4)),
			l.digests.place(tx, b, nil), l.digests.add(tx, captureNumbers(5, 6)),
			Forget(tx, l.dir, func(string) bool { return false }))
	})
	if err != nil {
		t.Fatal(err)
	}
	l.startAgain()
	if sums, _ := l.digests.records(t); sums != 2 || len(l.digests.fresh) != 0 || !l.Has(known.Digest) {
		t.Errorf("%d payloads have a record, %d are in memory", sums, len(l.digests.fresh))
	}
}
