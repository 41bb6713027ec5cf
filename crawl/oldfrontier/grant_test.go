package frontier

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// tailsOf returns the ends of the keys of what is queued of a host, in their order.
func tailsOf(t *testing.T, f *Frontier, host []byte) (tails [][]byte) {
	t.Helper()
	err := f.view(func(b *buckets) error {
		return b.queue.ForEach(func(key, _ []byte) error {
			if bytes.HasPrefix(key, host) {
				tails = append(tails, bytes.Clone(key[len(key)-tailSize:]))
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return tails
}

// respell makes another URL of one that is queued, and of its last visit: it is one of another domain, as if the list of public
// suffixes had changed.
func respell(t *testing.T, f *Frontier, url, text string) {
	t.Helper()
	err := f.db.Update(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, f.cfg.LogID)
		if err != nil {
			return err
		}
		for _, key := range keysOf(b.queue) {
			value := b.queue.Get(key)
			if string(value[2:]) != url {
				continue
			}
			if err := b.queue.Put(key, taskValue(value[0], taskKind(value[1]), text)); err != nil {
				return err
			}
			page := pageKey(domainOf(key), url)
			rec, ok, err := b.page(page)
			if err != nil || !ok {
				return err
			}
			rec.URL = text
			if err := b.pages.Delete(page); err != nil {
				return err
			}
			return b.putPage(pageKey(domainOf(key), text), &rec)
		}
		t.Errorf("%s is not queued", url)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A member that had a log copied has none of the tasks that are none by today's rules. Members must number their leases alike
// nevertheless, and hold them of the same domains.
func TestGrant_LeasesAreTheSameWhereQueuesAreNot(t *testing.T) {
	for _, c := range []struct {
		name     string
		old      []string // of the three tasks
		settled  int
		revisits bool
		faults   string // that Check finds in the end: a page whose URL is one of another domain stays one
	}{
		{name: "first", old: []string{"/1"}, settled: 2},
		{name: "all", old: []string{"/1", "/2", "/3"}},
		{name: "none", settled: 3},
		{name: "visited before", old: []string{"/2"}, settled: 2, revisits: true, faults: `page "http://elsewhere.test/2": is no URL of a.test`},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := emptyLog(t, Config{LeaseFor: time.Minute})
			for _, url := range []string{"http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1"} {
				enqueueIn(t, from, url)
			}
			host := hostKey("a.test", "http://a.test")
			if c.revisits {
				visitAll(t, from, host)
			}
			for _, path := range c.old {
				respell(t, from, "http://a.test"+path, "http://elsewhere.test"+path)
			}
			to := emptyLog(t, from.cfg)
			if !(&copier{t: t, from: from, to: to}).run() {
				t.Fatal("the copy is not whole")
			}
			tails := tailsOf(t, from, host)
			if n := len(tailsOf(t, to, host)); len(tails) != 3 || n != 3-len(c.old) {
				t.Fatalf("%d tasks, of which the copy has %d", len(tails), n)
			}
			g := Entry{Grant: &Grant{Domain: "a.test", Origin: "http://a.test", For: time.Minute, Tasks: tails}}
			id := applyIn(t, from, g).Lease
			if id == 0 {
				t.Fatal("refused")
			}
			applyIn(t, to, g)
			sameLeases(t, from, to)
			l, ok, err := from.Lease(id)
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			if open := 3 - countTrue(l.Done); open != c.settled {
				t.Errorf("%d tasks to fetch, want %d", open, c.settled)
			}
			for i, task := range l.Tasks {
				if l.Done[i] {
					continue
				}
				s := Settle{Lease: id, Domain: "a.test", Task: []byte(task.ID), URL: task.URL.String(), Result: crawl.Fetched, Status: 200, Date: 1}
				for _, f := range []*Frontier{from, to} {
					if a := applyIn(t, f, Entry{Settle: &s}); !a.Settled {
						t.Errorf("outcome of %s ignored", task.URL)
					}
				}
			}
			for _, f := range []*Frontier{from, to} {
				applyIn(t, f, Entry{Release: &Release{Lease: id, Domain: "a.test"}})
				other := tailsOf(t, f, hostKey("b.test", ""))
				if a := applyIn(t, f, Entry{Grant: &Grant{Domain: "b.test", Origin: "http://b.test", For: time.Minute, Tasks: other}}); a.Lease != id+1 {
					t.Errorf("the next lease is %d", a.Lease)
				}
				if n := len(tailsOf(t, f, host)); n != 0 {
					t.Errorf("%d tasks left", n)
				}
			}
			sameLeases(t, from, to)
			if err := from.Check(); err != nil && err.Error() != c.faults || err == nil && c.faults != "" {
				t.Errorf("Check = %v, want %q", err, c.faults)
			}
			for _, path := range c.old {
				if rec, ok, err := pageOf(t, from, "http://elsewhere.test"+path); err != nil || ok != c.revisits || rec.Queued {
					t.Errorf("last visit of %s: %+v, %v, %v", path, rec, ok, err)
				}
			}
		})
	}
}

// visitAll visits the pages of a host, and queues all of them for another visit.
func visitAll(t *testing.T, f *Frontier, host []byte) {
	t.Helper()
	name, origin := splitHostKey(host)
	applyIn(t, f, Entry{Grant: &Grant{Domain: name, Origin: origin, For: time.Minute, Tasks: tailsOf(t, f, host)}})
	l, _, err := f.Lease(1)
	if err != nil {
		t.Fatal(err)
	}
	var pages [][]byte
	for _, task := range l.Tasks {
		url := task.URL.String()
		applyIn(t, f, Entry{Settle: &Settle{Lease: 1, Domain: name, Task: []byte(task.ID), URL: url, Result: crawl.Fetched, Status: 200, Date: 1}})
		key := pageKey(name, url)
		pages = append(pages, key[len(key)-pageHash:])
	}
	applyIn(t, f, Entry{Release: &Release{Lease: 1, Domain: name}})
	applyIn(t, f, Entry{Recall: &Recall{Domain: name, Pages: pages}})
}

// sameLeases wants members to agree on what is leased, and on the number of the next lease.
func sameLeases(t *testing.T, a, b *Frontier) {
	t.Helper()
	live, next, err := a.LeaseNumbers()
	if err != nil {
		t.Fatal(err)
	}
	other, otherNext, err := b.LeaseNumbers()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(live, other) || next != otherNext {
		t.Errorf("leases %v and next %d, and with the copy %v and %d", live, next, other, otherNext)
	}
}

// pageOf returns the last visit of a URL of a.test.
func pageOf(t *testing.T, f *Frontier, url string) (rec pageRecord, ok bool, err error) {
	t.Helper()
	err = f.view(func(b *buckets) error {
		rec, ok, err = b.page(pageKey("a.test", url))
		return err
	})
	return rec, ok, err
}

func countTrue(list []bool) (n int) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}
