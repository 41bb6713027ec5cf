package extract

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/forage-net/forage/crawl"
)

const htmlType = "text/html; charset=utf-8"

func pageURL(t testing.TB) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL("http://www.example.com/dir/page.html")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// texts returns the links of a page as text, those marked nofollow with "!".
func texts(p Page) []string {
	list := []string{}
	for _, l := range p.Links {
		s := strings.TrimPrefix(l.URL.String(), "http://www.example.com")
		if l.NoFollow {
			s = "!" + s
		}
		list = append(list, s)
	}
	return list
}

func TestHTML_Links(t *testing.T) {
	for _, c := range []struct {
		name, body, want string
	}{
		{"kinds", `<a href=1><area href=2><frame src=3><iframe src=4></iframe><a href="/5?q&amp;r#f">`, "/dir/1 /dir/2 /dir/3 /dir/4 /5?q&r"},
		{"no links", `<img src=1><script src=2></script><link href=3><form action=4><input src=5><a name=6><a src=7><iframe href=8></iframe><video src=9>`, ""},
		{"descriptions", `<img src=no longdesc=1><frame longdesc=2 src=3><iframe longdesc='4'></iframe><img longdesc="#x"><IMG LONGDESC = 5 alt=x>`, "/dir/1 /dir/3 /dir/2 /dir/4 /dir/5"},
		{"embedded", `<object data=1></object><embed src=2><object type="text/html" data=3></object><embed type=TEXT/plain src=4><object data=5 type=application/xhtml+xml>`, "/dir/1 /dir/2 /dir/3 /dir/4 /dir/5"},
		{"embedded, no text", `<object data=1 type=image/png></object><embed src=2 type=application/x-shockwave-flash><object type="video/mp4" data=3></object><object data=data:text/html,x></object>`, ""},
		{"embedded, in place of it", `<object data=1 type=image/svg+xml><a href=2></object><object><embed src=3></object>`, "/dir/2 /dir/3"},
		{"sources", `<blockquote cite=1><q cite="2">x</q></blockquote><ins cite=3><del cite='4&amp;'><q cite=urn:isbn:1><cite href=no><p cite=no>`, "/dir/1 /dir/2 /dir/3 /dir/4&"},
		{"series", `<link rel=next href=1><link rel="PREV" href='2'><link rel="x last next" href=3><LINK REL=up HREF=4><link href=5 rel=contents type=text/html>`, "/dir/1 /dir/2 /dir/3 /dir/4 /dir/5"},
		{"neighbours", `<link rel=author href=1><link rel=author href=mailto:x@y><link rel="license" href=2><link rel=help href=3><link rel=privacy-policy href=4><link rel=terms-of-service href=5>`, "/dir/1 /dir/2 /dir/3 /dir/4 /dir/5"},
		{"no neighbours", `<link rel=icon href=1><link rel="next stylesheet" href=2><link rel="next nofollow" href=3><link rel=preload href=4><link rel=search type=application/opensearchdescription+xml href=5>` +
			`<link rel=next type=application/json href=6><link rel=pingback href=7><link rel=shortlink href=8><link rev=next href=9><link rel href=10><link rel=next>`, ""},
		{"series, base", `<link rel=next href=1><base href=/b/>`, "/b/1"},
		{"series in a template or drawing", `<template><link rel=next href=1><img longdesc=2></template><svg><link rel=next href=no></svg>`, "/dir/2"},
		{"page says nofollow, all kinds", `<meta name=robots content=nofollow><link rel=next href=1><img longdesc=2><object data=3></object><q cite=4>`, ""},
		{"not in text", `<!-- <a href=1> --><script><a href=2></script><style><a href=3></style><textarea><a href=4></textarea><title><a href=5></title>`, ""},
		{"noscript", `<noscript><a href=1></noscript>`, "/dir/1"},
		{"repeats", `<a href=1><a href="1#x"><a href=" 1 "><a href=./1><a href=/dir/1><a href=HTTP://WWW.example.com/dir/%31>`, "/dir/1"},
		{"itself", `<a href=""><a href="#top"><a href=page.html><a href="page.html?">`, ""},
		{"other schemes", `<a href=mailto:x@y><a href="javascript:go('/1')"><a href=data:,x><a href=tel:1><a href=" ftp://x/"><a href="java&#10;script:x"><a href=JavaScript:x>`, ""},
		{"looks like a scheme", `<a href=./a:b><a href=1:2><a href=?a:b>`, "/dir/a:b /dir/1:2 /dir/page.html?a:b"},
		{"other sites", `<a href=//b.example><a href=https://c.example:8443/x><a href="http://é.example/é">`, "http://b.example/ https://c.example:8443/x http://xn--9ca.example/%C3%A9"},
		{"odd", `<a href="a b"><a href="\x"><a href=" /t&Tab;a&NewLine;b "><a href="?"><a href="http://[x"><a href="//">`, "/dir/a%20b /x /tab"},
		{"base", `<a href=1><base target=x><base href=/b/><base href=/c/><a href=2>`, "/b/1 /b/2"},
		{"base elsewhere", `<base href="https://b.example/x/y"><a href=1><a href="#f"><a href=//www.example.com/>`, "https://b.example/x/1 https://b.example/x/y https://www.example.com/"},
		{"bad base", `<base href="data:,x"><base href=/c/><a href=1>`, "/dir/1"},
		{"nofollow", `<a href=1 rel=nofollow><a href=2 rel="noopener NoFollow me"><a href=3 rel=ugc><a href=4 rel=xnofollow>`, "!/dir/1 !/dir/2 /dir/3 /dir/4"},
		{"drawings", `<svg><a href=1><a xlink:href="2&amp;x" rel=nofollow><a xlink:href=no href=3><use href=no><title><a href=4></title></svg><a xlink:href=no>`, "/dir/1 !/dir/2&x /dir/3 /dir/4"},
		{"drawing left open", `<svg><path><script>"<a href=1>"</script><p><script>"<a href=no>"</script></svg><a href=2>`, "/dir/1 /dir/2"},
		{"drawing closed with what it is in", `<button><svg><style></button><style><a href=no></style><a href=1>`, "/dir/1"},
		{"drawing too deep", strings.Repeat("<svg>", 64+1) + `<style><a href=no></style><a href=1>`, "/dir/1"},
		{"formula", `<math><mi><a href=1></mi><annotation-xml encoding=TEXT/HTML><area href=2></annotation-xml><annotation-xml><area href=no></annotation-xml></math>`, "/dir/1 /dir/2"},
		{"sponsored", `<a href=1 rel=sponsored><a href=2 rel="ugc nofollow sponsored">`, "/dir/1 !/dir/2"},
		{"followed once", `<a href=1 rel=nofollow><a href=1><a href=2><a href=2 rel=nofollow><a href=3 rel=nofollow><a href=./3><a href=4 rel=nofollow><a href=./4 rel=nofollow>`,
			"/dir/1 /dir/2 /dir/3 !/dir/4"},
		{"refresh", `<meta http-equiv=Refresh content="0; URL='/next?a&amp;b'">`, "/next?a&b"},
		{"page says nofollow", `<a href=1><meta name=robots content="nofollow"><meta http-equiv=refresh content="0;url=2">`, ""},
		{"unfinished", `<a href=1><a href=2`, "/dir/1"},
		{"not UTF-8", "<a href=a\xff>", "/dir/a%EF%BF%BD"},
		{"zero", "<a href=a\x00b>", "/dir/a%EF%BF%BDb"},
		{"too long", `<a href="` + strings.Repeat("x", 2100) + `"><a href="` + strings.Repeat("x", 9000) + `"><a href=1>`, "/dir/1"},
	} {
		want := strings.Fields(c.want)
		if got := texts(HTML(pageURL(t), htmlType, nil, []byte(c.body))); !slices.Equal(got, want) {
			t.Errorf("%s: links %q, want %q", c.name, got, want)
		}
	}
}

