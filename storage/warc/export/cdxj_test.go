package export_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

func TestExportCDXJ_Sorted(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{Dir: dir, MaxSize: 8 << 10})
	for n := range 60 {
		c := warctest.Page(n * 7919 % 60)
		warctest.Append(t, a, c)
	}
	// A file without index, and lines of the file being written.
	files, _ := warcfile.List(dir)
	if err := os.Remove(files[0].IndexPath()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := cdxj(t, dir, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 60 || !slices.IsSorted(lines) || strings.Contains(out.String(), warcfile.OpenSuffix) {
		t.Errorf("index has %d lines, sorted %t, want 60", len(lines), slices.IsSorted(lines))
	}
	for _, line := range lines {
		var fields map[string]string
		_, object, _ := strings.Cut(line, " {")
		if err := json.Unmarshal([]byte("{"+object), &fields); err != nil {
			t.Errorf("line %s: %v", line, err)
		}
	}

	// A last line without end is passed; an index with a wrong line is not
	// believed, and the captures are read instead.
	index := files[1].IndexPath()
	data, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, append(data, "com,exam"...), 0o600); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := cdxj(t, dir, &out); err != nil || bytes.Count(out.Bytes(), []byte("\n")) != 60 {
		t.Errorf("ExportCDXJ with a torn line: %d lines, %v", bytes.Count(out.Bytes(), []byte("\n")), err)
	}
	if err := os.WriteFile(index, append(data, "com,exam\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := out.String()
	out.Reset()
	if err := cdxj(t, dir, &out); err != nil || out.String() != whole {
		t.Errorf("ExportCDXJ with a wrong line: %d lines, %v, want the same as without", bytes.Count(out.Bytes(), []byte("\n")), err)
	}
	if err := cdxj(t, dir, io.Discard, export.WithNoIndex); !errors.Is(err, record.ErrFormat) {
		t.Errorf("ExportCDXJ of everything with a wrong line returned %v, want ErrFormat", err)
	}
}

func TestExportCDXJ_WriteError(t *testing.T) {
	dir := t.TempDir()
	warctest.Append(t, mustOpen(t, warc.Config{Dir: dir}), warctest.Page(1))
	stop := errors.New("stop")
	r, w := io.Pipe()
	r.CloseWithError(stop)
	if err := cdxj(t, dir, w); !errors.Is(err, stop) {
		t.Errorf("ExportCDXJ returned %v, want %v", err, stop)
	}
	if err := cdxj(t, dir+"/none", io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ExportCDXJ of no directory returned %v", err)
	}
}

// cdxj is export.CDXJ of which only the lines count.
func cdxj(t testing.TB, dir string, w io.Writer, options ...export.Option) error {
	_, err := export.CDXJ(t.Context(), dir, w, options...)
	return err
}
