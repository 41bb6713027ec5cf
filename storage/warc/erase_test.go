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
	"github.com/forage-net/forage/storage/warc/record"
)

const secret = "xyzzy-of-gone-example"

// of returns a page of a host, whose text nothing else has.
func of(host string, n int) Capture {
	body := fmt.Sprintf("<title>%s %d</title>%s", host, n, strings.Repeat("<p>text</p>", n%5))
	if host == "gone.example" {
		body = strings.ReplaceAll(body, host, secret)
	}
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n", len(body))
	return Capture{
		URL: fmt.Sprintf("https://%s/%d", host, n), Date: testDate.Add(time.Duration(n) * time.Second), Request: fmt.Appendf(nil, "GET /%d HTTP/1.1\r\nHost: %s\r\n\r\n", n, host),
		Response: []byte(head + body), HeadLen: len(head), PayloadDigest: sha1.Sum([]byte(body)), MIME: "text/html", Status: 200,
		Metadata: [][2]string{{"title", strings.TrimSuffix(body, "</title>")}},
	}
}

// revisited returns a later visit of a page, which found the payload of a first one, or that nothing has changed.
func revisited(c, first Capture, notModified bool) Capture {
	c.Date = c.Date.Add(time.Hour)
	c.Revisit, c.PayloadDigest = &Refers{URL: first.URL, Date: first.Date, NotModified: notModified}, first.PayloadDigest
	if notModified {
		c.Response, c.Status = []byte("HTTP/1.1 304 Not Modified\r\n\r\n"), 304
		c.HeadLen = len(c.Response)
	}
	c.Metadata = nil
	return c
}

// mixed writes pages of two hosts into several files, with revisits from one to the other. It returns where the pages of kept.example are.
func mixed(t testing.TB, dir string) map[string]Position {
	a := mustOpen(t, Config{Dir: dir, MaxSize: 4000})
	kept := make(map[string]Position)
	keep := func(c Capture) { kept[c.URL+c.Date.String()] = mustAppend(t, a, c) }
	for n := range 4 {
		mustAppend(t, a, of("gone.example", n))
		keep(of("kept.example", n))
		mustAppend(t, a, of("gone.example", 100+n))
		keep(revisited(of("kept.example", n), of("kept.example", n), true))
		mustAppend(t, a, revisited(of("gone.example", n), of("gone.example", n), true))
		mustAppend(t, a, revisited(of("gone.example", 200+n), of("kept.example", n), false)) // it had a page of ours
	}
	for n := range 8 { // a file without anything else
		mustAppend(t, a, of("gone.example", 300+n))
	}
	mustAppend(t, a, revisited(of("kept.example", 50), of("gone.example", 1), false)) // a page of both
	mustAppend(t, a, revisited(of("kept.example", 50), of("gone.example", 1), true))
	keep(of("kept.example", 60))
	mustClose(t, a)
	return kept
}

func erasing() Erasing {
	return Erasing{
		Gone: func(url string) bool { return strings.HasPrefix(url, "https://gone.example/") },
		Whole: func(c *Capture, original []byte) error {
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
func checkErased(t testing.TB, dir string, kept map[string]Position, what string) {
	t.Helper()
	check(t, dir)
	if r := mustCheck(t, dir, CheckOptions{}); r.FaultCount != 0 {
		t.Errorf("%s: %v", what, r.Faults)
	}
	whole := 0
	for _, c := range scanAll(t, dir, Position{}) {
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
		c, err := ReadCapture(dir, p)
		if err != nil || c.URL+c.Date.String() != name {
			t.Errorf("%s: %s is %s now, %v", what, name, c.URL, err)
		}
	}
	for name, text := range contents(t, dir) {
		if strings.HasSuffix(name, warcSuffix) {
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
	before, _ := list(dir)
	for _, name := range []string{before[0].String() + cutSuffix, before[1].stem() + cdxjSuffix + cutSuffix, before[1].String() + damagedSuffix + ".2"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := mustOpen(t, Config{Dir: dir, MaxSize: 4000})
	done, err := a.Erase(t.Context(), erasing())
	mustClose(t, a)
	if err != nil || done.Captures != 26 || done.Kept != 1 || done.Bytes == 0 {
		t.Errorf("Erase = %+v, %v, want 26 captures, one kept in full", done, err)
	}
	checkErased(t, dir, kept, "erased")
	after, _ := list(dir)
	if len(after) >= len(before)+1 {
		t.Errorf("%d files, before %d: one without other captures is still there", len(after), len(before))
	}
	was := contents(t, dir)
	a = mustOpen(t, Config{Dir: dir, MaxSize: 4000})
	if done, err := a.Erase(t.Context(), erasing()); err != nil || done != (Erased{}) {
		t.Errorf("erased again: %+v, %v", done, err)
	}
	mustClose(t, a)
	for name, text := range contents(t, dir) {
		if was[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
}

// Whatever fails and whenever the power is lost, the next call ends what was begun, and nothing else is lost.
func TestErase_EveryFault(t *testing.T) {
	root := memoryDir(t)
	runs := 0
	durabletest.EveryFault(t, []int{1, durabletest.Lasts}, func(t *testing.T, fault string, prepare func(string) *durabletest.Disk) *durabletest.Disk {
		runs++
		dir := filepath.Join(root, fmt.Sprint(runs))
		kept := mixed(t, dir)
		d := prepare(dir)
		erase := func(dir string, fs durable.FS) error {
			a, err := Open(Config{Dir: dir, MaxSize: 4000, fs: fs, Now: func() time.Time { return testDate }})
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

func TestWriteFiller_EveryLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, around := range []int64{leastFiller, 2000, maxStored, maxStored + storedHead + leastFiller, 2 * maxStored, 1 << 20} {
		for n := max(leastFiller, around-400); n < around+400; n += durabletest.OneIn {
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := writeFiller(f, n); err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			f.Close()
			rec, err := record.ReadAt(path, 0)
			if err == nil {
				err = rec.Close()
			}
			if err != nil || rec.Length != n {
				t.Fatalf("%d bytes are a record of %d, %v", n, rec.Length, err)
			}
			if n%97 == 0 {
				data, _ := os.ReadFile(path)
				checkMember(t, data, rec.ContentLength)
			}
		}
	}
}