func TestHTML_LeavesBodyAlone(t *testing.T) {
	body := []byte("<TITLE>a&amp;b\r\n</TITLE><A HREF='x&amp;y\x00\r'><META NAME=ROBOTS CONTENT=NONE>")
	before := slices.Clone(body)
	HTML(pageURL(t), htmlType, nil, body)
	if !bytes.Equal(body, before) {
		t.Errorf("body is now %q, was %q", body, before)
	}
}

func TestHTML_IsBounded(t *testing.T) {
	var good, bad strings.Builder
	for i := range 3 * MaxLinks {
		fmt.Fprintf(&good, "<a href=%d>", i)
		fmt.Fprintf(&bad, "<a href='//%d:x'>", i)
	}
	p := HTML(pageURL(t), htmlType, nil, []byte(good.String()))
	if len(p.Links) != MaxLinks || p.Links[MaxLinks-1].URL.Path() != "/dir/9999" {
		t.Errorf("%d links, want %d", len(p.Links), MaxLinks)
	}
	if p := HTML(pageURL(t), htmlType, nil, []byte(bad.String()+"<a href=1>")); len(p.Links) != 0 {
		t.Errorf("a link behind %d bad ones was still read", 3*MaxLinks)
	}
	// What one page leaves behind, the next must not see.
	if got := texts(HTML(pageURL(t), htmlType, nil, []byte("<a href=7>"))); !slices.Equal(got, []string{"/dir/7"}) {
		t.Errorf("links %q of the next page, want /dir/7", got)
	}
}

