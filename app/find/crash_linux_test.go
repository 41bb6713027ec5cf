package find

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage/index"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// childEnv names the archive on which a copy of the test binary works in place of the tests.
const childEnv = "FORAGE_FIND_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		fmt.Fprintln(os.Stderr, childIndex(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// childIndex archives and indexes pages until it is killed, and tells of each. It writes after every few of them, so that it is often killed
// while it writes or merges.
func childIndex(dir string) error {
	archive, err := warc.Open(warc.Config{Dir: dir, MaxSize: 256 << 10})
	if err != nil {
		return err
	}
	first := 0
	if err := warcfile.Scan(dir, capture.Position{}, func(capture.Stored) error { first++; return nil }); err != nil {
		return err
	}
	f, err := Open(Config{Archive: dir, Index: Dir(dir), Settings: func() Settings { return Settings{On: true, MaxBytes: 1 << 40, Share: 100} }})
	if err != nil {
		return err
	}
	f.commitPages = 7
	ctx := context.Background()
	go f.Serve(ctx)
	var next atomic.Int64
	next.Store(int64(first) * 10) // numbers no earlier child has used
	failed := make(chan error)
	for range 3 {
		go func() {
			for {
				n := int(next.Add(1))
				if err := childPage(f, archive, n); err != nil {
					failed <- err
				}
				if _, err := fmt.Println(n); err != nil {
					failed <- err
				}
			}
		}()
	}
	go func() {
		for {
			if _, err := f.index.Merge(ctx, nil); err != nil {
				failed <- err
			}
			runtime.Gosched()
		}
	}()
	return <-failed
}

func childPage(f *Finder, archive *warc.Archive, n int) error {
	u, err := crawl.ParseURL(fmt.Sprintf("http://s%d.test/%d", n%5, n))
	if err != nil {
		return err
	}
	body := html("en", fmt.Sprint("Page ", n), fmt.Sprintf(`number%d is a page of all <a href="http://elsewhere.test/%d">out</a>`, n, n%3))
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n", len(body))
	r, err := fetch.ParseResponse(u, []byte(head+body))
	if err != nil {
		return err
	}
	defer r.Release()
	c := capture.Capture{URL: u.String(), Date: time.Now(), Response: []byte(head + body), HeadLen: len(head), Status: 200, PayloadDigest: r.Digest()}
	_, page := answer.Read(crawl.Task{URL: u}, r, everywhere(), c.Date, &answer.Extras{Words: f.Counter()})
	ticket := f.Begin()
	at, err := archive.Append(c)
	if err != nil {
		f.Drop(ticket)
		return err
	}
	f.Offer(ticket, Page{URL: u, At: at, Time: c.Date, Digest: c.PayloadDigest, Words: page.Words, Links: page.Links})
	return nil
}

// Whenever a process that indexes and merges is killed, the index has every page of the archive once after the next start.
func TestIndex_AfterKill(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	dir := t.TempDir() + "/warc"
	for round := range rounds {
		killChild(t, dir, 40+round*13%97)
		if round%4 != 3 {
			continue // it is killed again before anybody has brought the index up to date
		}
		checkAfterKill(t, dir, round)
	}
}

// killChild kills a child after it has told of so many pages.
func killChild(t *testing.T, dir string, pages int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	n := 0
	for ; n < pages && lines.Scan(); n++ {
		if _, err := strconv.Atoi(lines.Text()); err != nil {
			t.Error(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if n < pages {
		t.Fatalf("it ended by itself after %d pages", n)
	}
}

func checkAfterKill(t *testing.T, dir string, round int) {
	t.Helper()
	archive, err := warc.Open(warc.Config{Dir: dir, MaxSize: 256 << 10}) // cuts a torn end off
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	f, err := Open(Config{Archive: dir, Index: Dir(dir)})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.index.Check(); err != nil {
		t.Error(err)
	}
	pages := 0
	err = warcfile.Scan(dir, capture.Position{}, func(c capture.Stored) error {
		pages++
		hits, err := f.index.Search(t.Context(), index.Query{All: []index.Wanted{{Terms: []string{"number" + c.URL[len("http://s0.test/"):]}}}}, 5)
		if err == nil && (len(hits.Best) != 1 || hits.Best[0].Offset != c.Position.RecordOffset || hits.Best[0].File != c.Position.File) {
			err = fmt.Errorf("%s is found at %+v, it is at %+v", c.URL, hits.Best, c.Position)
		}
		return err
	})
	if err != nil && !errors.Is(err, record.ErrTorn) {
		t.Errorf("after round %d: %v", round, err)
	}
	if st := f.index.Stats(); st.Pages != pages {
		t.Errorf("after round %d: %d pages in the index, %d in the archive", round, st.Pages, pages)
	}
}
