package export_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

// exportedFiles is what ExportFiles has handed over.
type exportedFiles struct {
	names    []string
	files    map[string][]byte
	captures []capture.Stored // URL, NoIndex and position only
}

func exportFiles(t testing.TB, dir string, options ...export.Option) (exportedFiles, export.Result) {
	t.Helper()
	e := exportedFiles{files: make(map[string][]byte)}
	done, err := export.Files(t.Context(), dir, export.Target{
		Capture: func(c capture.Stored) error {
			e.captures = append(e.captures, capture.Stored{Capture: capture.Capture{URL: c.URL, NoIndex: c.NoIndex}, Position: c.Position})
			return nil
		},
		File: func(name string, size int64, r io.Reader) error {
			data, err := io.ReadAll(r)
			if int64(len(data)) != size {
				t.Errorf("%s has %d bytes, %d were said", name, len(data), size)
			}
			e.names, e.files[name] = append(e.names, name), data
			return err
		},
	}, options...)
	if err != nil {
		t.Fatalf("ExportFiles: %v", err)
	}
	return e, done
}

// check makes sure that every capture is where its position says, and that
// nothing else is in the files.
func (e exportedFiles) check(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range e.files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	written := warctest.Captures(t, dir, capture.Position{})
	if len(written) != len(e.captures) {
		t.Fatalf("the files hold %d captures, %d were handed over", len(written), len(e.captures))
	}
	for i, c := range e.captures {
		if w := written[i]; w.URL != c.URL || w.Position != c.Position {
			t.Errorf("%s was said to be at %+v, it is at %+v", c.URL, c.Position, w.Position)
		}
	}
}

// Of a marked capture neither its records nor those that name it get out: a
// 304 says nothing of robots, but stands for a page that does.
func TestExportFiles_LeavesOutMarkedCapturesAndTheirRevisits(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{Dir: dir, MaxSize: 4 << 10})
	var want []string
	left := 0
	for n := range 30 {
		c := warctest.Page(n)
		c.NoIndex = n%5 == 1
		warctest.Append(t, a, c)
		same, asked := warctest.Page(n), warctest.Page(n)
		same.URL, same.Date, same.Revisit = same.URL+"&same", same.Date.AddDate(0, 0, 1), &capture.Refers{URL: c.URL, Date: c.Date}
		asked.Date, asked.Revisit = asked.Date.AddDate(0, 0, 2), &capture.Refers{URL: c.URL, Date: c.Date, NotModified: true}
		asked.Response = []byte("HTTP/1.1 304 Not Modified\r\n\r\n")
		asked.HeadLen, asked.Status = len(asked.Response), 304
		warctest.Append(t, a, same)
		warctest.Append(t, a, asked)
		if c.NoIndex {
			left += 3
		} else {
			want = append(want, c.URL, same.URL, asked.URL)
		}
	}
	e, done := exportFiles(t, dir)
	e.check(t)
	if got := warctest.URLs(e.captures); !slices.Equal(got, want) || done.LeftOut != (export.LeftOut{NoIndex: left}) || len(done.Damaged) > 0 {
		t.Errorf("%v left out, %v damaged, %v are left, want %d, none, %v", done.LeftOut, done.Damaged, got, left, want)
	}
	e, done = exportFiles(t, dir, export.WithNoIndex)
	e.check(t)
	if len(e.captures) != 90 || done.LeftOut.Total() != 0 {
		t.Errorf("WithNoIndex: %d captures, %v left out, want 90 and none", len(e.captures), done.LeftOut)
	}
	found, _ := warcfile.List(dir)
	for i, f := range found { // each as a whole
		data, err := os.ReadFile(f.Path())
		if err != nil || e.names[i] != f.String() || !bytes.Equal(e.files[f.String()], data) {
			t.Errorf("%s is no copy, %v", f, err)
		}
	}
}