// Hosts in other letters cost much more than others: a page may name so many.
func TestHTML_ForeignHostsAreBounded(t *testing.T) {
	for _, form := range []string{"<a href='//ü%d.example'>", `<a href='http:\\ü%d.example'>`, "<a href='HTTPS://%%C3%%BC%d.example'>"} {
		var b strings.Builder
		for i := range 2 * maxForeignHosts {
			fmt.Fprintf(&b, form, i)
		}
		b.WriteString("<a href='/ü'><a href='//plain.example/ü'>")
		if p := HTML(pageURL(t), htmlType, nil, []byte(b.String())); len(p.Links) != maxForeignHosts+2 {
			t.Errorf("%s: %d links, want %d", form, len(p.Links), maxForeignHosts+2)
		}
	}
}

func TestHTML_Title(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"<title>\n A &lt;b&gt;\u00a0 title\r\n</title>", "A <b> title"},
		{"<title></title><title> </title><title>second</title><title>third</title>", "second"},
		{"<title>caf\xe9 \xff</title>", "caf\uFFFD \uFFFD"},
		{"<title>a\x00b\x1b[31m&#7;c</title>", "a b [31m c"},
		{"<title>" + strings.Repeat("é", 150) + "</title>", strings.Repeat("é", 100)},
		{"<title>x" + strings.Repeat("é", 150) + "</title>", "x" + strings.Repeat("é", 99)},
		{"<title>" + strings.Repeat("word ", 1000) + "</title>", strings.TrimSpace(strings.Repeat("word ", 40))},
		{"<title>no end", "no end"},
		{"no title", ""},
		{"<svg><title>icon</title></svg><title>page</title>", "page"},
		{"<template><title>no</title></template><svg><title>no</title></svg>", ""},
		{"<svg><title/></svg><TITLE>page</TITLE >", "page"},
	} {
		if got := HTML(pageURL(t), htmlType, nil, []byte(c.body)).Title; got != c.want {
			t.Errorf("title of %.40q = %q, want %q", c.body, got, c.want)
		}
	}
}

func TestHTML_Language(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`<html lang=" en-GB ">`, "en-GB"},
		{`<html lang=pt_BR><meta http-equiv=content-language content=de>`, "pt_BR"},
		{`<meta http-equiv="Content-Language" content="de-CH, fr">`, "de-CH"},
		{`<html lang="<b>"><meta http-equiv=content-language content=de>`, "de"},
		{`<html lang=` + strings.Repeat("x", 36) + `>`, ""},
		{`<html lang>`, ""},
	} {
		if got := HTML(pageURL(t), htmlType, nil, []byte(c.body)).Language; got != c.want {
			t.Errorf("language of %s = %q, want %q", c.body, got, c.want)
		}
	}
}

