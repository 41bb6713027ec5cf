package warc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/digest"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

// unchanged returns the answer to a request whether page n is still good.
func unchanged(n int) capture.Capture {
	c := warctest.Page(n)
	c.Date = c.Date.Add(time.Hour)
	c.Revisit = &capture.Refers{URL: warctest.Page(n).URL, Date: warctest.Page(n).Date, NotModified: true}
	c.Response = []byte("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n")
	c.HeadLen, c.Status, c.MIME, c.Compressed = len(c.Response), 304, "unk", false
	return c
}

func digestOf(c capture.Capture) string { return string(digest.Append(nil, c.PayloadDigest[:])) }

func TestAppend_NotModified(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir})
	again := warctest.Page(1)
	again.Date = again.Date.Add(time.Minute)
	again.Revisit = &capture.Refers{URL: warctest.Page(1).URL, Date: warctest.Page(1).Date}
	warctest.Append(t, a, warctest.Page(1))
	warctest.Append(t, a, again)
	p := warctest.Append(t, a, unchanged(1))
	warctest.Close(t, a)
	checkFiles(t, dir)

	stored := warctest.Captures(t, dir, capture.Position{})
	for i, want := range []*capture.Refers{nil, again.Revisit, unchanged(1).Revisit} {
		if got := stored[i].Revisit; !reflect.DeepEqual(got, want) {
			t.Errorf("capture %d refers to %+v, want %+v", i, got, want)
		}
	}
	if got, want := stored[2].PayloadDigest, warctest.Page(1).PayloadDigest; got != want || stored[2].Status != 304 {
		t.Errorf("the digest is %x with status %d, want that of the original, %x, with 304", got, stored[2].Status, want)
	}
	if got, err := warcfile.ReadResponse(dir, p); err != nil || !bytes.Equal(got, unchanged(1).Response) {
		t.Errorf("ReadResponse = %q, %v, want the head of the 304", got, err)
	}
	rec, err := record.ReadAt(filepath.Join(dir, p.File), p.RecordOffset)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	for name, want := range map[string]string{
		"WARC-Type":                 "revisit",
		"WARC-Profile":              "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
		"WARC-Refers-To-Target-URI": warctest.Page(1).URL,
		"WARC-Refers-To-Date":       "2026-01-31T12:00:00.124456Z",
		"WARC-Payload-Digest":       digestOf(warctest.Page(1)),
		"WARC-Truncated":            "",
	} {
		if got := rec.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var index bytes.Buffer
	if err := exportedCDXJ(t, dir, &index); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(index.String(), `"mime":"warc/revisit","status":"304"`); n != 1 {
		t.Errorf("%d lines of a 304 in\n%s", n, &index)
	}
}

func TestAppend_NotModifiedNeedsStatus304(t *testing.T) {
	a := mustOpen(t, Config{Dir: t.TempDir()})
	for _, stated := range []int{200, 0} {
		c := unchanged(1)
		c.Response = warctest.Page(1).Response
		c.HeadLen, c.Status = warctest.Page(1).HeadLen, stated
		if _, err := a.Append(c); !errors.Is(err, capture.ErrRefused) {
			t.Errorf("Append of status %d as not modified returned %v, want ErrCapture", stated, err)
		}
	}
	c := unchanged(1)
	c.Status = 0
	warctest.Append(t, a, c)
}

// markedArchive holds pages 0 to 5 in two files; odd ones are marked, as is a
// revisit of page 0. Page 1 has a revisit that is not.
func markedArchive(t testing.TB, dir string) (a *Archive, all, open []string) {
	t.Helper()
	a = mustOpen(t, Config{Dir: dir, MaxSize: 8 << 10})
	for n := range 6 {
		c := warctest.Page(n)
		c.NoIndex = n%2 == 1
		if n == 3 {
			c.Metadata = nil
		}
		warctest.Append(t, a, c)
		all = append(all, c.URL)
		if !c.NoIndex {
			open = append(open, c.URL)
		}
	}
	for n := range 2 {
		c := unchanged(n)
		c.URL += "&revisit"
		c.NoIndex = n == 0
		warctest.Append(t, a, c)
		all = append(all, c.URL) // and not open: its own mark, or that of what it repeats, keeps it out
	}
	return a, all, open
}

