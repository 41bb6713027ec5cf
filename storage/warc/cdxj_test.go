package warc

import (
	"bytes"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

func TestAppend_IndexLine(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir})
	first := mustAppend(t, a, warctest.Page(1))
	c := warctest.Page(2)
	c.Revisit = &capture.Refers{URL: warctest.Page(1).URL, Date: warctest.Page(1).Date}
	c.URL, c.Status, c.MIME = `http://example.com/"\`, 0, ""
	second := mustAppend(t, a, c)
	mustClose(t, a)
	var out bytes.Buffer
	if err := exportedCDXJ(t, dir, &out); err != nil {
		t.Fatal(err)
	}
	digest := warctest.Page(1).PayloadDigest
	want := fmt.Sprintf("com,example)/\"\\ 20260131120000 {\"url\":\"http://example.com/\\\"\\\\\",\"mime\":\"warc/revisit\",\"status\":\"200\",\"digest\":\"%s\",\"length\":\"%d\",\"offset\":\"%d\",\"filename\":\"%s\"}\n"+
		"com,example)/page/1?a=1&b=2 20260131120000 {\"url\":\"https://www.example.com/page/1?b=2&a=1\",\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"%s\",\"length\":\"%d\",\"offset\":\"%d\",\"filename\":\"%s\"}\n",
		base32.StdEncoding.EncodeToString(c.PayloadDigest[:]), second.RecordLength, second.RecordOffset, second.File,
		base32.StdEncoding.EncodeToString(digest[:]), first.RecordLength, first.RecordOffset, first.File)
	if out.String() != want {
		t.Errorf("index is\n%s, want\n%s", &out, want)
	}
}

func TestExportCDXJ_Sorted(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir, MaxSize: 8 << 10})
	for n := range 60 {
		c := warctest.Page(n * 7919 % 60)
		mustAppend(t, a, c)
	}
	// A file without index, and lines of the file being written.
	files, _ := warcfile.List(dir)
	if err := os.Remove(files[0].IndexPath()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := exportedCDXJ(t, dir, &out); err != nil {
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
	if err := exportedCDXJ(t, dir, &out); err != nil || bytes.Count(out.Bytes(), []byte("\n")) != 60 {
		t.Errorf("ExportCDXJ with a torn line: %d lines, %v", bytes.Count(out.Bytes(), []byte("\n")), err)
	}
	if err := os.WriteFile(index, append(data, "com,exam\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := out.String()
	out.Reset()
	if err := exportedCDXJ(t, dir, &out); err != nil || out.String() != whole {
		t.Errorf("ExportCDXJ with a wrong line: %d lines, %v, want the same as without", bytes.Count(out.Bytes(), []byte("\n")), err)
	}
	if err := exportedCDXJ(t, dir, io.Discard, export.WithNoIndex); !errors.Is(err, record.ErrFormat) {
		t.Errorf("ExportCDXJ of everything with a wrong line returned %v, want ErrFormat", err)
	}
}

func TestExportCDXJ_WriteError(t *testing.T) {
	dir := t.TempDir()
	mustAppend(t, mustOpen(t, Config{Dir: dir}), warctest.Page(1))
	r, w := io.Pipe()
	r.CloseWithError(errStop)
	if err := exportedCDXJ(t, dir, w); !errors.Is(err, errStop) {
		t.Errorf("ExportCDXJ returned %v, want %v", err, errStop)
	}
	if err := exportedCDXJ(t, dir+"/none", io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ExportCDXJ of no directory returned %v", err)
	}
}
