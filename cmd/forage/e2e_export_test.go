//go:build unix

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/storage/warc/capture"
	warcrecord "github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// checkExports writes everything out in all formats and compares it with what
// the web has served and what is in the archive.
func checkExports(t *testing.T, l *lab, seen visits, records []record) {
	dir := t.TempDir()
	for _, format := range []string{"warc", "cdxj", "links", "stats"} {
		l.forage("export", "--format", format, filepath.Join(dir, format))
	}
	l.forage("export", "--format", "wacz", "--title", "All of it", filepath.Join(dir, "wacz"))
	open := withoutMarked(t, l.warcDir(), records)
	if left := len(records) - len(open); left == 0 || left > len(records)/20 {
		t.Errorf("%d of %d records ask to be kept out of indexes, want those of some pages", left, len(records))
	}
	t.Run("warc", func(t *testing.T) { checkWARC(t, filepath.Join(dir, "warc"), open) })
	t.Run("wacz", func(t *testing.T) { checkWACZ(t, filepath.Join(dir, "wacz"), open, seen) })
	t.Run("cdxj", func(t *testing.T) {
		checkCDXJ(t, filepath.Join(dir, "cdxj", "index.cdxj"), filepath.Join(dir, "warc"), open)
	})
	t.Run("links", func(t *testing.T) { checkLinks(t, filepath.Join(dir, "links", "links.tsv"), l, seen) })
	t.Run("stats", func(t *testing.T) { checkStats(t, filepath.Join(dir, "stats"), l) })
}

