package frontier

import (
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/storage"
)

// A store of schema 2 with a log of form 1 goes on: its lease holds only the
// tasks that were not settled.
func TestOpen_GoesOnWithAStoreBeforeTheSwarm(t *testing.T) {
	r := newRig(t, Config{})
	path := filepath.Join(t.TempDir(), "older.db")
	r.stop()
	r.open(path, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1")
	p := r.pick()
	l := r.grantOf(p.Grants[0])
	r.settle(l, l.Tasks[0], r.at(fetched))
	before := r.totals()
	r.stop()
	age(t, path)
	r.open(path, Config{})
	r.check()
	if got := r.totals(); got != before {
		t.Errorf("totals = %+v, want %+v", got, before)
	}
	live, err := r.Leases()
	if err != nil || len(live) != 1 || len(live[0].Tasks) != len(l.Tasks)-1 || live[0].Holder != "" {
		t.Fatalf("Leases = %+v, %v", live, err)
	}
	if a := r.settle(l, l.Tasks[1], r.at(fetched)); !a.Settled {
		t.Error("an outcome of the lease was not taken")
	}
	r.release(l)
	r.advance(time.Minute)
	if p := r.pick(); len(p.Grants) != 2 {
		t.Errorf("%d domains are due, want 2", len(p.Grants))
	}
	r.propose(Entry{Close: &Close{Domains: names("b.test"), To: "dst"}})
	if got := r.totals().Closing; got != 1 {
		t.Errorf("%d domains are closing, want 1", got)
	}
}

// age makes a store what it was before there was a swarm.
func age(t *testing.T, path string) {
	t.Helper()
	db, err := storage.Open(path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	edit(t, db, func(b *buckets) error {
		m, err := b.readMeta()
		if err != nil {
			return err
		}
		m.Form = 1
		if err := putRecord(b.meta, keyState, &m); err != nil {
			return err
		}
		r, _, err := b.readDomain("a.test")
		if err != nil {
			return err
		}
		r.Lease.Tasks, r.Lease.Done = r.Lease.open(), nil
		return putRecord(b.domains, []byte("a.test"), &r)
	})
	err = db.Update(func(tx *storage.Tx) error {
		for _, name := range [][]byte{storage.BucketRoster, storage.BucketPeers, storage.BucketHeld} {
			if err := tx.DeleteBucket(name); err != nil {
				return err
			}
		}
		log := tx.Bucket(storage.BucketLogs).Bucket([]byte("self"))
		for _, name := range [][]byte{nameOutbox, nameUnasked, nameClosing, nameGone, nameArriving, nameAside} {
			if err := log.DeleteBucket(name); err != nil {
				return err
			}
		}
		return tx.Bucket(storage.BucketMeta).Put([]byte("schema"), binary.BigEndian.AppendUint32(nil, 2))
	})
	if err != nil {
		t.Fatal(err)
	}
}
