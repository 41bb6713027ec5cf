package warc

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/durable/durabletest"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/check"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

const secret = "xyzzy-of-gone-example"

// of returns a page of a host, whose text nothing else has.
func of(host string, n int) capture.Capture {
	body := fmt.Sprintf("<title>%s %d</title>%s", host, n, strings.Repeat("<p>text</p>", n%5))
	if host == "gone.example" {
		body = strings.ReplaceAll(body, host, secret)
	}
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n", len(body))
	return capture.Capture{
		URL: fmt.Sprintf("https://%s/%d", host, n), Date: warctest.Date.Add(time.Duration(n) * time.Second), Request: fmt.Appendf(nil, "GET /%d HTTP/1.1\r\nHost: %s\r\n\r\n", n, host),
		Response: []byte(head + body), HeadLen: len(head), PayloadDigest: sha1.Sum([]byte(body)), MIME: "text/html", Status: 200,
		Metadata: [][2]string{{"title", strings.TrimSuffix(body, "</title>")}},
	}
}

// revisited returns a later visit of a page, which found the payload of a first one, or that nothing has changed.
func revisited(c, first capture.Capture, notModified bool) capture.Capture {
	c.Date = c.Date.Add(time.Hour)
	c.Revisit, c.PayloadDigest = &capture.Refers{URL: first.URL, Date: first.Date, NotModified: notModified}, first.PayloadDigest
	if notModified {
		c.Response, c.Status = []byte("HTTP/1.1 304 Not Modified\r\n\r\n"), 304
		c.HeadLen = len(c.Response)
	}
	c.Metadata = nil
	return c
}

// mixed writes pages of two hosts into several files, with revisits from one to the other. It returns where the pages of kept.example are.
func mixed(t testing.TB, dir string) map[string]capture.Position {
	a := mustOpen(t, Config{Dir: dir, MaxSize: 4000})
	kept := make(map[string]capture.Position)
	keep := func(c capture.Capture) { kept[c.URL+c.Date.String()] = warctest.Append(t, a, c) }
	for n := range 4 {
		warctest.Append(t, a, of("gone.example", n))
		keep(of("kept.example", n))
		warctest.Append(t, a, of("gone.example", 100+n))
		keep(revisited(of("kept.example", n), of("kept.example", n), true))
		warctest.Append(t, a, revisited(of("gone.example", n), of("gone.example", n), true))
		warctest.Append(t, a, revisited(of("gone.example", 200+n), of("kept.example", n), false)) // it had a page of ours
	}
	for n := range 8 { // a file without anything else
		warctest.Append(t, a, of("gone.example", 300+n))
	}
	warctest.Append(t, a, revisited(of("kept.example", 50), of("gone.example", 1), false)) // a page of both
	warctest.Append(t, a, revisited(of("kept.example", 50), of("gone.example", 1), true))
	keep(of("kept.example", 60))
	warctest.Close(t, a)
	return kept
}

func erasing() Erasing {
	return Erasing{
		Gone: func(url string) bool { return strings.HasPrefix(url, "https://gone.example/") },
		Whole: func(c *capture.Capture, original []byte) error {
			_, body, found := bytes.Cut(original, []byte("\r\n\r\n"))
			if !found {
				return errors.New("no head")
			}
			c.Response = append(bytes.Clone(c.Response), body...)
			return nil
		},
	}
}