func TestScan_ReturnsNoIndex(t *testing.T) {
	dir := t.TempDir()
	markedArchive(t, dir)
	checkFiles(t, dir)
	for _, c := range warctest.Captures(t, dir, capture.Position{}) {
		want := strings.ContainsAny(c.URL[len("https://www.example.com/page/"):][:1], "135")
		if strings.HasSuffix(c.URL, "revisit") {
			want = !want
		}
		if c.NoIndex != want {
			t.Errorf("NoIndex of %s is %t, want %t", c.URL, c.NoIndex, want)
		}
	}
}

func TestExport_LeavesOutNoIndex(t *testing.T) {
	for _, state := range []string{"open", "finished", "without index", "open and torn"} {
		dir := t.TempDir()
		a, all, open := markedArchive(t, dir)
		switch state {
		case "finished":
			warctest.Close(t, a)
		case "without index":
			warctest.Close(t, a)
			files, _ := warcfile.List(dir)
			for _, f := range files {
				if err := os.Remove(f.IndexPath()); err != nil {
					t.Fatal(err)
				}
			}
		case "open and torn":
			warctest.Tear(t, warctest.OnlyFile(t, dir, "*.open"))
		}
		for _, tt := range []struct {
			options []export.Option
			want    []string
		}{{nil, open}, {[]export.Option{export.WithNoIndex}, all}} {
			dst := t.TempDir()
			if _, n, err := exportedWARC(t, dir, dst, tt.options...); err != nil || n != warctest.DiskSize(t, dst) {
				t.Errorf("%s: ExportWARC = %d bytes, %v, want %d", state, n, err, warctest.DiskSize(t, dst))
			}
			if got := warctest.URLs(warctest.Captures(t, dst, capture.Position{})); !slices.Equal(got, tt.want) {
				t.Errorf("%s: ExportWARC of %d options kept %v, want %v", state, len(tt.options), got, tt.want)
			}
			files, _ := warcfile.List(dst)
			for _, f := range files {
				checkRecords(t, f)
			}
			if files, _, err := exportedWARC(t, dir, dst, tt.options...); files != 0 || err != nil {
				t.Errorf("%s: a second ExportWARC of %d options copied %d files, %v, want none", state, len(tt.options), files, err)
			}
			var index bytes.Buffer
			if err := exportedCDXJ(t, dir, &index, tt.options...); err != nil {
				t.Errorf("%s: ExportCDXJ: %v", state, err)
			}
			if got := strings.Count(index.String(), "\n"); got != len(tt.want) {
				t.Errorf("%s: ExportCDXJ of %d options wrote %d lines, want %d", state, len(tt.options), got, len(tt.want))
			}
			warctest.CheckPlaces(t, dst, index.Bytes())
			if got, want := strings.Count(index.String(), `"robots":"noindex"`), len(tt.options)*4; got != want {
				t.Errorf("%s: %d lines are marked, want %d", state, got, want)
			}
		}
	}
}

func TestExportWARC_OnlyNoIndex(t *testing.T) {
	dir, dst := t.TempDir(), t.TempDir()
	a := mustOpen(t, Config{Dir: dir})
	c := warctest.Page(1)
	c.NoIndex = true
	warctest.Append(t, a, c)
	warctest.Close(t, a)
	if files, n, err := exportedWARC(t, dir, dst); files != 0 || n != 0 || err != nil || warctest.DiskSize(t, dst) != 0 {
		t.Errorf("ExportWARC = %d files, %d bytes, %v, want none", files, n, err)
	}
}

func TestOpen_RebuildsMarks(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir})
	for n := range 4 {
		c := warctest.Page(n)
		c.NoIndex = n >= 2
		warctest.Append(t, a, c)
	}
	warctest.Append(t, a, unchanged(1))
	abandon(a)
	index := warctest.OnlyFile(t, dir, "*.cdxj")
	want, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for what, damaged := range map[string][]byte{
		"missing":    nil,
		"not marked": bytes.Replace(want, []byte(`"robots":"noindex",`), nil, 1),
		"marked":     bytes.Replace(want, []byte(`"length"`), []byte(`"robots":"noindex","length"`), 1),
		"other code": bytes.Replace(want, []byte(warctest.Page(1).URL), []byte(warctest.Page(3).URL), 1),
	} {
		if err := os.WriteFile(index, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		b := mustOpen(t, Config{Dir: dir})
		if r := b.Recovered(); len(r) != 1 || r[0].IndexLines == 0 || r[0].Err != nil || r[0].Cut != 0 {
			t.Errorf("%s: recovered %+v", what, r)
		}
		abandon(b)
		if got, err := os.ReadFile(index); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the index is\n%s%v, want\n%s", what, got, err, want)
		}
	}
}
