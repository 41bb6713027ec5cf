package lookup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSearch_WordsCaseAndAccents(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{NoSync: true, Dir: dir})
	pages := []struct{ url, title string }{
		{"https://a.example/", "Der Fluß im Winter"},
		{"https://b.example/caf%C3%A9", "Menu"},
		{"https://c.example/", "Ἀθῆναι καὶ Σπάρτη"},
		{"https://d.example/", "Łódź, Ærø & Tromsø"},
		{"https://e.example/", "東京の天気"},
		{"https://f.example/", `A "quoted" \ title`},
		{"https://g.example/", "Ёлка в МОСКВЕ"},
		{"https://h.example/", "e\u0301cole de\u0301compose\u0301e"},
		{"https://i.example/winter", ""},
		{"https://j.example/", "ＦＵＬＬ ｗｉｄｔｈ"},
		{"https://k.example/a%20b?q=%22%E4%BA%AC%22", "50% of 100%"},
		{"https://xn--bcher-kva.example/xn--x", ""},
	}
	for i, p := range pages {
		warctest.Append(t, a, warctest.Titled(i, p.url, p.title))
	}
	for _, tt := range []struct {
		query string
		want  string // hosts, newest first
	}{
		{"winter", "i a"}, {"WINTER fluss", "a"}, {"fluß", "a"}, {"cafe", "b"}, {"CAFÉ menu", "b"},
		{"αθηναι", "c"}, {"σπαρτη", "c"}, {"lodz", "d"}, {"aero tromso", "d"}, {"ÆRØ", "d"}, {"天気 東京", "e"},
		{`"quoted"`, "f"}, {`\`, "f"}, {"елка москве", "g"}, {"école décomposée", "h"}, {"full width", "j"},
		{"example menu winter", ""}, {"", ""}, {"   ", ""}, {"status", ""}, {"example/Der", ""},
		{strings.Repeat("x ", 200), ""}, {"b.example", "b"}, {"\xff", ""},
		{"https://b.example/caf%C3%A9", "b"}, {"/caf%c3%a9", "b"}, {"/cafe%CC%81", "b"},
		{"https://k.example/a%20b?q=%22%E4%BA%AC%22", "k"}, {"50% 100%", "k"}, {"%", "k"}, {"%E4%BA", ""},
		{"bücher", "xn--bcher-kva"}, {"BUCHER.example", "xn--bcher-kva"}, {"xn--bcher", "xn--bcher-kva"},
	} {
		got, err := Search(t.Context(), dir, tt.query, Bounds{Limit: 100})
		if err != nil || hosts(got.Captures) != tt.want || got.Next != "" {
			t.Errorf("Search(%q) = %q, next %q, %v, want %q", tt.query, hosts(got.Captures), got.Next, err, tt.want)
		}
	}
	got, _ := Search(t.Context(), dir, "quoted", Bounds{Limit: 1})
	if len(got.Captures) != 1 || got.Captures[0].Title != pages[5].title || got.Captures[0].Status != 200 {
		t.Errorf("Search found %+v", got.Captures)
	}
}

func hosts(list []Found) string {
	var names []string
	for _, c := range list {
		names = append(names, strings.TrimPrefix(strings.SplitN(c.URL, ".", 2)[0], "https://"))
	}
	return strings.Join(names, " ")
}

// What is no page is not found, and of a URL the newest stands for all.
func TestSearch_FindsPagesOnce(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{NoSync: true, Dir: dir})
	for i, c := range []struct {
		url    string
		status int
	}{{"https://a.example/x", 200}, {"https://a.example/robots.txt", 200}, {"https://b.example/x", 404}, {"https://c.example/x", 301}, {"https://a.example/x", 200}} {
		p := warctest.Titled(i, c.url, fmt.Sprint("x number ", i))
		p.Status = c.status
		warctest.Append(t, a, p)
	}
	got, err := Search(t.Context(), dir, "x", Bounds{Limit: 10})
	if err != nil || len(got.Captures) != 1 || got.Captures[0].Title != "x number 4" || got.Searched != 5 {
		t.Errorf("Search = %+v, %v", got, err)
	}
}

// Pages of results continue each other over files, finished and not, and a
// budget that is used up continues too.
func TestSearch_Next(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{NoSync: true, Dir: dir, MaxSize: 4 << 10})
	const n = 60
	for i := range n {
		warctest.Append(t, a, warctest.Titled(i, fmt.Sprintf("https://h%d.example/", i), "common"))
	}
	if files, _ := warcfile.List(dir); len(files) < 3 {
		t.Fatalf("%d files, want several", len(files))
	}
	for _, limit := range []int{1, 7, n, MaxFound} {
		var all []Found
		for before, calls := "", 0; calls == 0 || before != ""; calls++ {
			got, err := Search(t.Context(), dir, "common", Bounds{Before: before, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			all, before = append(all, got.Captures...), got.Next
			if calls > n+1 {
				t.Fatal("the results have no end")
			}
		}
		if len(all) != n || all[0].URL != "https://h59.example/" || all[n-1].URL != "https://h0.example/" {
			t.Errorf("limit %d: %d captures from %+v", limit, len(all), all[:1])
		}
	}
	if _, err := Search(t.Context(), dir, "x", Bounds{Before: "../../x.1", Limit: 1}); !errors.Is(err, ErrNoCapture) {
		t.Errorf("a cursor from outside: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	writeIndex(t, dir, 2000)
	if _, err := Search(ctx, dir, "nothing", Bounds{Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Search of one who left: %v", err)
	}
	got, err := Search(t.Context(), dir, "nothing", Bounds{Limit: 1, Budget: 1})
	if err != nil || got.Next == "" || got.Searched == 0 || got.Searched > linesPerLook {
		t.Errorf("Search without time: %d searched, next %q, %v", got.Searched, got.Next, err)
	}
}

func TestLookup(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{NoSync: true, Dir: dir, MaxSize: 4 << 10})
	for i := range 30 {
		warctest.Append(t, a, warctest.Titled(i, fmt.Sprintf("https://www.a.example/%d", i%3), fmt.Sprint(i)))
	}
	for _, url := range []string{"https://www.a.example/1", "http://a.example/1", "a.example/1", "http://A.EXAMPLE:80/1#x"} {
		got, err := URL(t.Context(), dir, url, Bounds{Limit: 100})
		if err != nil || len(got.Captures) != 10 || got.Captures[0].Title != "28" || got.Captures[9].Title != "1" {
			t.Errorf("URL(%s) = %+v, %v", url, got.Captures, err)
		}
	}
	for _, url := range []string{"https://a.example/", "https://a.example/11", "", "x", strings.Repeat("x", capture.MaxURL)} {
		if got, err := URL(t.Context(), dir, url, Bounds{Limit: 100}); err != nil || len(got.Captures) != 0 {
			t.Errorf("URL(%.40s) = %+v, %v, want none", url, got.Captures, err)
		}
	}
	if _, err := URL(t.Context(), filepath.Join(dir, "none"), "a.example", Bounds{Limit: 1}); err != nil {
		t.Errorf("Lookup without archive: %v", err)
	}
}

// An ID leads to a record of the archive or nowhere.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{NoSync: true, Dir: dir})
	var last capture.Position
	for i := range 50 {
		last = warctest.Append(t, a, warctest.Titled(i, fmt.Sprintf("https://a.example/%d?%s", i, strings.Repeat("x", 5000)), fmt.Sprint(i)))
	}
	got, err := URL(t.Context(), dir, fmt.Sprintf("a.example/%d?%s", 7, strings.Repeat("x", 5000)), Bounds{Limit: 1})
	if err != nil || len(got.Captures) != 1 {
		t.Fatal(got, err)
	}
	want := got.Captures[0]
	if found, err := Find(dir, want.ID); err != nil || found != want {
		t.Errorf("Find(%s) = %+v, %v, want %+v", want.ID, found, err, want)
	}
	stem := strings.TrimSuffix(last.File, warcfile.Suffix)
	os.WriteFile(filepath.Join(dir, "outside.cdxj"), nil, 0o600)
	for _, id := range []string{
		"", ".", stem, stem + ".", stem + ".1", fmt.Sprintf("%s.0%d", stem, last.RecordOffset), fmt.Sprintf("%s.+%d", stem, last.RecordOffset),
		fmt.Sprintf("%s.%d ", stem, last.RecordOffset), fmt.Sprintf("%s.%d", stem, last.RecordOffset+1), fmt.Sprintf("%s.%d", stem, last.Offset),
		fmt.Sprintf("../%s.%d", stem, last.RecordOffset), fmt.Sprintf("%s/../%s.%d", stem, stem, last.RecordOffset), "outside.0",
		strings.Replace(want.ID, "forage-2", "forage-1", 1), stem + ".-1", stem + ".99999999999999999999", stem + "\x00.1",
	} {
		if found, err := Find(dir, id); !errors.Is(err, ErrNoCapture) {
			t.Errorf("Find(%q) = %+v, %v, want %v", id, found, err, ErrNoCapture)
		}
	}
}

// writeIndex writes an archive that has nothing but its index: n captures in
// files of 20,000.
func writeIndex(t testing.TB, dir string, n int) (bytes int) {
	t.Helper()
	const perFile = 20_000
	nouns := []string{"Winter", "Fluß", "Garden", "天気", "Москва", "Café", "News", "Archive", "Überblick", "Société"}
	f := warcfile.File{Name: warcfile.Name{Stamp: "20260101000000", Tag: "0a0b0c0d"}, Dir: dir}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := 0; i < n; i += perFile {
		f.Serial++
		f.Stamp = at.Format(warcfile.StampLayout)
		var lines []byte
		for k := range min(perFile, n-i) {
			at = at.Add(time.Second)
			title := fmt.Sprintf("%s and %s on page %d of this site", nouns[k%len(nouns)], nouns[(k/7)%len(nouns)], i+k)
			c := capture.Capture{
				URL:  fmt.Sprintf("https://www.site%d.example/section/%d/a-page-about-something-%d.html", (i+k)%5000, k%17, i+k),
				Date: at, MIME: "text/html", Status: 200, PayloadDigest: [20]byte{byte(k), byte(k >> 8), byte(i >> 8)},
				Metadata: [][2]string{{"title", title}},
			}
			lines = cdxj.AppendPlace(cdxj.AppendHead(lines, &c), capture.Position{File: f.String(), RecordOffset: int64(k+1) * 12_345, RecordLength: 9_876})
		}
		bytes += len(lines)
		for path, data := range map[string][]byte{f.Finished(): nil, f.IndexPath(): lines} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return bytes
}

func BenchmarkSearch(b *testing.B) {
	const n = 300_000
	dir := b.TempDir()
	size := writeIndex(b, dir, n)
	run := func(name string, call func() (Results, error)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				got, err := call()
				if err != nil || got.Next != "" && len(got.Captures) == 0 {
					b.Fatal(got.Searched, err)
				}
			}
			b.ReportMetric(float64(size)/n, "bytes/capture")
		})
	}
	for _, query := range []string{"nowhere", "societe 299", "москва news 12345", "winter"} {
		run("words "+query, func() (Results, error) {
			return Search(context.Background(), dir, query, Bounds{Limit: 100, Budget: time.Minute})
		})
	}
	run("URL", func() (Results, error) {
		return URL(context.Background(), dir, "https://site7.example/section/7/a-page-about-something-7.html", Bounds{Limit: 100, Budget: time.Minute})
	})
	run("ID", func() (Results, error) {
		_, err := Find(dir, "forage-20260101000000-00001-0a0b0c0d.12345")
		return Results{}, err
	})
}

func FuzzFold(f *testing.F) {
	f.Add("Straße ÉCOLE 東京 \xff ﬁ İ")
	f.Fuzz(func(t *testing.T, s string) {
		once := words.AppendFolded(nil, []byte(s))
		if twice := words.AppendFolded(nil, once); !bytes.Equal(once, twice) {
			t.Errorf("%q folds to %q, and that to %q", s, once, twice)
		}
		id, offset, ok := warcfile.ParseID(s)
		if ok && (strings.ContainsAny(id.Stem(), "/\\") || offset <= 0) {
			t.Errorf("%q is an ID", s)
		}
	})
}

// Searches beside a crawl see whole lines, and everything that was appended
// before they began.
func TestSearch_WhileAppending(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{NoSync: true, Dir: dir, MaxSize: 32 << 10})
	const n = 500
	appended := make(chan int, n)
	go func() {
		defer close(appended)
		for i := range n {
			if _, err := a.Append(warctest.Titled(i, fmt.Sprintf("https://h%d.example/", i), "common")); err != nil {
				t.Error(err)
			}
			appended <- i + 1
		}
	}()
	for least := range appended {
		if least%50 != 0 {
			continue
		}
		got, err := Search(t.Context(), dir, "common", Bounds{Limit: MaxFound})
		if err != nil || len(got.Captures) < least {
			t.Fatalf("%d of %d captures found, %v", len(got.Captures), least, err)
		}
		if c, err := Find(dir, got.Captures[0].ID); err != nil || c != got.Captures[0] {
			t.Fatalf("Find = %+v, %v, want %+v", c, err, got.Captures[0])
		}
	}
}