// withoutMarked returns the records of an archive except for those of captures
// that ask to be kept out of indexes.
func withoutMarked(t *testing.T, dir string, records []record) []record {
	t.Helper()
	var marked []capture.Position
	err := warcfile.Scan(dir, capture.Position{}, func(c capture.Stored) error {
		if c.NoIndex {
			marked = append(marked, c.Position)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(records), func(r record) bool {
		return slices.ContainsFunc(marked, func(p capture.Position) bool {
			return r.file == p.File && r.offset >= p.Offset && r.offset < p.Next().Offset
		})
	})
}

// checkCopied compares records with those of an archive, wherever they are.
func checkCopied(t *testing.T, copied, records []record) {
	t.Helper()
	same := slices.EqualFunc(copied, records, func(a, b record) bool {
		a.offset, b.offset = 0, 0
		return a == b
	})
	if !same {
		t.Errorf("the copy has %d records that are not those of the archive, which has %d to be copied", len(copied), len(records))
	}
}

// checkWARC makes sure that a copy of an archive is one, and that each
// revisit refers to a response that is there.
func checkWARC(t *testing.T, dir string, records []record) {
	checkCopied(t, readArchive(t, dir), records)
	type exchange struct {
		url  string
		date int64
	}
	responses := make(map[exchange]bool)
	for _, r := range records {
		if r.kind == "response" {
			responses[exchange{r.url, r.date.UnixMicro()}] = true
		}
	}
	revisits := 0
	for _, r := range records {
		if r.kind != "revisit" {
			continue
		}
		revisits++
		if !responses[exchange{r.refersTo, r.refersDate.UnixMicro()}] {
			t.Errorf("the revisit of %s refers to %q of %s, which is not in the archive", r.url, r.refersTo, r.refersDate)
		}
	}
	if revisits == 0 {
		t.Error("no revisit, though a site has pages under several URLs")
	}
}

// checkCDXJ looks up every line of an index in the files it tells of.
func checkCDXJ(t *testing.T, file, warcDir string, records []record) {
	lines := readLines(t, file)
	if !slices.IsSorted(lines) {
		t.Error("not sorted by bytes")
	}
	want := 0
	for _, r := range records {
		if r.kind == "response" || r.kind == "revisit" {
			want++
		}
	}
	if len(lines) != want {
		t.Errorf("%d lines, want one for each of %d responses and revisits", len(lines), want)
	}
	for _, line := range lines {
		checkIndexLine(t, line, warcDir)
	}
}

func checkIndexLine(t *testing.T, line, warcDir string) {
	t.Helper()
	parts := strings.SplitN(line, " ", 3)
	if len(parts) != 3 || len(parts[1]) != len("20060102150405") && len(parts[1]) != len("20060102150405000") {
		t.Fatalf("no index line: %s", line)
	}
	var fields struct{ URL, MIME, Status, Digest, Length, Offset, Filename string }
	if err := json.Unmarshal([]byte(parts[2]), &fields); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	offset, err := strconv.ParseInt(fields.Offset, 10, 64)
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	rec, err := warcrecord.ReadAt(filepath.Join(warcDir, fields.Filename), offset)
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	uri, digest := rec.Header.URI(), rec.Header.Get("WARC-Payload-Digest")
	if err := rec.Close(); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if length := strconv.FormatInt(rec.Length, 10); uri != fields.URL || digest != "sha1:"+strings.TrimPrefix(fields.Digest, "sha1:") || length != fields.Length {
		t.Errorf("at that place are %s, %s, %s bytes: %s", uri, digest, length, line)
	}
}

// checkLinks makes sure that links that are known to be there are in the list,
// and that all its links are of pages that were fetched.
func checkLinks(t *testing.T, file string, l *lab, seen visits) {
	lines := readLines(t, file)
	for _, want := range []string{
		"http://start.test/\thttp://corner-bakery.test/",
		"http://corner-bakery.test/\thttp://corner-bakery.test/spellings.html",
		"http://corner-bakery.test/spellings.html\thttp://corner-bakery.test/caf%C3%A9.html",
		"http://corner-bakery.test/\thttp://corner-bakery.test/private/till.html", // a link it is, though not for us
		"http://seed-library.test/press/index.html\thttp://seed-library.test/press/press/2024/two.html",
		"http://old-harbour.test/frames.html\thttp://old-harbour.test/frames/menu.html",
		"http://astronomy-club.test/cave/11/\thttp://astronomy-club.test/cave/12/",
		"http://corner-bakery.test/old/recipes.html\thttp://corner-bakery.test/old/recipes-2019.html", // a redirect
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("missing: %s", strings.Replace(want, "\t", " → ", 1))
		}
	}
	fetched := seen.byURL()
	expected := l.web.Expected()
	linked := map[string]bool{l.web.StartURL(): true}
	few := complaints{t: t}
	once := make(map[string]bool)
	for _, line := range lines {
		from, to, ok := strings.Cut(line, "\t")
		if !ok || fetched[from] == nil || to == "" {
			few.errorf("no link of a page that was fetched: %q", line)
		}
		if once[line] {
			few.errorf("twice: %q", line)
		}
		linked[to], once[line] = true, true
	}
	const behind = "http://old-harbour.test/notes/after.html" // linked to by a page that asks to be left out, alone
	if linked[behind] {
		t.Errorf("%s is in the list, though the page that links to it asks to be kept out", behind)
	}
	for _, url := range expected {
		if !linked[url] && url != behind {
			few.errorf("%s was found, and no link leads there", url)
		}
	}
}

// checkStats compares the two files of statistics with each other and with
// what the commands say.
func checkStats(t *testing.T, dir string, l *lab) {
	checkPoints(t, dir, l)
	stats := parseJSON[api.Stats](t, string(readFile(t, filepath.Join(dir, "stats.json"))))
	if want := l.stats(); stats.Totals != want.Totals || !slices.Equal(stats.Hours, want.Hours) {
		t.Errorf("stats.json says %+v, \"forage stats\" %+v", stats, want)
	}
	var sum api.Counts
	for _, h := range stats.Hours {
		sum.Pages += h.Pages
		sum.Duplicates += h.Duplicates
	}
	if sum.Pages != stats.Totals.Pages || sum.Duplicates != stats.Totals.Duplicates {
		t.Errorf("the hours have %d pages and %d duplicates in all, the totals %+v", sum.Pages, sum.Duplicates, stats.Totals)
	}
	rows, err := csv.NewReader(bytes.NewReader(readFile(t, filepath.Join(dir, "domains.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Fields("domain fetched queued failed duplicates bytes state"); !slices.Equal(rows[0], want) {
		t.Errorf("the columns are %v, want %v", rows[0], want)
	}
	if domains := l.status().Domains; int64(len(rows)-1) != domains {
		t.Errorf("%d domains, status counts %d", len(rows)-1, domains)
	}
	var fetched, queued, duplicates int64
	for _, row := range rows[1:] {
		for i, n := range []*int64{1: &fetched, 2: &queued, 4: &duplicates} {
			if n != nil {
				v, err := strconv.ParseInt(row[i], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				*n += v
			}
		}
	}
	if fetched != stats.Totals.Pages || duplicates != stats.Totals.Duplicates || queued != 0 {
		t.Errorf("domains.csv has %d pages, %d duplicates and %d queued, the totals are %+v", fetched, duplicates, queued, stats.Totals)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readLines(t *testing.T, name string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(string(readFile(t, name)), "\n"), "\n")
}