// checkErased verifies that nothing of gone.example is in an archive, and all of kept.example.
func checkErased(t testing.TB, dir string, kept map[string]capture.Position, what string) {
	t.Helper()
	checkFiles(t, dir)
	if r := mustCheck(t, dir, check.Options{}); r.FaultCount != 0 {
		t.Errorf("%s: %v", what, r.Faults)
	}
	whole := 0
	for _, c := range warctest.Captures(t, dir, capture.Position{}) {
		if strings.Contains(c.URL, "gone.example") || c.Revisit != nil && strings.Contains(c.Revisit.URL, "gone.example") {
			t.Errorf("%s: %s is there, revisit of %v", what, c.URL, c.Revisit)
		}
		if c.URL == "https://kept.example/50" {
			if whole++; c.Revisit != nil || !strings.Contains(string(c.Response), secret+" 1") || len(c.Request) == 0 {
				t.Errorf("%s: %s is %q, revisit of %v, want it in full", what, c.URL, c.Response, c.Revisit)
			}
		}
	}
	if whole == 0 {
		t.Errorf("%s: the page of both is lost", what)
	}
	for name, p := range kept {
		c, err := warcfile.Read(dir, p)
		if err != nil || c.URL+c.Date.String() != name {
			t.Errorf("%s: %s is %s now, %v", what, name, c.URL, err)
		}
	}
	for name, text := range contents(t, dir) {
		if strings.HasSuffix(name, warcfile.Suffix) {
			text = unpacked(t, text)
		}
		if i := strings.Index(text, "gone.example"); i >= 0 && !strings.HasPrefix(text[i:], "gone.example 1<") { // of the page of both
			t.Errorf("%s: %s has ...%.60q", what, name, text[max(0, i-20):])
		}
	}
}

// unpacked returns all records of a file.
func unpacked(t testing.TB, text string) string {
	var b strings.Builder
	r := record.NewReader(strings.NewReader(text))
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(&b, rec.Header)
		io.Copy(&b, rec.Body)
	}
}

func TestErase(t *testing.T) {
	dir := t.TempDir()
	kept := mixed(t, dir)
	before, _ := warcfile.List(dir)
	for _, name := range []string{before[0].String() + warcfile.CutSuffix, before[1].Stem() + warcfile.IndexSuffix + warcfile.CutSuffix, before[1].String() + warcfile.DamagedSuffix + ".2"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := mustOpen(t, Config{Dir: dir, MaxSize: 4000})
	done, err := a.Erase(t.Context(), erasing())
	warctest.Close(t, a)
	if err != nil || done.Captures != 26 || done.Kept != 1 || done.Bytes == 0 {
		t.Errorf("Erase = %+v, %v, want 26 captures, one kept in full", done, err)
	}
	checkErased(t, dir, kept, "erased")
	after, _ := warcfile.List(dir)
	if len(after) >= len(before)+1 {
		t.Errorf("%d files, before %d: one without other captures is still there", len(after), len(before))
	}
	was := contents(t, dir)
	a = mustOpen(t, Config{Dir: dir, MaxSize: 4000})
	if done, err := a.Erase(t.Context(), erasing()); err != nil || done != (Erased{}) {
		t.Errorf("erased again: %+v, %v", done, err)
	}
	warctest.Close(t, a)
	for name, text := range contents(t, dir) {
		if was[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
}

// Whatever fails and whenever the power is lost, the next call ends what was begun, and nothing else is lost.
func TestErase_EveryFault(t *testing.T) {
	root := warctest.MemoryDir(t)
	runs := 0
	durabletest.EveryFault(t, []int{1, durabletest.Lasts}, func(t *testing.T, fault string, prepare func(string) *durabletest.Disk) *durabletest.Disk {
		runs++
		dir := filepath.Join(root, fmt.Sprint(runs))
		kept := mixed(t, dir)
		d := prepare(dir)
		erase := func(dir string, fs durable.FS) error {
			a, err := Open(Config{Dir: dir, MaxSize: 4000, fs: fs, Now: func() time.Time { return warctest.Date }})
			if err != nil {
				return err
			}
			_, err = a.Erase(context.Background(), erasing())
			return errors.Join(err, a.Close())
		}
		if err := erase(dir, d); err != nil && !d.Failed() { // some things are tried again at once
			t.Errorf("%s: Erase = %v", fault, err)
		}
		d.Heal()
		for _, names := range []bool{false, true} {
			lost := fmt.Sprintf("%s-lost-%v", dir, names)
			survive(t, d, dir, lost, names)
			if err := erase(lost, durable.Disk{}); err != nil {
				t.Errorf("%s: after a power loss: %v", fault, err)
			}
			checkErased(t, lost, kept, fault+", power lost")
		}
		if err := erase(dir, d); err != nil {
			t.Errorf("%s: the second Erase: %v", fault, err)
		}
		checkErased(t, dir, kept, fault)
		return d
	})
}