func TestHTML_Directives(t *testing.T) {
	meta := func(name, content string) string { return `<meta name="` + name + `" content="` + content + `">` }
	for _, c := range []struct {
		headers []string
		body    string
		want    string // i, f, a for noindex, nofollow, noarchive
	}{
		{nil, "", ""},
		{nil, meta("robots", "noindex"), "i"},
		{nil, meta("ROBOTS", "NoFollow , NOARCHIVE"), "fa"},
		{nil, meta(" forage ", "none"), "if"},
		{nil, meta("robots", "index, follow, all"), ""},
		{nil, meta("googlebot", "none") + meta("description", "noindex"), ""},
		{nil, meta("robots", "noindex") + meta("forage", "noarchive"), "ia"},
		{nil, "<meta name=robots><meta content=none>", ""},
		{nil, meta("robots", "nosnippet, max-snippet:-1, max-image-preview:large, notranslate, noimageindex"), ""},
		{nil, meta("robots", "unavailable_after: 25 Jun 2010 15:00:00 PST"), ""},
		{nil, meta("robots", "unavailable_after: 2010-06-25T15:00:00Z, noarchive"), "a"},
		{nil, meta("robots", "no&#105;ndex&comma;nofollow"), "if"},
		{nil, `<META CONTENT="NOINDEX;NOFOLLOW" NAME=" Robots ">`, "if"},
		{nil, meta("robots", "no-index, no index, noindexing, xnofollow"), ""},
		{nil, meta("Forage", "noindex") + meta("forager", "nofollow") + meta("robots-forage", "noarchive"), "i"},
		{nil, "<template>" + meta("robots", "noindex") + "</template>", ""},
		{nil, "<svg>" + meta("robots", "noindex") + "</svg>", "i"},
		{nil, "<noscript>" + meta("robots", "noindex") + "</noscript>", "i"},
		{nil, "<p>" + meta("robots", "noindex"), "i"},
		{nil, "<!--" + meta("robots", "noindex") + "-->", ""},
		{[]string{"noindex"}, "", "i"},
		{[]string{"noindex, nofollow", "noarchive"}, "", "ifa"},
		{[]string{"NOINDEX nofollow"}, "", "if"},
		{[]string{"forage: none"}, "", "if"},
		{[]string{"Forage : noindex, nofollow"}, "", "if"},
		{[]string{"googlebot: noindex, nofollow"}, "", ""},
		{[]string{"googlebot: noindex, forage: noarchive, nofollow"}, "", "fa"},
		{[]string{"noarchive, otherbot: noindex", "nofollow"}, "", "fa"},
		{[]string{"unavailable_after: 25 Jun 2030 15:00:00 PST, noindex"}, "", "i"},
		{[]string{"unavailable_after: Tue, 25 Jun 2030 15:00:00 GMT, max-snippet:-1, max-image-preview: large, noindex"}, "", "i"},
		{[]string{"", ",", ":", "::", ": noindex"}, "", "i"},
		{[]string{"unavailable_after: 2010-06-25T15:00:00+02:00, noarchive"}, "", "a"},
		{[]string{"unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, nofollow"}, "", "f"},
		{[]string{"googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"}, "", ""},
		{[]string{"nosnippet, notranslate, max-video-preview: 0"}, "", ""},
		{[]string{"FORAGE:NOINDEX,NOFOLLOW,NOARCHIVE"}, "", "ifa"},
		{[]string{"googlebot: nofollow", "noindex"}, "", "i"},
		{[]string{"*: none"}, "", "if"},
		{[]string{"robots: noindex"}, meta("robots", "noarchive"), "ia"},
	} {
		p := HTML(pageURL(t), htmlType, c.headers, []byte(c.body+"<a href=x>"))
		got := ""
		for _, f := range []struct {
			set  bool
			name string
		}{{p.NoIndex, "i"}, {p.NoFollow, "f"}, {p.NoArchive, "a"}} {
			if f.set {
				got += f.name
			}
		}
		if got != c.want {
			t.Errorf("%q, %s: directives %q, want %q", c.headers, c.body, got, c.want)
		}
		if p.NoFollow != (len(p.Links) == 0) {
			t.Errorf("%q, %s: nofollow %v with %d links", c.headers, c.body, p.NoFollow, len(p.Links))
		}
	}
}

