package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

func TestArchivist_SameContentIsStoredOnce(t *testing.T) {
	l := newLibrary(t, 0)
	body := strings.Repeat("the same text ", 200)
	first := l.take("http://a.test/1", page(body))
	second := l.take("http://b.test/2", page(body, "ETag: \"x\""))
	if first.Duplicate || !second.Duplicate || first.Digest != second.Digest {
		t.Fatalf("duplicate is %v, %v", first.Duplicate, second.Duplicate)
	}
	l.settle(first)
	third := l.take("http://c.test/3", page(body))
	l.settle(second, third)
	l.startAgain()
	fourth := l.take("http://d.test/4", page(body))
	if !third.Duplicate || !fourth.Duplicate {
		t.Errorf("duplicate is %v after the commit, %v after another start", third.Duplicate, fourth.Duplicate)
	}
	original := l.take("http://e.test/5", page("another text"))
	all := make(map[string]capture.Stored)
	if err := warcfile.Scan(l.dir, capture.Position{}, func(c capture.Stored) error {
		c.Response = bytes.Clone(c.Response)
		all[c.URL] = c
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	one := all["http://a.test/1"]
	if one.Revisit != nil || !strings.HasSuffix(string(one.Response), body) || original.Duplicate {
		t.Errorf("the first capture is not whole: %+v", one.Revisit)
	}
	for _, url := range []string{"http://b.test/2", "http://c.test/3", "http://d.test/4"} {
		c := all[url]
		if c.Revisit == nil || c.Revisit.URL != one.URL || !c.Revisit.Date.Equal(one.Date) {
			t.Errorf("%s refers to %+v, want %s of %v", url, c.Revisit, one.URL, one.Date)
		}
		if len(c.Response) != c.HeadLen || c.PayloadDigest != first.Digest {
			t.Errorf("%s: %d bytes with a head of %d", url, len(c.Response), c.HeadLen)
		}
	}
}

func TestArchivist_OnlyWholePagesAreDuplicates(t *testing.T) {
	l := newLibrary(t, 0)
	for _, raw := range []string{
		page(""),
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\ncut short",
		"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\nnot found",
		"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 5\r\n\r\nmoved",
	} {
		for range 2 {
			if o := l.take("http://a.test/", raw); o.Duplicate {
				t.Errorf("%q is a duplicate", raw)
			}
		}
	}
}

// Programs that replay archives undo chunks for the one word "chunked".
func TestArchivist_SaysChunkedSoThatOthersReadIt(t *testing.T) {
	const body = "a\r\n<title>t</\r\n0\r\n\r\n"
	for fields, want := range map[string]string{
		"Transfer-Encoding: chunked\r\n":                               "Transfer-Encoding: chunked\r\n",
		"transfer-encoding: Chunked\r\n":                               "Transfer-Encoding: chunked\r\nX-Archive-Orig-transfer-encoding: Chunked\r\n",
		"Transfer-Encoding: chunked, chunked\r\n":                      "Transfer-Encoding: chunked\r\nX-Archive-Orig-Transfer-Encoding: chunked, chunked\r\n",
		"Transfer-Encoding: identity,\n  chunked\r\n":                  "Transfer-Encoding: chunked\r\nX-Archive-Orig-Transfer-Encoding: identity,\n  chunked\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n": "Transfer-Encoding: chunked\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n",
		"Transfer-Encoding:\r\nX: y\r\nTransfer-Encoding: chunked\r\n": "Transfer-Encoding: chunked\r\nX-Archive-Orig-Transfer-Encoding:\r\nX: y\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n",
		"Transfer-Encoding: identity\r\n":                              "Transfer-Encoding: identity\r\n",
	} {
		const begin = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
		l := newLibrary(t, 0)
		o := l.take("http://a.test/", begin+fields+"\r\n"+body)
		found := archived(t, l.dir)
		if len(found) != 1 || string(found[0].Response) != begin+want+"\r\n"+body || found[0].HeadLen != len(begin+want)+2 {
			t.Errorf("%q: archived %q", fields, found[0].Response)
			continue
		}
		r := answerOf(t, "http://a.test/", string(found[0].Response))
		if again, _ := answer.Read(o.Task, r, l.scope, time.Now(), nil); again.Digest != o.Digest || again.Result != o.Result {
			t.Errorf("%q: read back as %+v, was %+v", fields, again, o)
		}
	}
}

// A capture that nobody can read must not stand for later ones: a revisit record of it would show nothing.
func TestArchivist_PageIsNoDuplicateOfABrokenOne(t *testing.T) {
	gz := packed(t, strings.Repeat("words of a page ", 500))
	changed := []byte(gz)
	changed[len(changed)/2] ^= 0xff
	for name, raw := range map[string]string{
		"gzip that ends early":     page(gz[:len(gz)-20], "Content-Encoding: gzip"),
		"gzip that ends at once":   page(gz[:9], "Content-Encoding: gzip"),
		"gzip that was changed":    page(string(changed), "Content-Encoding: gzip"),
		"no gzip, and no text":     page("\x00\x01\x02", "Content-Encoding: gzip"),
		"br that is none":          page("\x00\x01\x02\xff\xfe\xfd", "Content-Encoding: br"),
		"a coding nobody can undo": page("\x1f\x9d\x90\x00\x01", "Content-Encoding: compress"),
	} {
		l := newLibrary(t, 0)
		first := l.take("http://a.test/", raw)
		again := l.take("http://b.test/", raw)
		l.settle(first, again)
		if third := l.take("http://c.test/", raw); again.Duplicate || third.Duplicate || l.Has(first.Digest) {
			t.Errorf("%s: a revisit was stored", name)
		}
	}
}

// A file that was taken away cannot be referred to.
func TestArchivist_PageIsNoDuplicateOfOneThatIsGone(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"removed":    os.Remove,
		"moved":      func(path string) error { return os.Rename(path, path+".bak") },
		"cut":        func(path string) error { return os.Truncate(path, 100) },
		"emptied":    func(path string) error { return os.Truncate(path, 0) },
		"no file":    func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"still here": func(string) error { return nil },
	} {
		l := newLibrary(t, 1) // a file for each capture
		raw := page("the text")
		first := l.take("http://a.test/", raw)
		l.settle(first)
		l.settle(l.take("http://b.test/", page("another text")))
		files, err := filepath.Glob(filepath.Join(l.dir, "*.warc.gz*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		if err := lose(files[0]); err != nil {
			t.Fatal(err)
		}
		l.startAgain()
		if o, want := l.take("http://c.test/", raw), name == "still here"; o.Duplicate != want || l.Has(first.Digest) != true {
			t.Errorf("%s: duplicate %v, want %v", name, o.Duplicate, want)
		}
	}
}

// What is cut must not stand for what is whole.
func TestArchivist_PageIsNoDuplicateOfATruncatedOne(t *testing.T) {
	l := newLibrary(t, 0)
	l.settle(l.take("http://a.test/", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nthe text"))
	if o := l.take("http://b.test/", page("the text")); o.Duplicate {
		t.Error("a whole page is stored as a revisit of one that was cut")
	}
}

func TestArchivist_KeepsTheFinalHead(t *testing.T) {
	l := newLibrary(t, 0)
	const interim = "HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
	l.take("http://a.test/", interim+page("text"))
	c := l.toRecover()["http://a.test/"]
	if string(c.Response) != page("text") || c.Status != 200 {
		t.Errorf("archived %q", c.Response)
	}
}

func TestInterimLen(t *testing.T) {
	const final = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"
	for head, want := range map[string]int{
		"":                                      0,
		final:                                   0,
		"HTTP/1.1 100 Continue\r\n\r\n" + final: 25,
		"HTTP/1.1 100\r\n\r\n" + final:          16,
		"HTTP/1.1 103 A\r\nX: y\r\n\r\nHTTP/1.1 100 C\r\n\r\n" + final: 42,
		"HTTP/1.1 100 never ends":                                      0,
		"ICY 100 OK\r\n\r\n":                                           0,
	} {
		if got := interimLen([]byte(head)); got != want {
			t.Errorf("interimLen(%q) = %d, want %d", head, got, want)
		}
	}
}

// Recovery reads from the checkpoint on: whatever is settled in whatever order,
// what is not settled must be behind it, and in the end nothing is.
func TestArchivist_CheckpointNeverPassesAnUnsettledCapture(t *testing.T) {
	for seed := range uint64(4) {
		l := newLibrary(t, 20_000) // several files
		r := rand.New(rand.NewPCG(seed, 1))
		var open []crawl.Outcome
		for n := 0; n < 80 || len(open) > 0; n++ {
			if n < 80 {
				url := fmt.Sprintf("http://h%d.test/%d", n%7, n)
				open = append(open, l.take(url, page(strings.Repeat(fmt.Sprint(r.IntN(30)), 1+r.IntN(2000)))))
			}
			if n%5 != 0 && n < 80 {
				continue
			}
			r.Shuffle(len(open), func(i, k int) { open[i], open[k] = open[k], open[i] })
			k := r.IntN(len(open) + 1)
			l.settle(open[:k]...)
			open = open[k:]
			found := l.toRecover()
			for _, o := range open {
				if _, ok := found[o.Task.URL.String()]; !ok {
					t.Fatalf("seed %d, step %d: %s is not settled and before the checkpoint", seed, n, o.Task.URL)
				}
			}
		}
		l.settle()
		if found := l.toRecover(); len(found) != 0 {
			t.Errorf("seed %d: %d captures would be read again, and all are settled", seed, len(found))
		}
		if len(l.order)+len(l.byTask)+len(l.open) != 0 {
			t.Errorf("seed %d: %d captures, %d tasks, %d digests are still in memory", seed, len(l.order), len(l.byTask), len(l.open))
		}
	}
}

// Fetchers write at the same time, and a commit may come between a write and
// the note that is taken of it.
func TestArchivist_CheckpointHoldsWithManyFetchers(t *testing.T) {
	l := newLibrary(t, 0)
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := make(map[string]checkpoint) // the checkpoint while that URL was not settled
	for i := range 16 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 2))
			for n := range 15 {
				o := l.take(fmt.Sprintf("http://h%d.test/%d", i, n), page(strings.Repeat("x", r.IntN(3000))))
				from, err := l.start()
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				seen[o.Task.URL.String()] = from
				mu.Unlock()
				l.settle(o)
			}
		})
	}
	all.Wait()
	l.settle()
	err := warcfile.Scan(l.dir, capture.Position{}, func(c capture.Stored) error {
		from := seen[c.URL]
		if after(from.position(), c.Position) || slices.Contains(from.Done[c.Position.File], c.Position.Offset) {
			t.Errorf("the checkpoint was %+v, and %s at %d was not settled", from, c.URL, c.Position.Offset)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found := l.toRecover(); len(found) != 0 {
		t.Errorf("%d captures would be read again, and all are settled", len(found))
	}
}

func TestArchivist_RobotsFilesAreArchivedAndNeverSettled(t *testing.T) {
	l := newLibrary(t, 0)
	if err := l.ArchiveBeside(answerOf(t, "http://a.test/robots.txt", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	o := l.take("http://a.test/", page("text"))
	if found := l.toRecover(); len(found) != 2 || found["http://a.test/robots.txt"].Status != 404 {
		t.Errorf("found %v", found)
	}
	l.settle(o)
	l.settle()
	if found := l.toRecover(); len(found) != 0 {
		t.Errorf("%d captures would be read again", len(found))
	}
}

func TestArchivist_DamagedDigestIsNoDuplicate(t *testing.T) {
	l := newLibrary(t, 0)
	o := l.take("http://a.test/", page("text"))
	l.settle(o)
	err := l.db.Update(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketDigests)
		if err := b.Put(freshKey(b.Sequence()), []byte("nonsense")); err != nil {
			return err
		}
		return b.Put(o.Digest[:keySize], []byte("nonsense"))
	})
	if err != nil {
		t.Fatal(err)
	}
	l.startAgain()
	if o := l.take("http://b.test/", page("text")); o.Duplicate {
		t.Error("a revisit of nobody knows what")
	}
}

func TestArchivist_FailureSaysWhatWasArchived(t *testing.T) {
	l := newLibrary(t, 0)
	l.files.Close()
	r := answerOf(t, "http://a.test/", page("text"))
	o := crawl.Outcome{Task: crawl.Task{ID: "t", URL: r.URL}, Result: crawl.Fetched}
	if err := l.Archive(r, &o, answer.Page{}); err == nil || !strings.Contains(err.Error(), "archive http://a.test/: ") {
		t.Errorf("error %v", err)
	}
	if err := l.ArchiveBeside(r); err == nil {
		t.Error("no error")
	}
	if len(l.order)+len(l.byTask)+len(l.open) != 0 {
		t.Error("what was not written is waited for")
	}
}
