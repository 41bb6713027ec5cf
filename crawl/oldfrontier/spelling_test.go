package frontier

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// edit changes the log without the frontier.
func edit(t *testing.T, db *storage.DB, change func(*buckets) error) {
	t.Helper()
	err := db.Update(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, "self")
		if err != nil {
			return err
		}
		return change(&b)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// putTask makes the first task of the queue one of a URL of any spelling, in a log of a form.
func putTask(b *buckets, url string, form uint8) error {
	m, err := b.readMeta()
	if err != nil {
		return err
	}
	m.Form = form
	if err := putRecord(b.meta, keyState, &m); err != nil {
		return err
	}
	key, value := b.queue.Cursor().First()
	return b.queue.Put(bytes.Clone(key), append(bytes.Clone(value[:2]), url...))
}

// Rules of spelling change; a task of an older store is settled all the same, or its
// page would be fetched again with each lease.
func TestSpelling_TaskOfAnOlderStoreIsSettled(t *testing.T) {
	for form := range uint8(2) {
		r := newRig(t, Config{})
		path := filepath.Join(t.TempDir(), "older.db")
		r.stop()
		r.open(path, Config{})
		r.enqueue("http://a.test/a%5Eb")
		edit(t, r.db, func(b *buckets) error { return putTask(b, "http://a.test/a^b", form) })
		r.stop()
		r.open(path, Config{})
		l := r.lease()
		if got := l.Tasks[0].URL.String(); got != "http://a.test/a%5Eb" {
			t.Errorf("form %d: the task is %s", form, got)
		}
		if a := r.settle(l, l.Tasks[0], r.at(page(1))); !a.Settled {
			t.Errorf("form %d: the task was not settled", form)
		}
		r.release(l)
		if got := r.totals(); got.Queued != 0 || got.Fetched != 1 {
			t.Errorf("form %d: totals = %+v", form, got)
		}
	}
}

// An outcome of another URL is none of the task, however alike they are.
func TestSpelling_OutcomeOfAnotherURLSettlesNothing(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/a%5Eb")
	l := r.lease()
	for _, url := range []string{"http://a.test/a%5Ec", "http://a.test/A%5Eb", "http://a.test/a%5Eb?x", "https://a.test/a%5Eb"} {
		u, err := crawl.ParseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		task := l.Tasks[0]
		task.URL = u
		if a := r.settle(l, task, r.at(page(1))); a.Settled {
			t.Errorf("an outcome of %s settled %s", url, l.Tasks[0].URL)
		}
	}
}

// A page that is spelt otherwise today cannot be found by what a visit reports, so it
// is not visited again under its old spelling.
func TestSpelling_PageOfAnOlderStoreIsNotQueuedForEver(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/a%5Eb")
	r.visit(page(1))
	edit(t, r.db, func(b *buckets) error { return respellPage(b, "a.test", "http://a.test/a^b") })
	r.advance(8 * day)
	for range 3 {
		if err := r.Wake(t.Context(), r.pick()); err != nil {
			t.Fatal(err)
		}
		if p := r.pick(); len(p.Grants) != 0 {
			t.Fatal("a page without a record of today's spelling is visited")
		}
		r.advance(time.Hour)
	}
}

// respellPage gives the one page that is known the URL of an older spelling, and its
// next visit with it.
func respellPage(b *buckets, domain crawl.Domain, url string) error {
	key, raw := b.pages.Cursor().First()
	rec, err := unpackPage(domainOf(key), raw)
	if err != nil {
		return err
	}
	due, _ := b.later.Cursor().First()
	due = bytes.Clone(due)
	if err := b.pages.Delete(bytes.Clone(key)); err != nil {
		return err
	}
	if err := b.later.Delete(due); err != nil {
		return err
	}
	rec.URL = url
	key = pageKey(domain, url)
	at, _ := splitDueKey(due)
	if err := b.later.Put(dueKey(at, key), []byte{}); err != nil {
		return err
	}
	return b.putPage(key, &rec)
}

// What is no URL by today's rules keeps neither the node from starting nor the other
// tasks from being leased, until Repair drops it.
func TestSpelling_TaskThatIsNoURLStopsNothing(t *testing.T) {
	for form := range uint8(2) {
		db, err := storage.Open(filepath.Join(t.TempDir(), "forage.db"), storage.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		cfg := Config{LogID: "self", Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
		f, err := Open(db, cfg)
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- f.Serve(t.Context()) }()
		links := []Link{{URL: "http://a.test/x", Priority: 2}, {URL: "http://a.test/y", Priority: 2}}
		if _, err := f.Propose(t.Context(), Entry{Enqueue: &Enqueue{Links: links}}); err != nil {
			t.Fatal(err)
		}
		edit(t, db, func(b *buckets) error { return putTask(b, "http://a..test/x", form) })
		if f, err = Open(db, cfg); err != nil {
			t.Fatalf("form %d: Open: %v", form, err)
		}
		p, err := f.Pick(1, never)
		if err != nil || len(p.Grants) != 1 {
			t.Fatalf("form %d: Pick = %+v, %v", form, p, err)
		}
		tasks, _, err := f.Tasks(p.Grants[0])
		if err != nil || len(tasks) != 1 || tasks[0].URL.String() != "http://a.test/y" {
			t.Errorf("form %d: Tasks = %v, %v, want the other one", form, tasks, err)
		}
		if _, err := Repair(t.Context(), db, cfg, false); err != nil {
			t.Errorf("form %d: Repair: %v", form, err)
		}
		if err := f.Check(); err != nil {
			t.Errorf("form %d: Check: %v", form, err)
		}
	}
}
