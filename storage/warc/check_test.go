package warc

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/check"
	"github.com/forage-net/forage/storage/warc/digest"
	"github.com/forage-net/forage/storage/warc/repair"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

func mustCheck(t testing.TB, dir string, opts check.Options) check.Report {
	t.Helper()
	report, err := check.Archive(t.Context(), dir, opts)
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	return report
}

// wantFaults verifies which kinds of faults Check finds in dir, and that
// looking changes nothing.
func wantFaults(t testing.TB, dir string, want ...check.Kind) check.Report {
	t.Helper()
	before := contents(t, dir)
	report := mustCheck(t, dir, check.Options{})
	var got []check.Kind
	for _, f := range report.Faults {
		got = append(got, f.Kind)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Check found %v, want %v", report.Faults, want)
	}
	if after := contents(t, dir); !mapsEqual(before, after) {
		t.Error("Check changed the archive")
	}
	return report
}

// contents returns the files of a directory.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

func mapsEqual(a, b map[string]string) bool {
	for name, text := range a {
		if other, ok := b[name]; !ok || other != text {
			return false
		}
	}
	return len(a) == len(b)
}

// sample holds pages 0 to 5 in three files, with revisits of both kinds and a
// chunked and a cut response.
func sample(t testing.TB) (dir string, positions []capture.Position) {
	t.Helper()
	dir = t.TempDir()
	a := mustOpen(t, Config{Dir: dir, MaxSize: 6 << 10})
	chunked := warctest.Page(3)
	head := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	chunked.Response = []byte(head + "5;x=y\r\nhello\r\n3\r\n, w\r\n0\r\nTrailer: 1\r\n\r\n")
	chunked.HeadLen, chunked.PayloadDigest, chunked.Compressed = len(head), sha1.Sum([]byte("hello, w")), false
	capped := warctest.Page(4)
	capped.Response = append([]byte(head), "c8\r\nas far as it was taken"...)
	capped.HeadLen, capped.PayloadDigest, capped.Truncated = len(head), sha1.Sum([]byte("as far as it was taken")), "length"
	again := warctest.Page(1)
	again.Date, again.Revisit = warctest.Date.Add(1e9), &capture.Refers{URL: warctest.Page(1).URL, Date: warctest.Page(1).Date}
	marked := warctest.Page(5)
	marked.NoIndex = true
	for _, c := range []capture.Capture{warctest.Page(0), warctest.Page(1), warctest.Page(2), chunked, capped, marked, again, unchanged(2)} {
		positions = append(positions, warctest.Append(t, a, c))
	}
	warctest.Close(t, a)
	if files, _ := warcfile.List(dir); len(files) != 3 {
		t.Fatalf("%d files, want 3", len(files))
	}
	return dir, positions
}

func TestCheck_SoundArchive(t *testing.T) {
	dir, positions := sample(t)
	report := wantFaults(t, dir)
	if report.Files != 3 || report.Captures != len(positions) || report.Revisits != 2 || report.Bytes != warctest.DiskSize(t, dir) {
		t.Errorf("Check = %+v, want 3 files, %d captures, 2 revisits, %d bytes", report, len(positions), warctest.DiskSize(t, dir))
	}
	if done, err := repair.Archive(t.Context(), durable.Disk{}, dir, report.RepairableFiles); len(done) != 0 || err != nil {
		t.Errorf("Repair of a sound archive did %+v, %v", done, err)
	}
}

func TestCheck_ReadOnlyDirectory(t *testing.T) {
	dir, _ := sample(t)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	wantFaults(t, dir)
}