func TestRefreshTarget(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"5; url=/x", "/x"}, {"5;URL='/x'y", "/x"}, {`0,url = "/x`, "/x"}, {" 0.5 /x", "/x"}, {".5;/x", "/x"}, {"5 url=/x", "/x"},
		{"0;url=", ""}, {"5", ""}, {"5;", ""}, {"", ""}, {"url=/x", ""}, {"5x;url=/x", ""}, {"-1;url=/x", ""},
		{"0;urls/x", "urls/x"}, {"0;url /x", "url /x"}, {"0; 'x'", "x"}, {"0;;url=x", ";url=x"}, {"0;url=url=x", "url=x"},
	} {
		if got := refreshTarget([]byte(c.content)); string(got) != c.want {
			t.Errorf("refreshTarget(%q) = %q, want %q", c.content, got, c.want)
		}
	}
}

func TestHTML_ReadsHTMLAlone(t *testing.T) {
	for contentType, want := range map[string]bool{
		"text/html": true, "TEXT/HTML ; x=y": true, "application/xhtml+xml": true, "": true,
		"text/plain": false, "application/pdf": false, "text/htmlx": false, "junk": false,
	} {
		p := HTML(pageURL(t), contentType, []string{"noarchive"}, []byte("<a href=x>"))
		if got := len(p.Links) == 1 && p.Charset != ""; got != want || !p.NoArchive {
			t.Errorf("%q: read %v, want %v", contentType, got, want)
		}
	}
	xhtml := []byte(`<html><head><script src="x"/><title/></head><body><a href="1"/></body></html>`)
	if got := texts(HTML(pageURL(t), "application/xhtml+xml", nil, xhtml)); !slices.Equal(got, []string{"/dir/1"}) {
		t.Errorf("links of XHTML %q, want /dir/1", got)
	}
}

// The whole against the standard's tree, a map and no short cuts.
func TestHTML_AgreesWithParser(t *testing.T) {
	bodies := [][]byte{samplePage()}
	for _, c := range html5libCases(t) {
		bodies = append(bodies, c.data)
	}
	for _, body := range bodies {
		got := texts(HTML(pageURL(t), htmlType, nil, body))
		slices.Sort(got)
		if want := plainLinks(t, body); !slices.Equal(got, want) {
			t.Errorf("links of %.200q are %q, want %q", body, got, want)
		}
	}
}

// plainLinks does what HTML does for links without base and directives.
func plainLinks(t *testing.T, body []byte) []string {
	links, seen := []string{}, map[string]bool{pageURL(t).String(): true}
	for _, fact := range seenByParser(t, body) {
		kind, href, _ := strings.Cut(fact, "=")
		switch kind {
		case "a", "area", "frame", "iframe", "refresh":
		default:
			continue
		}
		if u, err := pageURL(t).Resolve(href); err == nil && !seen[u.String()] {
			seen[u.String()] = true
			links = append(links, strings.TrimPrefix(u.String(), "http://www.example.com"))
		}
	}
	slices.Sort(links)
	return links
}

