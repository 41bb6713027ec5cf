package warc

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

func TestExportWARC(t *testing.T) {
	src, dst := t.TempDir(), filepath.Join(t.TempDir(), "out")
	a := mustOpen(t, Config{Dir: src, MaxSize: 4 << 10})
	var want []string
	for n := range 10 {
		warctest.Append(t, a, warctest.Page(n))
		want = append(want, warctest.Page(n).URL)
	}
	open := warctest.OnlyFile(t, src, "*.open")
	warctest.Tear(t, open)

	files, n, err := exportedWARC(t, src, dst)
	found, _ := warcfile.List(src)
	if err != nil || files != len(found) || n != warctest.DiskSize(t, dst) {
		t.Errorf("ExportWARC = %d files, %d bytes, %v, want %d, %d", files, n, err, len(found), warctest.DiskSize(t, dst))
	}
	if got := warctest.URLs(warctest.Captures(t, dst, capture.Position{})); !slices.Equal(got, want) {
		t.Errorf("the export holds %v, want %v", got, want)
	}
	out, _ := warcfile.List(dst)
	for _, f := range out {
		if f.Unfinished {
			t.Errorf("%s is exported as open", f)
		}
		checkRecords(t, f)
	}
	if files, n, err := exportedWARC(t, src, dst); files != 0 || n != 0 || err != nil {
		t.Errorf("a second ExportWARC = %d files, %d bytes, %v, want none", files, n, err)
	}
	if err := os.Truncate(open, a.current.size); err != nil {
		t.Fatal(err)
	}
	warctest.Append(t, a, warctest.Page(11))
	if files, _, err := exportedWARC(t, src, dst); files == 0 || err != nil {
		t.Errorf("ExportWARC after Append = %d files, %v, want some", files, err)
	}
	if got := warctest.URLs(warctest.Captures(t, dst, capture.Position{})); !slices.Equal(got, append(want, warctest.Page(11).URL)) {
		t.Errorf("the export holds %v", got)
	}
}

func TestExportWARC_Errors(t *testing.T) {
	if _, _, err := exportedWARC(t, filepath.Join(t.TempDir(), "none"), t.TempDir()); err == nil {
		t.Error("ExportWARC of no directory returned nil")
	}
	dir := t.TempDir()
	name, warc, _, _ := unfinished(t, 1)
	for _, whole := range []int{0, 100} { // no warcinfo, no capture
		src := plantIn(t, filepath.Join(dir, "src"), name, warc[:whole], nil)
		if files, n, err := exportedWARC(t, src, filepath.Join(dir, "dst")); files != 0 || n != 0 || err != nil {
			t.Errorf("ExportWARC of %d bytes = %d files, %d bytes, %v, want none", whole, files, n, err)
		}
	}
	// What is in the way is not half replaced.
	src := plantIn(t, filepath.Join(dir, "src"), name, warc, nil)
	dst := filepath.Join(dir, "dst")
	if err := os.MkdirAll(filepath.Join(dst, name, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := exportedWARC(t, src, dst); err == nil {
		t.Error("ExportWARC over a directory returned nil")
	}
	if left, err := os.ReadDir(dst); err != nil || len(left) != 1 {
		t.Errorf("%v left behind, %v", left, err)
	}
	if data, err := os.ReadFile(filepath.Join(src, name+warcfile.OpenSuffix)); err != nil || !bytes.Equal(data, warc) {
		t.Errorf("the source was changed, %v", err)
	}
}

// exportedWARC is ExportWARC of which only how much it copied counts.
func exportedWARC(t testing.TB, src, dst string, options ...export.Option) (files int, bytes int64, err error) {
	done, err := export.WARC(t.Context(), src, dst, options...)
	return done.Files, done.Bytes, err
}

// exportedCDXJ is ExportCDXJ of which only the lines count.
func exportedCDXJ(t testing.TB, dir string, w io.Writer, options ...export.Option) error {
	_, err := export.CDXJ(t.Context(), dir, w, options...)
	return err
}
