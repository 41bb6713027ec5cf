package wacz

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// The layout, the manifest and its digest are those of WACZ 1.1.1 §5 and §6.
func TestWriter_PackageIsAsSpecified(t *testing.T) {
	archive := bytes.Repeat([]byte("records"), 1000)
	main := Page{URL: "https://example.com/", Date: testDate, Title: "A <page> & \"more\" 漢字"}
	d := Description{Title: "Of <all> pages", Software: "forage 1", MainPage: &main}
	m := makePackage(t, d, func(w *Writer) {
		for _, err := range []error{
			w.Index(Entry{URL: main.URL, Date: main.Date, MIME: "text/html", Status: 200, Digest: "sha1:AB", File: "a.warc.gz", Offset: 10, Length: 20}),
			w.Page(main),
			w.Archive("a.warc.gz", int64(len(archive)), bytes.NewReader(archive)),
			w.Page(Page{URL: "https://example.com/b", Date: testDate}),
			w.Archive("b.warc.gz", 0, bytes.NewReader(nil)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	if got := m.read("archive/a.warc.gz"); !bytes.Equal(got, archive) {
		t.Errorf("the archive file has %d other bytes, want %d", len(got), len(archive))
	}
	want := []string{
		"archive/a.warc.gz", "archive/b.warc.gz", "indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl",
		"datapackage.json", "datapackage-digest.json",
	}
	var names []string
	for _, f := range m.File {
		names = append(names, f.Name)
		if stored := f.Method == zip.Store; stored != strings.HasSuffix(f.Name, ".gz") {
			t.Errorf("%s has the method %d", f.Name, f.Method)
		}
		if !f.Modified.Equal(testDate.Truncate(1e9)) {
			t.Errorf("%s is of %s, want %s", f.Name, f.Modified, testDate)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("the files are %v, want %v", names, want)
	}
	checkManifest(t, m, want[:5])
	manifest := parse[map[string]any](t, m.read("datapackage.json"))
	for key, want := range map[string]any{
		"profile": "data-package", "wacz_version": "1.1.1", "title": "Of <all> pages", "created": "2026-01-31T12:00:00Z",
		"software": "forage 1", "mainPageUrl": main.URL, "mainPageURL": main.URL, "mainPageDate": "2026-01-31T12:00:00.123Z",
	} {
		if manifest[key] != want {
			t.Errorf("%s is %v, want %v", key, manifest[key], want)
		}
	}
	lines := m.index()
	if want := `com,example)/ 20260131120000123 {"url":"https://example.com/","mime":"text/html","status":"200","digest":"sha1:AB",` +
		`"length":"20","offset":"10","filename":"a.warc.gz"}`; len(lines) != 1 || lines[0] != want {
		t.Errorf("the index is %q, want %q", lines, want)
	}
	wantPages := fmt.Sprintf(`{"format":"json-pages-1.0","id":"pages","title":"All pages"}
{"id":%q,"url":"https://example.com/","ts":"2026-01-31T12:00:00.123Z","title":"A <page> & \"more\" 漢字"}
{"id":%q,"url":"https://example.com/b","ts":"2026-01-31T12:00:00.123Z"}
`, main.id(), Page{URL: "https://example.com/b", Date: testDate}.id())
	if got := string(m.read("pages/pages.jsonl")); got != wantPages {
		t.Errorf("the pages are\n%s, want\n%s", got, wantPages)
	}
}

// checkManifest compares the manifest with the files and its own digest.
func checkManifest(t *testing.T, m made, names []string) {
	t.Helper()
	raw := m.read("datapackage.json")
	digest := parse[map[string]string](t, m.read("datapackage-digest.json"))
	if digest["path"] != "datapackage.json" || digest["hash"] != fmt.Sprintf("sha256:%x", sha256.Sum256(raw)) || len(digest) != 2 {
		t.Errorf("the digest is %v", digest)
	}
	resources := parse[struct{ Resources []resource }](t, raw).Resources
	if len(resources) != len(names) {
		t.Fatalf("%d resources, want %d", len(resources), len(names))
	}
	for i, r := range resources {
		data := m.read(names[i])
		want := resource{Name: path.Base(names[i]), Path: names[i], Hash: fmt.Sprintf("sha256:%x", sha256.Sum256(data)), Bytes: int64(len(data))}
		if r != want {
			t.Errorf("resource %+v, want %+v", r, want)
		}
	}
}

func TestWriter_SameInputSamePackage(t *testing.T) {
	pack := func() []byte {
		var out bytes.Buffer
		w := newWriter(t, &out)
		for n := range 3000 {
			if err := errors.Join(w.Index(entry(n)), w.Page(Page{URL: entry(n).URL, Date: testDate})); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Finish(Description{Title: "same"}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	if !bytes.Equal(pack(), pack()) {
		t.Error("two packages of the same differ")
	}
}

func TestWriter_EmptyIndex(t *testing.T) {
	m := makePackage(t, Description{}, func(*Writer) {})
	if lines := m.index(); len(lines) != 0 {
		t.Errorf("an empty index has the lines %q", lines)
	}
	if manifest := parse[map[string]any](t, m.read("datapackage.json")); manifest["mainPageUrl"] != nil || manifest["title"] != nil {
		t.Errorf("the manifest makes things up: %v", manifest)
	}
}

// A short file would leave index entries without records.
func TestWriter_ArchiveFileThatEndsTooEarly(t *testing.T) {
	w := newWriter(t, io.Discard)
	if err := w.Archive("a.warc.gz", 10, strings.NewReader("short")); !errors.Is(err, errSize) || !strings.Contains(err.Error(), "archive/a.warc.gz") {
		t.Errorf("Archive = %v, want errSize with the name", err)
	}
	broken := errors.New("broken")
	if err := w.Archive("b.warc.gz", 10, io.MultiReader(strings.NewReader("sh"), brokenReader{broken})); !errors.Is(err, broken) {
		t.Errorf("Archive = %v, want the error of the reader", err)
	}
}

type brokenReader struct{ error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.error }

// fullDisk takes so many bytes.
type fullDisk struct{ left int }

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.left)
	d.left -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// Wherever the disk is full, that is the error, and no temporary file is left.
func TestWriter_FullDisk(t *testing.T) {
	write := func(out io.Writer, scratch string) error {
		w, err := NewWriter(out, Config{Created: testDate, Scratch: scratch, Lines: new(memorySorter)})
		if err != nil {
			return err
		}
		defer w.Close()
		if err := w.Archive("a.warc.gz", 20_000, bytes.NewReader(make([]byte, 20_000))); err != nil {
			return err
		}
		for n := range 2000 {
			if err := errors.Join(w.Index(entry(n)), w.Page(Page{URL: entry(n).URL, Date: testDate})); err != nil {
				return err
			}
		}
		return w.Finish(Description{})
	}
	whole := &counter{w: io.Discard}
	if err := write(whole, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	for left := int64(0); left < whole.n; left += whole.n/23 + 1 {
		if err := write(&fullDisk{int(left)}, scratch); !errors.Is(err, errFull) {
			t.Errorf("with %d bytes of room: %v, want errFull", left, err)
		}
	}
	if files, err := os.ReadDir(scratch); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestNewWriter_NoScratch(t *testing.T) {
	if _, err := NewWriter(io.Discard, Config{Scratch: path.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("NewWriter = %v, want os.ErrNotExist", err)
	}
}

func BenchmarkWriter_Capture(b *testing.B) {
	w, err := NewWriter(io.Discard, Config{Created: testDate, Scratch: b.TempDir(), Lines: discardLines{}})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	e := entry(1)
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Index(e); err != nil {
			b.Fatal(err)
		}
		if err := w.Page(Page{URL: e.URL, Date: e.Date, Title: "A title of ordinary length"}); err != nil {
			b.Fatal(err)
		}
	}
}

type discardLines struct{ Sorter }

func (discardLines) Add([]byte) error { return nil }