func FuzzHTML(f *testing.F) {
	for _, c := range scannerCases {
		f.Add("text/html", "noarchive", []byte(c))
	}
	f.Add("text/html; charset=shift_jis", "x: none", []byte("<a href='\x83\x5c?\xa6&eacute;'><title>\x82"))
	f.Add("text/html; charset=koi8-r", "", []byte("<base href=/\xc1/><link rel=canonical href=x><link rel='alternate' hreflang=de href=\xc2><svg><a xlink:href=y><title>\xc3</title></svg>"))
	f.Add("application/xhtml+xml", "", []byte("\xfe\xff\x00<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00x\x00>"))
	f.Fuzz(func(t *testing.T, contentType, xRobots string, body []byte) {
		u := pageURL(t)
		before := bytes.Clone(body)
		p := HTML(u, contentType, []string{xRobots}, body)
		if !bytes.Equal(body, before) {
			t.Error("the body was changed")
		}
		if len(p.Links) > MaxLinks || p.NoFollow && len(p.Links) > 0 {
			t.Errorf("%d links, nofollow %v", len(p.Links), p.NoFollow)
		}
		known := map[crawl.URL]bool{u: true}
		for _, l := range p.Links {
			if again, err := crawl.ParseURL(l.URL.String()); err != nil || again != l.URL {
				t.Errorf("link %q is not canonical: %q, %v", l.URL, again, err)
			}
			if known[l.URL] {
				t.Errorf("link %q is a repeat", l.URL)
			}
			known[l.URL] = true
		}
		if len(p.Title) > maxTitle || !utf8.ValidString(p.Title) || strings.ContainsFunc(strings.ReplaceAll(p.Title, " ", ""), blank) {
			t.Errorf("title %q", p.Title)
		}
		if len(p.Feeds) > MaxFeeds || len(p.Alternates) > MaxAlternates || p.NoFollow && len(p.Feeds)+len(p.Alternates) > 0 {
			t.Errorf("%d feeds, %d alternates, nofollow %v", len(p.Feeds), len(p.Alternates), p.NoFollow)
		}
		for _, v := range append([]crawl.URL{p.Canonical}, append(p.Feeds, p.Alternates...)...) {
			if again, err := crawl.ParseURL(v.String()); !v.IsZero() && (err != nil || again != v) {
				t.Errorf("%q is not canonical: %q, %v", v, again, err)
			}
		}
		if language([]byte(p.Language)) != p.Language {
			t.Errorf("language %q", p.Language)
		}
	})
}

// samplePage is a page of 49 kB with about a hundred links, most of them
// relative, a fifth of them repeats.
func samplePage() []byte {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>A page &amp; its links</title>" +
		"<link rel=\"stylesheet\" href=\"/s.css\"><script>var a = 1 < 2;\n" + strings.Repeat("function f() { return '<b>'; }\n", 60) + "</script></head>\n<body class=\"page\">\n")
	for i := 0; b.Len() < 49_000; i++ {
		fmt.Fprintf(&b, "<div class=\"section\" id=\"s%d\"><h2>Section %d</h2>\n<p>%s</p>\n<ul>", i, i, strings.Repeat("Some words about this and that. ", 11))
		for j, href := range []string{"/docs/part-%d/page.html", "chapter%d.html#top", "../index-%d/?a=1&amp;b=2", "https://other%d.example.org/path/to"} {
			fmt.Fprintf(&b, "<li class=\"item\"><a class=\"ref\" href=\""+href+"\" title='No. %d'><span>link</span></a><img src=\"/i/%d.png\" alt=\"\"></li>\n", i-i%5/4, j, i)
		}
		b.WriteString("</ul></div>\n")
	}
	b.WriteString("</body></html>\n")
	return b.Bytes()
}

func BenchmarkHTML(b *testing.B) {
	u, page := pageURL(b), samplePage()
	links := len(HTML(u, htmlType, nil, page).Links)
	// Of a legacy page every tenth letter or so is not ASCII.
	legacy := bytes.ReplaceAll(page, []byte("words"), []byte("w\xf6rds"))
	for _, c := range []struct {
		name, contentType string
		page              []byte
	}{
		{"utf8", htmlType, page}, {"declared", "text/html", page}, {"latin1", "text/html; charset=iso-8859-1", page},
		{"legacy", "text/html; charset=windows-1252", legacy},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.page)))
			b.ReportAllocs()
			for b.Loop() {
				p := HTML(u, c.contentType, nil, c.page)
				p.Release()
			}
			b.ReportMetric(float64(links), "links")
		})
	}
	// What splitting into tags costs with the tokenizer, for comparison.
	b.Run("tokenizer", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		b.ReportAllocs()
		for b.Loop() {
			for z := html.NewTokenizer(bytes.NewReader(page)); z.Next() != html.ErrorToken; {
			}
		}
	})
}
