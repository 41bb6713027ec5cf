package demo

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forage-net/forage/app/demo/language"
	"github.com/forage-net/forage/app/demo/markup"
	"github.com/forage-net/forage/app/demo/pack"
)

// plannedPage returns a page of a web that is not served.
func plannedPage(t *testing.T, w *Web, url string) *page {
	t.Helper()
	for _, s := range w.sites {
		for _, p := range s.pages {
			if p.url() == url {
				return p
			}
		}
	}
	t.Fatalf("no page %s", url)
	return nil
}

// The practice web is the same everywhere and for ever: figures measured on it
// can be compared. Whoever changes texts or plan changes these numbers.
func TestWeb_Golden(t *testing.T) {
	w, err := newWeb(Options{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ url, want string }{
		{"http://start.test/", "db2dd194dea2f84d"},
		{"http://corner-bakery.test/", "2e0b53b053cd641f"},
		{"http://kissaten.test/s1/1.html", "80472a5df48a38df"},
		{"http://maktaba.test/s2/30.html", "342d69cc767d80c5"},
		{"http://shufa.test/s1/2.html", "39f999d2cdfc947d"},
		{"http://stadtbibliothek.test/katalog.html", "042f077e41c62ed7"},
	} {
		p := plannedPage(t, w, c.url)
		sum := sha256.Sum256(p.site.spec.charset.Encode(p.document()))
		if got := hex.EncodeToString(sum[:8]); got != c.want {
			t.Errorf("%s: %s, want %s", c.url, got, c.want)
		}
	}
	list := sha256.Sum256([]byte(strings.Join(w.Expected(), "\n")))
	if got, want := hex.EncodeToString(list[:8]), "22af6276c0d2e3a4"; got != want {
		t.Errorf("Expected: %s, want %s", got, want)
	}
}

func TestWeb_SeedChangesTexts(t *testing.T) {
	const url = "http://corner-bakery.test/about.html"
	texts := make(map[string]bool)
	for seed := range uint64(3) {
		w, err := newWeb(Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		texts[string(plannedPage(t, w, url).document())] = true
	}
	if len(texts) != 3 {
		t.Errorf("%d different texts for three seeds", len(texts))
	}
}

func TestWeb_Documents(t *testing.T) {
	const least = 20_000
	w, err := newWeb(Options{PageBytes: least})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range w.sites[1:] {
		titles := make(map[string]bool)
		for i, p := range s.articles {
			if titles[p.title] {
				t.Errorf("%s: title %q stands twice", s.spec.name, p.title)
			}
			titles[p.title] = true
			if i%20 != 0 {
				continue
			}
			doc := p.document()
			if !utf8.Valid(doc) || strings.ContainsAny(string(doc), "{}\ufffd") {
				t.Errorf("%s: not UTF-8, or a slot was not filled", p.url())
			}
			if len(doc) < least || len(doc) > least+4000 {
				t.Errorf("%s has %d bytes, want about %d", p.url(), len(doc), least)
			}
		}
	}
}

// Nine links in ten stay on their site, as on the real web.
func TestWeb_LinksWithin(t *testing.T) {
	w, err := newWeb(Options{Pages: 2000})
	if err != nil {
		t.Fatal(err)
	}
	within, beyond := 0, 0
	for _, s := range w.sites[1:] {
		for _, p := range s.articles {
			doc := strings.ToLower(string(p.document()))
			links := strings.Count(doc, " href=") - strings.Count(doc, "<link ")
			_, elsewhere, _ := strings.Cut(doc, strings.ToLower(s.lang.Words.Elsewhere)+"</h2>")
			elsewhere, _, _ = strings.Cut(elsewhere, "</ul>")
			n := strings.Count(elsewhere, " href=")
			within, beyond = within+links-n, beyond+n
		}
	}
	if share := float64(within) / float64(within+beyond); share < 0.88 || share > 0.97 {
		t.Errorf("%.3f of %d links stay on their site, want about 0.9", share, within+beyond)
	}
}

func TestLanguages(t *testing.T) {
	for tag, l := range language.All() {
		if n := len(l.Sentences); n < 10 {
			t.Errorf("%s: %d sentences, want 10 at least, or a paragraph repeats itself", tag, n)
		}
	}
}

func TestStart_Refuses(t *testing.T) {
	for _, o := range []Options{
		{Sites: -1}, {Sites: maxSites + 1}, {Pages: -1}, {Pages: maxPages + 1}, {PageBytes: -1}, {PageBytes: maxPageBytes + 1},
		{Pages: 100}, {Address: "192.0.2.1"}, {Address: "localhost"},
		{Port: -1}, {Port: 65_500}, {Latency: -1}, {Latency: maxLatency + 1},
	} {
		w, err := Start(o)
		if err == nil {
			w.Close()
			t.Errorf("Start(%+v) succeeded", o)
		}
	}
}

func TestNewWeb_Extremes(t *testing.T) {
	for _, o := range []Options{{Pages: maxPages}, {Sites: maxSites, Pages: 16_000}, {Sites: 300, Pages: 5000}, {Sites: 1, Pages: 5000}} {
		w, err := newWeb(o)
		if err != nil {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		if n := len(w.Expected()); n != o.Pages {
			t.Errorf("%+v: %d pages expected, want %d", o, n, o.Pages)
		}
	}
}

func TestWeb_WarmKeepsWithinBounds(t *testing.T) {
	w, err := newWeb(Options{Sites: 3, Pages: 120, PageBytes: 5000})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := w.sites[2].articles[0]
	if p.cached.Load() == nil {
		t.Errorf("%s is not kept", p.url())
	}
	if n := w.cached.Load(); n <= 0 || n > maxCached {
		t.Errorf("%d bytes kept", n)
	}
}

// FuzzSite_ServeHTTP asks for anything: every request has an answer.
func BenchmarkDocument(b *testing.B) {
	for _, bytes := range []int{0, 49_000} {
		w, err := newWeb(Options{PageBytes: bytes})
		if err != nil {
			b.Fatal(err)
		}
		articles := w.sites[1].articles
		b.Run(itoa(bytes), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.SetBytes(int64(len(articles[i%len(articles)].document())))
			}
		})
	}
}

// A bulky web has long pages that differ all the same, and that can be read.
func TestBulkyWeb(t *testing.T) {
	const least = 30_000
	w, err := newWeb(Options{Sites: 9, Pages: 400, PageBytes: least, Bulky: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, s := range w.sites {
		for _, p := range s.articles {
			b := p.document()
			if len(b) < least || seen[string(b)] || !bytes.Contains(b, s.filler()) {
				t.Errorf("%s has %d bytes, or is as another page", p.url(), len(b))
			}
			seen[string(b)] = true
			for range 2 { // the second time from memory
				z, err := gzip.NewReader(bytes.NewReader(p.body(s.coding())))
				if err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, b) {
					t.Errorf("%s: %d bytes, %v, want %d", p.url(), len(got), err, len(b))
				}
			}
		}
	}
	if len(seen) == 0 {
		t.Error("no pages")
	}
}

// A web of manuals is compressed throughout, to a fifth, and has a tag for every 30 bytes.
func TestManualWeb(t *testing.T) {
	w, err := newWeb(Options{Sites: 9, Pages: 400, PageBytes: 47_000, Manual: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range w.sites[1:] {
		p := s.articles[0]
		doc := p.document()
		if s.coding() != pack.Gzip || s.spec.charset > markup.UTF8Meta {
			t.Errorf("%s: coding %q, charset %v", p.url(), s.coding(), s.spec.charset)
		}
		if n := len(p.body(pack.Gzip)); n > len(doc)/3 || n < len(doc)/8 || bytes.Count(doc, []byte("<")) < len(doc)/50 {
			t.Errorf("%s has %d bytes, %d compressed, and %d tags", p.url(), len(doc), n, bytes.Count(doc, []byte("<")))
		}
	}
}