func TestCheck_Canceled(t *testing.T) {
	dir, _ := sample(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Archive(ctx, dir, check.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Check returned %v, want canceled", err)
	}
	if _, err := check.Archive(t.Context(), filepath.Join(dir, "none"), check.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Check of no directory returned %v", err)
	}
	name, warc, _, _ := unfinished(t, 2)
	planted := plant(t, name, warc, nil)
	report := mustCheck(t, planted, check.Options{})
	if _, err := repair.Archive(ctx, durable.Disk{}, planted, report.RepairableFiles); !errors.Is(err, context.Canceled) {
		t.Errorf("Repair returned %v, want canceled", err)
	}
}

func TestCheck_ListsFaultsUpToALimit(t *testing.T) {
	name, warc, _, _ := unfinished(t, 1)
	index := bytes.Repeat([]byte("garbage\n"), 200)
	dir := plant(t, name, warc, index)
	for limit, want := range map[int]int{0: check.DefaultMaxFaults, 3: 3, 1000: 201} {
		report := mustCheck(t, dir, check.Options{MaxFaults: limit})
		if len(report.Faults) != want || report.FaultCount != 201 || report.RepairableCount != 201 {
			t.Errorf("%d of %d faults listed, %d repairable, want %d of 201", len(report.Faults), report.FaultCount, report.RepairableCount, want)
		}
	}
}

func TestCheck_WhileAppending(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir, MaxSize: 16 << 10})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 200 {
			if _, err := a.Append(warctest.Page(n)); err != nil {
				t.Errorf("Append: %v", err)
			}
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if report := mustCheck(t, dir, check.Options{Live: true}); report.FaultCount != 0 {
			t.Errorf("faults beside Append: %v", report.Faults)
		}
	}
	warctest.Tear(t, warctest.OnlyFile(t, dir, "*.open"))
	if report := mustCheck(t, dir, check.Options{Live: true}); report.FaultCount != 0 {
		t.Errorf("faults within a write: %v", report.Faults)
	}
	wantFaults(t, dir, check.Torn)
}

func TestCheck_Digests(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir})
	c := warctest.Page(0)
	c.PayloadDigest[0]++
	p := warctest.Append(t, a, c)
	warctest.Close(t, a)
	report := wantFaults(t, dir, check.PayloadDigest)
	if f := report.Faults[0]; f.File != p.File || f.Offset != p.RecordOffset || f.Repairable || report.RepairableCount != 0 {
		t.Errorf("fault is %+v", f)
	}
}

