package extract

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/forage-net/forage/crawl"
)

const xmlType = "text/xml"

// listed reads a source found at www.example.com and returns its entries in
// words.
func listed(t testing.TB, contentType, body string) (kind SourceKind, list []string, err error) {
	t.Helper()
	kind, err = Source(pageURL(t), contentType, strings.NewReader(body), func(e SourceEntry) bool {
		s := strings.TrimPrefix(e.URL.String(), "http://www.example.com")
		if !e.Modified.IsZero() {
			s += e.Modified.UTC().Format(" 2006-01-02T15:04:05")
		}
		if e.Sitemap {
			s += " sitemap"
		}
		if e.Elsewhere {
			s += " elsewhere"
		}
		list = append(list, s)
		return true
	})
	return kind, list, err
}

func packed(t testing.TB, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func utf16le(s string) string {
	var b strings.Builder
	for _, c := range s {
		b.Write([]byte{byte(c), byte(c >> 8)})
	}
	return b.String()
}

func utf16be(s string) string {
	var b strings.Builder
	for _, c := range s {
		b.Write([]byte{byte(c >> 8), byte(c)})
	}
	return b.String()
}

const (
	urlset = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	one    = `<url><loc>http://www.example.com/1</loc></url>`
	two    = `<url><loc>http://www.example.com/2</loc></url>`
)

func TestSource(t *testing.T) {
	for _, c := range []struct {
		name, contentType, body string
		kind                    SourceKind
		want                    string // entries, one a line
	}{
		{"sitemap", xmlType, urlset + one + two + `</urlset>`, SourceSitemap, "/1\n/2"},
		{"blanks and references", xmlType, urlset + "<url>\n <loc>\n http://www.example.com/?a=1&amp;b=&#x32;&copy=3 </loc>\n</url></urlset>", SourceSitemap, "/?a=1&b=2&copy=3"},
		{"CDATA", xmlType, urlset + "<url><loc><![CDATA[http://www.example.com/?a&b]]&amp;]]]>&amp;c</loc></url></urlset>", SourceSitemap, "/?a&b%5D%5D&amp;%5D&c"},
		{"comment within", xmlType, urlset + "<url><loc>http://www.example.com/<!-- <loc>no</loc> - -- -->1</loc></url></urlset>", SourceSitemap, "/1"},
		{"dates", xmlType, urlset + `<url><lastmod>2024-02-29</lastmod><loc>http://www.example.com/1</loc></url>` +
			`<url><loc>http://www.example.com/2</loc><lastmod> 2024-02-29T12:00:00+02:00 </lastmod></url>` +
			`<url><loc>http://www.example.com/3</loc><lastmod>yesterday</lastmod></url></urlset>`, SourceSitemap, "/1 2024-02-29T00:00:00\n/2 2024-02-29T10:00:00\n/3"},
		{"prefix and other namespace", xmlType, `<x:urlset xmlns:x="urn:y"><x:url><x:loc>http://www.example.com/1</x:loc></x:url></x:urlset>`, SourceSitemap, "/1"},
		{"images and videos", xmlType, urlset + `<url><image:image><image:loc>http://www.example.com/no</image:loc></image:image><video:video><url><loc>http://www.example.com/no</loc></url></video:video><loc>http://www.example.com/1</loc></url></urlset>`, SourceSitemap, "/1"},
		{"other places", xmlType, urlset + `<loc>http://www.example.com/no</loc><url><x><loc>http://www.example.com/no</loc></x></url>` + one + `</urlset>`, SourceSitemap, "/1"},
		{"relative and other schemes", xmlType, urlset + `<url><loc>/1</loc></url><url><loc>ftp://www.example.com/</loc></url><url><loc></loc></url><url/>` + two + `</urlset>`, SourceSitemap, "/2"},
		{"own domain alone", xmlType, urlset + `<url><loc>https://example.com/a</loc></url><url><loc>http://b.example.com:8080/</loc></url><url><loc>http://example.org/</loc></url><url><loc>http://badexample.com/</loc></url></urlset>`,
			SourceSitemap, "https://example.com/a\nhttp://b.example.com:8080/\nhttp://example.org/ elsewhere\nhttp://badexample.com/ elsewhere"},
		{"first loc", xmlType, urlset + `<url><loc>http://www.example.com/1</loc><loc>http://www.example.com/2</loc></url></urlset>`, SourceSitemap, "/1"},
		{"unclosed loc", xmlType, urlset + `<url><loc>http://www.example.com/1</url>` + two + `</urlset>`, SourceSitemap, "/1\n/2"},
		{"stray ends", xmlType, urlset + `</x></loc>` + one + `</url></urlset>`, SourceSitemap, "/1"},
		{"stray angle", xmlType, urlset + `<url><loc>http://www.example.com/?a<1</loc></url></urlset>`, SourceSitemap, "/?a%3C1"},
		{"angle in attribute", xmlType, `<urlset a="</urlset>" b='>'>` + one + `</urlset>`, SourceSitemap, "/1"},
		{"repeats", xmlType, urlset + one + one + `</urlset>`, SourceSitemap, "/1\n/1"},
		{"too long", xmlType, urlset + `<url><loc>http://www.example.com/` + strings.Repeat("x", 2100) + `</loc></url><url><loc>` + strings.Repeat(" ", 5000) + `http://www.example.com/no</loc></url>` + one + `</urlset>`, SourceSitemap, "/1"},
		{"long tag", xmlType, urlset + `<url x="` + strings.Repeat(">", 20_000) + `"><loc>http://www.example.com/1</loc></url></urlset>`, SourceSitemap, "/1"},
		{"empty", xmlType, urlset + `</urlset>`, SourceSitemap, ""},
		{"empty root", xmlType, `<urlset/>`, SourceSitemap, ""},
		{"what follows", xmlType, urlset + one + `</urlset>` + urlset + two, SourceSitemap, "/1"},
		{"prolog", xmlType, "\n<?xml version='1.0'?>\n<?xml-stylesheet href='x'?><!-- <rss> --><!DOCTYPE urlset [<!ENTITY a '>'><!-- ' ]> --> <!ELEMENT urlset ANY>]>" + urlset[len(`<?xml version="1.0"?>`):] + one + `</urlset>`, SourceSitemap, "/1"},
		{"own entities", xmlType, `<!DOCTYPE urlset [<!ENTITY a "http://www.example.com/no"><!ENTITY b SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url><url><loc>http://www.example.com/&b;</loc></url></urlset>`, SourceSitemap, "/&b;"},

		{"index", xmlType, `<sitemapindex><sitemap><loc>http://www.example.com/s.xml.gz</loc><lastmod>2024</lastmod></sitemap></sitemapindex>`, SourceIndex, "/s.xml.gz 2024-01-01T00:00:00 sitemap"},
		{"index without loc", xmlType, `<sitemapindex><sitemap> http://www.example.com/s.xml?a&amp;b </sitemap><sitemap>no</sitemap></sitemapindex>`, SourceIndex, "/s.xml?a&b sitemap"},
		{"index of others", xmlType, `<sitemapindex><sitemap><loc>http://example.org/s.xml</loc></sitemap></sitemapindex>`, SourceIndex, "http://example.org/s.xml sitemap elsewhere"},

		{"RSS 2.0", "application/rss+xml", `<rss version="2.0"><channel><link>http://www.example.com/</link><atom:link rel="self" href="http://www.example.com/feed"/><item><title>x</title><link>http://www.example.com/1</link><pubDate>Sun, 06 Sep 2009 16:20:00 +0000</pubDate></item></channel></rss>`, SourceRSS, "/1 2009-09-06T16:20:00"},
		{"RSS 1.0", xmlType, `<rdf:RDF xmlns:rdf="x"><channel rdf:about="y"><link>http://www.example.com/</link></channel><item rdf:about="z"><link>/1</link><dc:date>2009-09-06T16:20Z</dc:date></item></rdf:RDF>`, SourceRSS, "/1 2009-09-06T16:20:00"},
		{"RSS 0.91", xmlType, `<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel><image><url>x</url><link>/no</link></image><item><link>http://other.example/</link></item><textinput><link>/no</link></textinput></channel></rss>`, SourceRSS, "http://other.example/"},
		{"RSS links", xmlType, `<rss><item><link/><guid>http://www.example.com/1</guid></item><item><guid>7</guid></item><item><atom:link href="no" rel="self"/><link>2</link><guid>http://www.example.com/no</guid></item><item><link>mailto:x@y</link></item><item><link><![CDATA[ /3?a&b ]]></link></item></rss>`, SourceRSS, "/1\n/dir/2\n/3?a&b"},
		{"HTML within", xmlType, `<rss><item><description><p>One<br><a href=no>Two</p> & <![CDATA[</item>]]></description><link>1</link></item></rss>`, SourceRSS, "/dir/1"},
		{"latest date", xmlType, `<rss><item><link>1</link><pubDate>Mon, 1 Jan 2024 00:00 EST</pubDate><updated>2024-01-03</updated><dc:date>2024-01-02</dc:date></item></rss>`, SourceRSS, "/dir/1 2024-01-03T00:00:00"},

		{"Atom", "application/atom+xml", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="no"/><updated>2024-01-01</updated><entry><link rel="self" href="no"/><link rel="Alternate" type="text/html" href="1"/><link href="2"/><published>2023-01-01T00:00:00Z</published><updated>2024-01-01T00:00:00.5Z</updated><source><link href="no"/></source></entry></feed>`, SourceAtom, "/dir/1 2024-01-01T00:00:00"},
		{"Atom, odd links", xmlType, `<feed><entry><link href=""/><link href="/1?a&amp;b"></link></entry><entry><link rel="enclosure" href="no"/></entry><entry><link>/2</link></entry><entry><id>no</id></entry></feed>`, SourceAtom, "/1?a&b\n/2"},
		{"Atom with base", xmlType, `<feed xml:base="http://b.example/x/"><entry><link href="1"/></entry><entry xml:base="y/"><link href="2"/></entry><entry xml:base="http://["><link href="3"/></entry></feed>`, SourceAtom, "http://b.example/x/1\nhttp://b.example/x/y/2\nhttp://b.example/x/3"},
		{"Atom in a namespace", xmlType, `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:link href='1'/></a:entry></a:feed>`, SourceAtom, "/dir/1"},

		{"text", "text/plain", "http://www.example.com/1\nhttps://example.com/2\r\n\n  http://www.example.com/3  ", SourceText, "/1\nhttps://example.com/2\n/3"},
		{"text with mark", "text/plain; charset=iso-8859-1", "\ufeffHTTP://www.example.com/1\n", SourceText, "/1"},
		{"text in UTF-16", "text/plain", "\xff\xfe" + utf16le("http://www.example.com/é\n"), SourceText, "/%C3%A9"},
		{"text with other lines", "text/plain", "\n\nhttp://www.example.com/1\n# x\n/2\nhttp://example.org/\nhttp://www.example.com/" + strings.Repeat("x", 100_000) + "\nhttp://www.example.com/3", SourceText, "/1\nhttp://example.org/ elsewhere\n/3"},
		{"no such text", "text/plain", "See http://www.example.com/1\n", SourceNone, ""},
		{"text of another type", "text/css", "http://www.example.com/1\n", SourceNone, ""},
		{"text of no type", "", "http://www.example.com/1\n", SourceNone, ""},

		{"packed", "application/gzip", packed(t, urlset+one+`</urlset>`), SourceSitemap, "/1"},
		{"packed in parts", "", packed(t, urlset+one, two+`</urlset>`), SourceSitemap, "/1\n/2"},
		{"packed text", "text/plain", packed(t, "http://www.example.com/1"), SourceText, "/1"},
		{"packed twice", "", packed(t, packed(t, urlset+one+`</urlset>`)), SourceNone, ""},

		{"mark", xmlType, "\ufeff" + urlset + one + `</urlset>`, SourceSitemap, "/1"},
		{"UTF-16 with mark", xmlType, "\xfe\xff" + utf16be(urlset+one+`</urlset>`), SourceSitemap, "/1"},
		{"UTF-16 without", xmlType, utf16le(urlset + one + `</urlset>`), SourceSitemap, "/1"},
		{"declared", xmlType, `<?xml version="1.0" encoding='iso-8859-2'?><urlset><url><loc>http://www.example.com/` + "\xe8" + `</loc></url></urlset>`, SourceSitemap, "/%C4%8D"},
		{"declared, but wrongly", xmlType, `<?xml version="1.0" encoding="utf-16"?><urlset>` + one + `</urlset>`, SourceSitemap, "/1"},
		{"declared, but unknown", xmlType, `<?xml version="1.0" encoding="x"?><urlset>` + one + `</urlset>`, SourceSitemap, "/1"},
		{"header before declaration", "text/xml; charset=koi8-r", `<?xml version="1.0" encoding="utf-8"?><urlset><url><loc>http://www.example.com/` + "\xc1" + `</loc></url></urlset>`, SourceSitemap, "/%D0%B0"},
		{"never read", "text/xml; charset=hz-gb-2312", urlset + one + `</urlset>`, SourceNone, ""},
		{"not UTF-8", xmlType, urlset + "<url><loc>http://www.example.com/\xff</loc></url></urlset>", SourceSitemap, "/%EF%BF%BD"},

		{"HTML", "text/html", "<!DOCTYPE html><html><urlset>" + one, SourceNone, ""},
		{"text before", xmlType, "x" + urlset, SourceNone, ""},
		{"text behind the prolog", xmlType, `<?xml version="1.0"?>x<urlset>`, SourceNone, ""},
		{"other XML", xmlType, `<svg xmlns="http://www.w3.org/2000/svg"><url><loc>http://www.example.com/1</loc></url></svg>`, SourceNone, ""},
		{"an end", xmlType, `</urlset>`, SourceNone, ""},
		{"prolog alone", xmlType, `<?xml version="1.0"?>`, SourceNone, ""},
		{"nothing", xmlType, "", SourceNone, ""},
	} {
		kind, list, err := listed(t, c.contentType, c.body)
		if got := strings.Join(list, "\n"); kind != c.kind || got != c.want || err != nil {
			t.Errorf("%s: %s with\n%s\n%v, want %s with\n%s", c.name, kind, got, err, c.kind, c.want)
		}
	}
}

func TestSource_KeepsWhatCameBeforeTheBreak(t *testing.T) {
	whole := packed(t, urlset+one+strings.Repeat(two, 1000)+`</urlset>`)
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		body io.Reader
		want error
	}{
		{"cut off behind an entry", strings.NewReader(urlset + one), io.ErrUnexpectedEOF},
		{"cut off in a tag", strings.NewReader(urlset + one + "<url"), io.ErrUnexpectedEOF},
		{"cut off in an entry", strings.NewReader(urlset + one + "<url><loc>http://www.example.com/2"), io.ErrUnexpectedEOF},
		{"cut off in a comment", strings.NewReader(urlset + one + "<!-- x --"), io.ErrUnexpectedEOF},
		{"cut off in CDATA", strings.NewReader(urlset + one + "<url><loc><![CDATA[http://www.example.com/2]]"), io.ErrUnexpectedEOF},
		{"cut off in a declaration", strings.NewReader(urlset + one + "<!x '"), io.ErrUnexpectedEOF},
		{"quote not closed", strings.NewReader(urlset + one + `<url x="><loc>http://www.example.com/2</loc></url></urlset>`), io.ErrUnexpectedEOF},
		{"connection broken", io.MultiReader(strings.NewReader(urlset+one), iotest.ErrReader(broken)), broken},
		{"packed text cut off", strings.NewReader(whole[:len(whole)/2]), io.ErrUnexpectedEOF},
		{"too deep", strings.NewReader(urlset + one + strings.Repeat("<x>", maxNesting)), ErrLimit},
	} {
		first := ""
		kind, err := Source(pageURL(t), xmlType, c.body, func(e SourceEntry) bool {
			if first == "" {
				first = e.URL.Path()
			}
			return true
		})
		if kind != SourceSitemap || first != "/1" || !errors.Is(err, c.want) {
			t.Errorf("%s: %s, first %q, %v, want /1 and %v", c.name, kind, first, err, c.want)
		}
	}
	if kind, err := Source(pageURL(t), xmlType, iotest.ErrReader(broken), nil); kind != SourceNone || !errors.Is(err, broken) {
		t.Errorf("nothing readable: %s, %v, want %v", kind, err, broken)
	}
	if kind, err := Source(pageURL(t), xmlType, strings.NewReader("\x1f\x8bx"), nil); kind != SourceNone || err == nil {
		t.Errorf("broken packing: %s, %v, want an error", kind, err)
	}
}

func TestSource_StopsWhenAsked(t *testing.T) {
	for contentType, body := range map[string]string{xmlType: urlset + one + two, "text/plain": "http://www.example.com/1\nhttp://www.example.com/2\n"} {
		n := 0
		_, err := Source(pageURL(t), contentType, strings.NewReader(body), func(SourceEntry) bool { n++; return false })
		if n != 1 || err != nil {
			t.Errorf("%s: %d entries, %v, want 1", contentType, n, err)
		}
	}
}

func TestSource_IsBounded(t *testing.T) {
	lines := strings.Repeat("http://www.example.com/1\n", MaxEntries)
	spaces := strings.Repeat(" ", 1<<20)
	for _, c := range []struct {
		name, contentType string
		body              io.Reader
		entries           int
		want              error
	}{
		{"entries at the limit", xmlType, strings.NewReader(urlset + strings.Repeat(one, MaxEntries) + `</urlset>`), MaxEntries, nil},
		{"entries", xmlType, strings.NewReader(urlset + strings.Repeat(one, MaxEntries+1) + `</urlset>`), MaxEntries, ErrLimit},
		{"entries of others", xmlType, strings.NewReader(urlset + strings.Repeat(`<url></url>`, MaxEntries+1) + `</urlset>`), 0, ErrLimit},
		{"lines at the limit", "text/plain", strings.NewReader(lines), MaxEntries, nil},
		{"lines", "text/plain", strings.NewReader(lines + "http://www.example.com/2"), MaxEntries, ErrLimit},
		{"text", xmlType, io.MultiReader(strings.NewReader(urlset+one), endless{}), 1, ErrLimit},
		{"text in a line", "text/plain", io.MultiReader(strings.NewReader("http://www.example.com/1\n"), endless{}), 1, ErrLimit},
		{"comment", xmlType, io.MultiReader(strings.NewReader(urlset+one+"<!--"), endless{}), 1, ErrLimit},
		{"packing", xmlType, strings.NewReader(packed(t, urlset+one+strings.Repeat(spaces, 20)+two+`</urlset>`)), 1, ErrLimit},
	} {
		n := 0
		_, err := Source(pageURL(t), c.contentType, c.body, func(SourceEntry) bool { n++; return true })
		if n != c.entries || !errors.Is(err, c.want) {
			t.Errorf("%s: %d entries, %v, want %d and %v", c.name, n, err, c.entries, c.want)
		}
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestSource_ReadsInAnyPieces(t *testing.T) {
	body := "\ufeff" + urlset + "<!-- -->" + one + "<url><loc>http://www.example.com/<![CDATA[a]]>&amp;</loc></url></urlset>"
	for name, r := range map[string]io.Reader{
		"bytes": iotest.OneByteReader(strings.NewReader(body)),
		"error": iotest.DataErrReader(strings.NewReader(body)),
		"gzip":  iotest.HalfReader(strings.NewReader(packed(t, body))),
	} {
		var got []string
		kind, err := Source(pageURL(t), "", r, func(e SourceEntry) bool { got = append(got, e.URL.Path()); return true })
		if want := []string{"/1", "/a&"}; !slices.Equal(got, want) || kind != SourceSitemap || err != nil {
			t.Errorf("%s: %s %q, %v, want %q", name, kind, got, err, want)
		}
	}
}

// What the files of crawler-commons hold.
func TestSource_ReadsCollectedFiles(t *testing.T) {
	files, err := os.ReadDir(vectors + "sitemap")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the test vectors are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string]struct {
		base, contentType string
		kind              SourceKind
		entries, dated    int
		first, last       string
	}{
		"atom.xml":             {"http://example.org/feed/", "application/atom+xml", SourceAtom, 1, 1, "http://example.org/2003/12/13/atom03", "http://example.org/2003/12/13/atom03"},
		"feed.rss":             {"https://www.example.com/feed.rss", "application/rss+xml", SourceRSS, 4, 1, "https://www.example.com/blog/post/1", "https://www.example.com/foo?q=a&l=fr"},
		"sitemap-with-bom.txt": {"http://www.domain.com/s.txt", "text/plain", SourceText, 2, 0, "http://www.domain.com/page1.html", "http://www.domain.com/page2.html"},
		"sitemap.badns.xml":    {"http://www.example.com/s.xml", xmlType, SourceSitemap, 2, 0, "http://www.example.com/1", "http://www.example.com/2"},
		"sitemap.index.xml":    {"https://example.com/s.xml", xmlType, SourceIndex, 15, 0, "https://example.com/sitemap.jss?portalCode=10260&lang=en", "https://example.com/sitemap.jss?portalCode=10570&lang=en"},
		"sitemap.ns.xml":       {"http://www.example.com/s.xml", xmlType, SourceSitemap, 2, 0, "http://www.example.com/1", "http://www.example.com/2"},
		"xmlSitemap.gz":        {"http://www.example.com/s.xml.gz", "application/gzip", SourceSitemap, 5, 4, "http://www.example.com/", "http://www.example.com/catalog?item=83&desc=vacation_usa"},
	}
	if len(files) != len(wants) {
		t.Errorf("%d files, want %d", len(files), len(wants))
	}
	for _, file := range files {
		body, err := os.ReadFile(vectors + "sitemap/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		want := wants[file.Name()]
		base, err := crawl.ParseURL(want.base)
		if err != nil {
			t.Fatalf("%s: %v", file.Name(), err)
		}
		var list []SourceEntry
		dated := 0
		kind, err := Source(base, want.contentType, bytes.NewReader(body), func(e SourceEntry) bool {
			list = append(list, e)
			if !e.Modified.IsZero() {
				dated++
			}
			return true
		})
		if kind != want.kind || len(list) != want.entries || dated != want.dated || err != nil {
			t.Errorf("%s: %s, %d entries, %d dates, %v, want %+v", file.Name(), kind, len(list), dated, err, want)
			continue
		}
		if first, last := list[0].URL.String(), list[len(list)-1].URL.String(); first != want.first || last != want.last {
			t.Errorf("%s: from %s to %s, want %+v", file.Name(), first, last, want)
		}
		if !LooksLikeSource(want.contentType, body) {
			t.Errorf("%s does not look like a source", file.Name())
		}
	}
}

func TestLooksLikeSource(t *testing.T) {
	for _, c := range []struct {
		contentType, body string
		want              bool
	}{
		{"text/xml", urlset, true}, {"application/xml; charset=utf-8", "\ufeff <!-- x --><sitemapindex>", true},
		{"application/rss+xml", "<rss>", true}, {"application/rdf+xml", "<rdf:RDF>", true}, {"APPLICATION/ATOM+XML", "<feed ", false},
		{"application/atom+xml", "<feed>", true}, {"text/plain", "<?xml version='1.0'?><feed>", true}, {"text/plain", "\nhttp://x/", true},
		{"text/plain", "x http://x/", false}, {"text/plain", "<html>", false}, {"text/plain", "", false}, {"application/gzip", packed(t, urlset), true},
		{"application/gzip", "\x1f\x8b", false}, {"text/html", "<rss>", false}, {"application/xhtml+xml", "<rss>", false}, {"image/svg+xml", "<svg>", false},
		{"text/css", "http://x/", false}, {"", "<rss>", false}, {"text/xml", "<!--" + strings.Repeat("x", 20_000) + "--><rss>", false}, {"text/xml", utf16le(urlset), true},
	} {
		if got := LooksLikeSource(c.contentType, []byte(c.body)); got != c.want {
			t.Errorf("LooksLikeSource(%s, %.60q) = %v, want %v", c.contentType, c.body, got, c.want)
		}
	}
}

func FuzzSource(f *testing.F) {
	f.Add(xmlType, []byte("\n"+urlset+"<!-- x -->"+one+"<url><loc><![CDATA[http://www.example.com/?a&b]]></loc><lastmod>2024-02-29T12:00:00.5+02:00</lastmod></url></urlset>"))
	f.Add("application/rss+xml", []byte(`<rss><channel><item><link>/1</link><guid>x</guid><pubDate>Sun, 06-Sep-09 4:20 PM GMT+1</pubDate></item></channel></rss>`))
	f.Add("", []byte(`<!DOCTYPE feed [<!ENTITY a "b">]><feed xml:base="/x/"><entry><link rel="alternate" href='1'/><updated>2024</updated></entry></feed>`))
	f.Add("text/plain", []byte("\xff\xfe"+utf16le("http://www.example.com/1\n")))
	f.Add("text/xml; charset=shift_jis", []byte(packed(f, `<?xml version="1.0" encoding="x"?><sitemapindex><sitemap>http://www.example.com/1</sitemap></sitemapindex>`)))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		n := 0
		kind, err := Source(pageURL(t), contentType, bytes.NewReader(body), func(e SourceEntry) bool {
			n++
			if again, err := crawl.ParseURL(e.URL.String()); err != nil || again != e.URL {
				t.Errorf("%q is not canonical: %q, %v", e.URL, again, err)
			}
			if feed := kindOf(t, contentType, body); feed != SourceRSS && feed != SourceAtom && e.Elsewhere != (e.URL.Domain() != pageURL(t).Domain()) {
				t.Errorf("a %s lists %s, elsewhere %v", feed, e.URL, e.Elsewhere)
			}
			if year := e.Modified.Year(); !e.Modified.IsZero() && (year < 1969 || year > 2200) {
				t.Errorf("%s was modified %s", e.URL, e.Modified)
			}
			return true
		})
		if n > MaxEntries || kind == SourceNone && n > 0 || len(body) > 1 && body[0] != 0x1f && n > len(body) {
			t.Errorf("%s: %d entries of %d bytes, %v", kind, n, len(body), err)
		}
		LooksLikeSource(contentType, body)
	})
}

func kindOf(t *testing.T, contentType string, body []byte) SourceKind {
	_, kind, err := openSource(contentType, bytes.NewReader(body), sourceBuffer)
	if err != nil {
		t.Error(err)
	}
	return kind
}

func BenchmarkSource(b *testing.B) {
	var text bytes.Buffer
	text.WriteString(urlset + "\n")
	for i := range MaxEntries {
		fmt.Fprintf(&text, "  <url>\n    <loc>http://www.example.com/docs/part-%d/page.html?a=1&amp;b=%d</loc>\n    <lastmod>2024-05-06T07:08:%02d+00:00</lastmod>\n    <changefreq>weekly</changefreq>\n    <priority>0.8</priority>\n  </url>\n", i, i, i%60)
	}
	text.WriteString("</urlset>\n")
	for name, body := range map[string]string{"xml": text.String(), "gzip": packed(b, text.String())} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				if _, err := Source(pageURL(b), xmlType, strings.NewReader(body), func(SourceEntry) bool { n++; return true }); n != MaxEntries || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
}