// What a caller finds reasons for is left out with its revisits, and counted by
// reason; the rest is byte for byte what it was.
func TestExportFiles_ByWish(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{Dir: dir, MaxSize: 8 << 10})
	wishes := map[string]export.Wish{}
	var want []string
	for n := range 30 {
		c := warctest.Page(n)
		c.NoIndex = n%10 == 1
		warctest.Append(t, a, c)
		same := c
		same.URL, same.NoIndex, same.Revisit = c.URL+"&same", false, &capture.Refers{URL: c.URL, Date: c.Date}
		warctest.Append(t, a, same)
		switch n % 10 {
		case 1: // marked, and more than that
			wishes[c.URL] = export.Reserved
		case 2:
			wishes[c.URL] = export.NoAI
		case 3:
			wishes[c.URL], wishes[same.URL] = export.NoAI, export.Reserved
		case 4:
			wishes[same.URL] = export.Reserved
			want = append(want, c.URL)
		default:
			want = append(want, c.URL, same.URL)
		}
	}
	warctest.Close(t, a)
	option := export.ByWish(func(c *capture.Stored) export.Wish { return wishes[c.URL] })
	e, done := exportFiles(t, dir, option)
	e.check(t)
	if got := warctest.URLs(e.captures); !slices.Equal(got, want) || done.LeftOut != (export.LeftOut{NoIndex: 6, NoAI: 9, Reserved: 6}) {
		t.Errorf("%+v, and %v are left, want %v", done.LeftOut, got, want)
	}
	dst := t.TempDir()
	copied, err := export.WARC(t.Context(), dir, dst, option)
	if err != nil || copied.LeftOut != done.LeftOut || copied.Files != len(e.names) || copied.Bytes != warctest.DiskSize(t, dst) {
		t.Errorf("ExportWARC = %+v, %v, want %d files", copied, err, len(e.names))
	}
	var index bytes.Buffer
	lines, err := export.CDXJ(t.Context(), dir, &index, option)
	if err != nil || lines.LeftOut != done.LeftOut || bytes.Count(index.Bytes(), []byte("\n")) != len(want) {
		t.Errorf("ExportCDXJ = %+v, %v", lines, err)
	}
	warctest.CheckPlaces(t, dst, index.Bytes())
}

// Where nobody wishes anything, finished files are copies.
func TestExportWARC_WithoutWishes(t *testing.T) {
	dir, dst := t.TempDir(), t.TempDir()
	a := mustOpen(t, warc.Config{Dir: dir, MaxSize: 4 << 10})
	for n := range 30 {
		warctest.Append(t, a, warctest.Page(n))
	}
	warctest.Close(t, a)
	if _, err := export.WARC(t.Context(), dir, dst, export.ByWish(func(*capture.Stored) export.Wish { return export.None })); err != nil {
		t.Fatal(err)
	}
	found, err := warcfile.List(dir)
	if err != nil || len(found) < 2 {
		t.Fatal(found, err)
	}
	for _, f := range found {
		src, serr := os.ReadFile(f.Path())
		got, gerr := os.ReadFile(filepath.Join(dst, f.String()))
		if serr != nil || gerr != nil || !bytes.Equal(src, got) {
			t.Errorf("%s is no copy, %v, %v", f, serr, gerr)
		}
	}
}

func TestExportFiles_NothingLeft(t *testing.T) {
	if e, done := exportFiles(t, t.TempDir()); len(e.names) > 0 || done.LeftOut.Total() > 0 {
		t.Errorf("an empty archive has %v, %+v", e.names, done)
	}
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{Dir: dir})
	for n := range 3 {
		c := warctest.Page(n)
		c.NoIndex = true
		warctest.Append(t, a, c)
	}
	if e, done := exportFiles(t, dir); len(e.names) > 0 || len(e.captures) > 0 || done.LeftOut.NoIndex != 3 {
		t.Errorf("of marked captures there are %v, %+v, want no file and 3 left out", e.names, done)
	}
}