// record returns a WARC record as some other program may write it.
func rawRecord(kind, block string, fields ...string) string {
	return "WARC/1.0\r\nWARC-Type: " + kind + "\r\nWARC-Target-URI: http://example.com/\r\nWARC-Date: 2026-01-31T12:00:00Z\r\n" +
		strings.Join(append(fields, ""), "\r\n") + fmt.Sprintf("Content-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
}

func TestCheck_DigestForms(t *testing.T) {
	const http = "Content-Type: application/http; msgtype=response"
	sha := func(s string) string { sum := sha1.Sum([]byte(s)); return string(digest.Append(nil, sum[:])) }
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	long := strings.Repeat("x", 100_000)
	for _, tt := range []struct {
		name, record string
		want         []check.Kind
	}{
		{"base32", rawRecord("response", "abc", "WARC-Block-Digest: "+sha("abc")), nil},
		{"lower case", rawRecord("response", "abc", "WARC-Block-Digest: "+strings.ToLower(sha("abc"))), nil},
		{"hex", rawRecord("response", "abc", "WARC-Block-Digest: sha1:a9993e364706816aba3e25717850c26c9cd0d89d"), nil},
		{"sha-256", rawRecord("response", "abc", "WARC-Block-Digest: sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), nil},
		{"sha-256 in base32", rawRecord("response", "abc", "WARC-Block-Digest: SHA-256:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ===="), nil},
		{"base64", rawRecord("response", "abc", "WARC-Block-Digest: sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0="), nil},
		{"base64 for URLs", rawRecord("response", "abc", "WARC-Block-Digest: sha1:qZk-NkcGgWq6PiVxeFDCbJzQ2J0"), nil},
		{"other algorithm", rawRecord("response", "abc", "WARC-Block-Digest: md4:abc"), nil},
		{"wrong", rawRecord("response", "abc", "WARC-Block-Digest: "+sha("abd")), []check.Kind{check.BlockDigest}},
		{"no sum", rawRecord("response", "abc", "WARC-Block-Digest: sha1:x"), []check.Kind{check.BlockDigest}},
		{"endless", rawRecord("response", "abc", "WARC-Block-Digest: sha1:"+strings.Repeat("A", 5000)), []check.Kind{check.BlockDigest}},
		{"payload", rawRecord("response", "HTTP/1.1 200 OK\r\n\r\nabc", http, "WARC-Payload-Digest: "+sha("abc")), nil},
		{"LF only", rawRecord("response", "HTTP/1.1 200 OK\n\nabc", http, "WARC-Payload-Digest: "+sha("abc")), nil},
		{"empty line first", rawRecord("response", "\r\nHTTP/1.1 200 OK\r\n\r\nabc", http, "WARC-Payload-Digest: "+sha("abc")), nil},
		{"no payload", rawRecord("response", "HTTP/1.1 200 OK\r\n\r\n", http, "WARC-Payload-Digest: "+sha("")), nil},
		{"long payload", rawRecord("response", "HTTP/1.1 200 OK\r\n\r\n"+long, http, "WARC-Payload-Digest: "+sha(long)), nil},
		{"other payload", rawRecord("response", "HTTP/1.1 200 OK\r\n\r\nabd", http, "WARC-Payload-Digest: "+sha("abc")), []check.Kind{check.PayloadDigest}},
		{"no head", rawRecord("response", "abc", http, "WARC-Payload-Digest: "+sha("abc")), nil},
		{"endless head", rawRecord("response", long, http, "WARC-Payload-Digest: "+sha("abc")), nil},
		{"not HTTP", rawRecord("resource", "abc", "WARC-Payload-Digest: "+sha("abc")), []check.Kind{check.Empty}},
		{"not HTTP, wrong", rawRecord("resource", "abc", "WARC-Payload-Digest: "+sha("x")), []check.Kind{check.PayloadDigest, check.Empty}},
		{"segment", rawRecord("response", "abc", "WARC-Segment-Number: 1", "WARC-Payload-Digest: "+sha("x")), nil},
		{"chunks", rawRecord("response", head+"1\r\na\r\n02 ;x\r\nbc\r\n0\r\n\r\n", http, "WARC-Payload-Digest: "+sha("abc")), nil},
		{"chunks with framing", rawRecord("response", head+"3\r\nabc\r\n0\r\n\r\n", http, "WARC-Payload-Digest: "+sha("3\r\nabc\r\n0\r\n\r\n")), nil},
		{"chunks cut in data", rawRecord("response", head+"5\r\nabc", http, "WARC-Payload-Digest: "+sha("abc")), nil},
		{"chunks cut in a line", rawRecord("response", head+"3\r\nabc\r\n00", http, "WARC-Payload-Digest: "+sha("abc")), nil},
		{"broken framing", rawRecord("response", head+"3\r\nabcx\r\n3\r\ndef\r\n", http, "WARC-Payload-Digest: "+sha("abc")), nil},
		{"endless framing", rawRecord("response", head+long, http, "WARC-Payload-Digest: "+sha("")), nil},
		{"other chunks", rawRecord("response", head+"3\r\nabd\r\n0\r\n\r\n", http, "WARC-Payload-Digest: "+sha("abc")), []check.Kind{check.PayloadDigest}},
	} {
		dir := t.TempDir()
		name := "forage-20260131120000-00001-1a2b3c4d"
		if err := os.WriteFile(filepath.Join(dir, name+warcfile.Suffix), []byte(tt.record), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []check.Kind
		for _, f := range mustCheck(t, dir, check.Options{}).Faults {
			if f.Kind != check.NoIndex {
				got = append(got, f.Kind)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: Check found %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestCheck_Revisits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*capture.Capture)
		want   []check.Kind
	}{
		{"original", func(c *capture.Capture) {}, nil},
		{"in another file", func(c *capture.Capture) {
			c.Revisit.URL, c.Revisit.Date, c.PayloadDigest = warctest.Page(0).URL, warctest.Page(0).Date, warctest.Page(0).PayloadDigest
		}, nil},
		{"other URL", func(c *capture.Capture) { c.Revisit.URL += "x" }, []check.Kind{check.NoOriginal}},
		{"other date", func(c *capture.Capture) { c.Revisit.Date = c.Revisit.Date.Add(1000) }, []check.Kind{check.NoOriginal}},
		{"other payload", func(c *capture.Capture) { c.PayloadDigest[3]++ }, []check.Kind{check.OtherPayload}},
		{"itself", func(c *capture.Capture) { c.Revisit.URL, c.Revisit.Date = c.URL, c.Date }, []check.Kind{check.NoOriginal}},
	} {
		dir := t.TempDir()
		a := mustOpen(t, Config{Dir: dir, MaxSize: 4 << 10})
		for n := range 5 {
			warctest.Append(t, a, warctest.Page(n))
		}
		c := unchanged(4)
		tt.change(&c)
		p := warctest.Append(t, a, c)
		warctest.Close(t, a)
		report := wantFaults(t, dir, tt.want...)
		if report.RepairableCount != 0 || len(tt.want) > 0 && (report.Faults[0].File != p.File || report.Faults[0].Offset != p.RecordOffset) {
			t.Errorf("%s: faults %+v, want one at %+v", tt.name, report.Faults, p)
		}
	}
}
