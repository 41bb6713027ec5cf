package export

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
)

var exportDate = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

const exportName = "forage-20260203040506.wacz"

// homeWith returns the places of a node whose archive holds captures.
func homeWith(t testing.TB, captures ...capture.Capture) config.Paths {
	t.Helper()
	paths, err := config.Resolve(t.TempDir(), func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	files, err := warc.Open(warc.Config{Dir: paths.WARC(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range captures {
		if _, err := files.Append(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	return paths
}

// captureAt returns a capture of a page; its head has some more lines.
func captureAt(url string, day int, depth string, head ...string) capture.Capture {
	raw := page("<title>"+url+"</title>", head...)
	return capture.Capture{
		URL: url, Date: exportDate.AddDate(0, 0, day-3), Request: []byte("GET / HTTP/1.1\r\n\r\n"),
		Response: []byte(raw), HeadLen: strings.Index(raw, "\r\n\r\n") + 4,
		PayloadDigest: [20]byte{byte(len(url))}, Metadata: [][2]string{{"hopsFromSeed", depth}, {"title", "Title of " + url}},
	}
}

func withStatus(c capture.Capture, status string) capture.Capture {
	c.Response = []byte(strings.Replace(string(c.Response), "200 OK", status, 1))
	c.HeadLen = strings.Index(string(c.Response), "\r\n\r\n") + 4
	return c
}

// exportWACZ exports to a new directory and returns what the files of the
// package hold.
func exportWACZ(t testing.TB, paths config.Paths, title string) (WACZ, map[string]string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	done, err := AsWACZ(t.Context(), paths, dir, title, exportDate, false)
	if err != nil {
		t.Fatalf("AsWACZ: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != exportName || done.File != filepath.Join(dir, exportName) {
		t.Errorf("the export left %v, %v and says %+v, want %s alone", entries, err, done, exportName)
	}
	z, err := zip.OpenReader(done.File)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := make(map[string]string)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(data)
	}
	return done, files
}

func TestExportWACZ(t *testing.T) {
	seed := captureAt("https://a.example/", 1, "0")
	revisit := captureAt("https://a.example/copy", 4, "1")
	revisit.Revisit = &capture.Refers{URL: seed.URL, Date: seed.Date}
	unchanged := withStatus(captureAt("https://a.example/", 5, "0"), "304 Not Modified")
	unchanged.Revisit = &capture.Refers{URL: seed.URL, Date: seed.Date, NotModified: true}
	hidden := captureAt("https://a.example/hidden", 2, "1")
	hidden.NoIndex = true
	plain := captureAt("https://a.example/text", 2, "1")
	plain.Response = bytes.Replace(plain.Response, []byte("text/html"), []byte("text/css "), 1)
	paths := homeWith(t,
		captureAt("https://a.example/robots.txt", 1, "0"),
		withStatus(captureAt("https://b.example/", 1, "0"), "404 Not Found"),
		seed, hidden, revisit, unchanged,
		plain,
	)
	done, files := exportWACZ(t, paths, "")
	if done.Captures != 6 || done.Pages != 2 || done.LeftOut != (export.LeftOut{NoIndex: 1}) || done.Bytes == 0 || len(done.Damaged) > 0 {
		t.Errorf("AsWACZ = %+v", done)
	}
	var pages []string
	for line := range strings.Lines(files["pages/pages.jsonl"]) {
		var p struct{ URL, TS, Title string }
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, p.URL+" "+p.TS+" "+p.Title)
	}
	want := []string{
		"  All pages",
		"https://a.example/ 2026-02-01T04:05:06.000Z Title of https://a.example/",
		"https://a.example/copy 2026-02-04T04:05:06.000Z Title of https://a.example/copy",
	}
	if !slices.Equal(pages, want) {
		t.Errorf("the pages are %q, want %q", pages, want)
	}
	var manifest map[string]any
	if err := json.Unmarshal([]byte(files["datapackage.json"]), &manifest); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"title": "Crawled by forage from 2026-02-01 to 2026-02-05", "mainPageUrl": seed.URL, "created": "2026-02-03T04:05:06Z",
		"software": "forage " + crawl.Version,
	} {
		if manifest[key] != want {
			t.Errorf("%s is %v, want %v", key, manifest[key], want)
		}
	}
	for name, data := range files {
		if strings.Contains(data, "hidden") {
			t.Errorf("%s tells of a page that asks not to be found", name)
		}
	}
}

func TestExportWACZ_TitleAndMainPage(t *testing.T) {
	again := captureAt("https://a.example/", 2, "0")
	for name, tt := range map[string]struct {
		captures []capture.Capture
		title    string
		want     string
		main     any
	}{
		"own title":  {[]capture.Capture{captureAt("https://a.example/", 1, "0")}, "Mine & <yours>", "Mine & <yours>", "https://a.example/"},
		"one day":    {[]capture.Capture{captureAt("https://a.example/", 1, "0")}, "", "Crawled by forage on 2026-02-01", "https://a.example/"},
		"seen again": {[]capture.Capture{captureAt("https://a.example/", 1, "0"), again}, "t", "t", "https://a.example/"},
		"two seeds":  {[]capture.Capture{again, captureAt("https://b.example/", 1, "0")}, "t", "t", nil},
		"no seed":    {[]capture.Capture{captureAt("https://b.example/", 1, "7")}, "t", "t", nil},
	} {
		_, files := exportWACZ(t, homeWith(t, tt.captures...), tt.title)
		var manifest map[string]any
		if err := json.Unmarshal([]byte(files["datapackage.json"]), &manifest); err != nil {
			t.Fatal(err)
		}
		if manifest["title"] != tt.want || manifest["mainPageUrl"] != tt.main {
			t.Errorf("%s: title %v, main page %v, want %s, %v", name, manifest["title"], manifest["mainPageUrl"], tt.want, tt.main)
		}
	}
}

// What cannot be exported says why, and leaves neither file nor directory.
func TestExportWACZ_NothingToExport(t *testing.T) {
	hidden := captureAt("https://a.example/", 1, "0")
	hidden.NoIndex = true
	never, err := config.Resolve(t.TempDir(), func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		paths config.Paths
		want  error
	}{
		"never ran":    {never, ErrNothingArchived},
		"empty":        {homeWith(t), ErrNothingArchived},
		"noindex only": {homeWith(t, hidden), ErrOnlyNoIndex},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		if _, err := AsWACZ(t.Context(), tt.paths, dir, "", exportDate, false); !errors.Is(err, tt.want) {
			t.Errorf("%s: AsWACZ = %v, want %v", name, err, tt.want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the directory was left, %v", name, err)
		}
	}
}

// stopAfter is a context that is done when it has been asked so often.
type stopAfter struct {
	context.Context
	left int
}

func (c *stopAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever it is stopped, an export leaves nothing, and what was there stays.
func TestExportWACZ_Cancelled(t *testing.T) {
	var captures []capture.Capture
	for n := range 200 {
		c := captureAt(fmt.Sprint("https://a.example/", n), 1, "1")
		c.Response = append(c.Response, make([]byte, 10_000)...)
		captures = append(captures, c)
	}
	paths := homeWith(t, captures...)
	dir := t.TempDir()
	old := filepath.Join(dir, exportName)
	if err := os.WriteFile(old, []byte("an older export"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := &stopAfter{t.Context(), 1 << 30}
	if _, err := AsWACZ(asked, paths, filepath.Join(t.TempDir(), "whole"), "", exportDate, false); err != nil {
		t.Fatal(err)
	}
	times := 1<<30 - asked.left
	if times < 2 {
		t.Fatalf("the context was looked at %d times", times)
	}
	for left := range times {
		if _, err := AsWACZ(&stopAfter{t.Context(), left}, paths, dir, "", exportDate, false); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped after %d of %d looks: %v, want context.Canceled", left, times, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if data, rerr := os.ReadFile(old); err != nil || len(entries) != 1 || string(data) != "an older export" || rerr != nil {
		t.Errorf("left behind: %v, %v; the older export is %q, %v", entries, err, data, rerr)
	}
}

func TestExportWACZ_IntoAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	paths := homeWith(t, captureAt("https://a.example/", 1, "0"))
	if _, err := AsWACZ(t.Context(), paths, file, "", exportDate, false); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("AsWACZ into a file = %v, want an error that names it", err)
	}
}

// A damaged file is exported as far as it can be read, and that is told.
func TestExportWACZ_DamagedFile(t *testing.T) {
	paths := homeWith(t, captureAt("https://a.example/", 1, "0"), captureAt("https://a.example/2", 1, "1"))
	found, err := filepath.Glob(filepath.Join(paths.WARC(), "*.warc.gz"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	info, err := os.Stat(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(found[0], info.Size()-700); err != nil {
		t.Fatal(err)
	}
	done, files := exportWACZ(t, paths, "")
	if done.Captures != 1 || len(done.Damaged) != 1 || !strings.Contains(done.Damaged[0].Error(), found[0]) {
		t.Errorf("AsWACZ = %+v, want one capture and the damage of %s", done, found[0])
	}
	if text := files["pages/pages.jsonl"]; strings.Contains(text, "a.example/2") || !strings.Contains(text, `"https://a.example/"`) {
		t.Errorf("the pages are %s", text)
	}
}