// The end of a file being written is no damage, the end of a finished one is.
func TestExportFiles_Torn(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{Dir: dir})
	for n := range 5 {
		warctest.Append(t, a, warctest.Page(n))
	}
	open := warctest.OnlyFile(t, dir, "*.open")
	warctest.Tear(t, open)
	e, done := exportFiles(t, dir)
	e.check(t)
	if len(e.captures) != 5 || len(done.Damaged) != 0 || strings.HasSuffix(e.names[0], warcfile.OpenSuffix) {
		t.Errorf("%d captures in %v, damage %v, want 5 and none", len(e.captures), e.names, done.Damaged)
	}
	warctest.Close(t, a)
	finished := strings.TrimSuffix(open, warcfile.OpenSuffix)
	e, done = exportFiles(t, dir)
	e.check(t)
	if len(e.captures) != 5 || len(done.Damaged) != 1 || !errors.Is(done.Damaged[0], record.ErrTorn) || !strings.Contains(done.Damaged[0].Error(), finished) {
		t.Errorf("%d captures, damage %v, want 5 and record.ErrTorn of %s", len(e.captures), done.Damaged, finished)
	}
}

// An export beside a node that writes holds whole captures, the first ones.
func TestExportFiles_WhileCapturesAreAppended(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{Dir: dir, MaxSize: 16 << 10})
	const captures = 300
	exported := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := range captures {
			if n == captures/2 {
				<-exported // one export at least falls between
			}
			if _, err := a.Append(warctest.Page(n)); err != nil {
				t.Errorf("Append: %v", err)
			}
		}
	})
	for round, last := 0, 0; last < captures; round++ {
		e, done := exportFiles(t, dir)
		if len(done.Damaged) > 0 {
			t.Errorf("damaged: %v", done.Damaged)
		}
		for i, c := range e.captures {
			if c.URL != warctest.Page(i).URL {
				t.Fatalf("capture %d of the export is %s", i, c.URL)
			}
		}
		if len(e.captures) < last {
			t.Errorf("%d captures after %d", len(e.captures), last)
		}
		e.check(t)
		if round == 0 {
			close(exported)
		}
		last = len(e.captures)
	}
	writer.Wait()
}

func TestExportFiles_Errors(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{Dir: dir})
	for n := range 3 {
		warctest.Append(t, a, warctest.Page(n))
	}
	own := errors.New("own")
	nothing := export.Target{
		Capture: func(capture.Stored) error { return nil },
		File:    func(string, int64, io.Reader) error { return nil },
	}
	stopped, stop := context.WithCancel(t.Context())
	for name, tt := range map[string]struct {
		ctx  context.Context
		dir  string
		to   export.Target
		want error
	}{
		"no directory": {t.Context(), filepath.Join(dir, "none"), nothing, os.ErrNotExist},
		"of Capture":   {t.Context(), dir, export.Target{Capture: func(capture.Stored) error { return own }, File: nothing.File}, own},
		"of File":      {t.Context(), dir, export.Target{Capture: nothing.Capture, File: func(string, int64, io.Reader) error { return own }}, own},
		"while copying": {stopped, dir, export.Target{Capture: nothing.Capture, File: func(_ string, _ int64, r io.Reader) error {
			stop()
			_, err := io.Copy(io.Discard, r)
			return err
		}}, context.Canceled},
		"before": {stopped, dir, nothing, context.Canceled},
	} {
		if name == "before" {
			stop()
		}
		if _, err := export.Files(tt.ctx, tt.dir, tt.to); !errors.Is(err, tt.want) {
			t.Errorf("%s: ExportFiles = %v, want %v", name, err, tt.want)
		}
	}
}

// The memory an export holds does not grow with the archive: heap-MB is what
// is in use after b.N captures.
func BenchmarkExportFiles(b *testing.B) {
	dir := warctest.MemoryDir(b)
	a := mustOpen(b, warc.Config{Dir: dir, NoSync: true, MaxSize: 16 << 20})
	c := warctest.Page(6)
	for range b.N {
		warctest.Append(b, a, c)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(c.Response)))
	b.ResetTimer()
	var last runtime.MemStats
	_, err := export.Files(b.Context(), dir, export.Target{
		Capture: func(capture.Stored) error { return nil },
		File: func(_ string, _ int64, r io.Reader) error {
			runtime.ReadMemStats(&last)
			_, err := io.Copy(io.Discard, r)
			return err
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(last.HeapAlloc)/1e6, "heap-MB")
}
