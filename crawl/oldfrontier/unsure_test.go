package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/forage-net/forage/storage"
)

// What was repaired is looked at key by key when the log is copied: records of domains do not tell any more
// what belongs to them.
func TestUnsure_CopyFindsWhatRecordsDoNotTell(t *testing.T) {
	r := newRig(t, Config{})
	var urls []string
	for i := range 9 {
		urls = append(urls, fmt.Sprint("http://a.test/", i))
	}
	r.enqueue(urls...)
	to := emptyLog(t, Config{Now: r.clock})
	mustCopy(t, r.Frontier, to)
	spoil := func() {
		edit(t, to.db, func(b *buckets) error {
			c := b.queue.Cursor()
			c.First()
			c.Next()
			key, _ := c.Next()
			return b.queue.Delete(bytes.Clone(key))
		})
	}
	spoil()
	c := &copier{t: t, from: r.Frontier, to: to}
	c.run()
	if a, b := dumpShared(t, r.Frontier)["queue"], dumpShared(t, to)["queue"]; a == b {
		t.Log("the copy finds it without being told to look")
	}
	if err := to.db.Update(func(tx *storage.Tx) error { return Unsure(tx, "self") }); err != nil {
		t.Fatal(err)
	}
	mustCopy(t, r.Frontier, to)
}

// Config.Mended is told of what was changed, and in the same transaction.
func TestRepair_TellsThatItMended(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1")
	r.stop()
	db, err := storage.Open(r.path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	told := 0
	var fails error
	cfg := Config{LogID: "self", Now: r.clock, Mended: func(*storage.Tx) error { told++; return fails }}
	repaired := func(dry bool) (int, error) {
		mended, err := Repair(t.Context(), db, cfg, dry)
		return len(mended), err
	}
	if n, err := repaired(false); n > 0 || err != nil || told > 0 {
		t.Errorf("a log that is well: %d repairs, %v, told %d times", n, err, told)
	}
	edit(t, db, func(b *buckets) error { return b.meta.Delete(keyState) })
	if n, err := repaired(true); n == 0 || err != nil || told > 0 {
		t.Errorf("a look: %d repairs, %v, told %d times", n, err, told)
	}
	fails = errors.New("full")
	if _, err := repaired(false); !errors.Is(err, fails) || told != 1 {
		t.Errorf("error %v, told %d times", err, told)
	}
	fails = nil
	if n, err := repaired(false); n == 0 || err != nil || told != 2 {
		t.Errorf("%d repairs, %v, told %d times: what was not told was kept", n, err, told)
	}
}
