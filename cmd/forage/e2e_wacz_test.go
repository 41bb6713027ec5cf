//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkWACZ makes sure that a package holds the records of an archive, an index
// entry for each response and revisit, and the pages that were served.
func checkWACZ(t *testing.T, dir string, records []record, seen visits) {
	files, err := filepath.Glob(filepath.Join(dir, "forage-*.wacz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the packages are %v, %v, want one", files, err)
	}
	unpacked := unzip(t, files[0])
	packed := readArchive(t, filepath.Join(unpacked, "archive"))
	checkCopied(t, packed, records)
	want := 0
	for _, r := range packed {
		if r.kind == "response" || r.kind == "revisit" {
			want++
		}
	}
	index := gunzip(t, readFile(t, filepath.Join(unpacked, "indexes", "index.cdx.gz")))
	lines := strings.Split(strings.TrimSuffix(index, "\n"), "\n")
	if !slices.IsSorted(lines) || len(lines) != want {
		t.Errorf("the index has %d lines, sorted: %t, want %d", len(lines), slices.IsSorted(lines), want)
	}
	for _, line := range lines {
		checkIndexLine(t, line, filepath.Join(unpacked, "archive"))
	}
	checkPages(t, readLines(t, filepath.Join(unpacked, "pages", "pages.jsonl")), packed, seen)
	manifest := parseJSON[struct{ Title, MainPageURL string }](t, string(readFile(t, filepath.Join(unpacked, "datapackage.json"))))
	if manifest.MainPageURL != "http://start.test/" || manifest.Title != "All of it" {
		t.Errorf("the main page is %q of %q, want where the crawl began", manifest.MainPageURL, manifest.Title)
	}
}

// checkPages compares a list of pages with what was served and is packed.
func checkPages(t *testing.T, lines []string, packed []record, seen visits) {
	t.Helper()
	served := seen.byURL()
	archived := captures(packed)
	few := complaints{t: t}
	titles := 0
	for _, line := range lines[1:] {
		p := parseJSON[struct{ ID, URL, TS, Title string }](t, line)
		if p.ID == "" || p.TS == "" || served[p.URL] == nil || archived[p.URL] == nil {
			few.errorf("no page that was served and packed: %s", line)
		}
		if p.Title != "" {
			titles++
		}
	}
	html := 0
	for url, list := range archived {
		if list[len(list)-1].status == 200 && !strings.HasSuffix(url, ".xml") {
			html++
		}
	}
	if n := len(lines) - 1; n < html-20 || n > html || titles < n/2 {
		t.Errorf("%d pages, %d with a title, want about the %d that are archived", n, titles, html)
	}
}

// unzip unpacks a file to a new directory.
func unzip(t *testing.T, file string) (dir string) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir = t.TempDir()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	return dir
}

func gunzip(t *testing.T, data []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
