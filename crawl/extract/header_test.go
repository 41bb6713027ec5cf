package extract

import (
	"fmt"
	"strings"
	"testing"
)

// withHeaders returns a page of that body and headers.
func withHeaders(t testing.TB, body string, refresh, link []string) Page {
	t.Helper()
	p := HTML(pageURL(t), htmlType, nil, []byte(body))
	p.AddHeaders(pageURL(t), refresh, link)
	return p
}

func TestPage_AddHeaders_Refresh(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"0; url=/new", "/new"}, {"0;URL='new'", "/dir/new"}, {`5 ; Url = "/a b"x`, "/a%20b"}, {"0,/new", "/new"}, {"0 /new", "/new"}, {"  3;url=http://b.example/x#y", "http://b.example/x"},
		{".5;url=/new", "/new"}, {"1.5.2; /new", "/new"}, {"0;url", "/dir/url"}, {"0; urls=1", "/dir/urls=1"}, {"0; url==x", "/dir/=x"}, {"0;url=?a=1;b=2,c", "/dir/page.html?a=1;b=2,c"},
		{"", ""}, {"0", ""}, {"5;", ""}, {"; url=/new", ""}, {"x; url=/new", ""}, {"-1; url=/new", ""}, {"0x; url=/new", ""}, {"url=/new", ""},
		{"0; url=page.html", ""}, {"0; url=javascript:go()", ""}, {"0; url=http://[", ""}, {"0; url=''", ""}, {"0; url='/new", "/new"},
	} {
		if got := strings.Join(texts(withHeaders(t, "<base href=/b/>", []string{c.value}, nil)), " "); got != c.want {
			t.Errorf("Refresh: %s leads to %q, want %q", c.value, got, c.want)
		}
	}
}

func TestPage_AddHeaders_Link(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"one", `</p2>; rel=next`, "/p2"},
		{"kinds", `</c>; rel="canonical", </p>; rel=prev, </n>;rel="next"`, "/p /n canonical /c"},
		{"commas", `</logo,1.png>; rel="image_src", <http://www.example.com/canon>; rel="canonical"; title="a, <b>; rel=next", </p2>; rel=next`, "/p2 canonical /canon"},
		{"relative", `<../up>; rel=up, <?p=2>; rel=next, <x>; rel=first, <//b.example/>; rel=last`, "/up /dir/page.html?p=2 /dir/x http://b.example/"},
		{"case and blanks", "  < /n > ;\tREL = \"x  NEXT\" ; Title=x ,, ,</p>;rel=Prev", "/n /p"},
		{"two types", `</n>; rel="next canonical"`, "/n canonical /n"},
		{"language", `</de>; rel="alternate"; hreflang="de", </fr>; hreflang=fr; rel=alternate; type="text/html; charset=utf-8"`, "alternate /de alternate /fr"},
		{"feed", `</f>; rel=alternate; type="application/rss+xml"; title="\"News\", all", </g>;rel=alternate;type=application/atom+xml`, "feed /f feed /g"},
		{"other types", `</wp-json/>; rel="https://api.w.org/", </j>; rel="alternate"; type="application/json", </?p=5>; rel=shortlink, </s.css>; rel=preload; as=style, </s>; rel=stylesheet`, ""},
		{"first rel counts", `</n>; rel=next; rel=stylesheet, </s>; rel=stylesheet; rel=next`, "/n"},
		{"anchor elsewhere", `</c>; rel=canonical; anchor="/other", </n>; rel=next; anchor="http://b.example/"`, ""},
		{"anchor in the page", `</c>; rel=canonical; anchor="#part", </n>; anchor="page.html#x"; rel=next`, ""},
		{"anchor is the page", `</c>; rel=canonical; anchor="", </n>; rel=next; anchor=page.html`, "/n canonical /c"},
		{"escapes", `</n>; title="\\"; rel="ne\xt"`, "/n"},
		{"no value", `</n>; crossorigin; rel=next, </p>; rel; x, </q>`, "/n"},
		{"no link", `/n; rel=next, "x, </no>; rel=next", </p>; rel=prev`, "/p"},
		{"garbage behind a link", `</n>; rel=next x, </p> "a, b" ; rel=prev, </q>; rel=prev`, "/n /q"},
		{"without an end", `</p>; rel=prev, </n; rel=next`, "/p"},
		{"quote without an end", `</p>; rel=prev, </n>; title="x; rel=next, </q>; rel=next`, "/p"},
		{"quoted target", `"</n>"; rel=next`, ""},
		{"itself", `<page.html>; rel=next, <#x>; rel=prev, <>; rel=canonical`, "canonical /dir/page.html"},
		{"other schemes", `<mailto:x@y>; rel=author, <data:,x>; rel=canonical, <urn:x>; rel=alternate`, ""},
		{"nofollow", `</n>; rel="next nofollow"`, ""},
		{"rev", `</n>; rev=next`, ""},
		{"first canonical", `</a>; rel=canonical, </b>; rel=canonical`, "canonical /a"},
	} {
		p := withHeaders(t, "<base href=/b/>", nil, []string{c.value})
		if got := said(p); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// said returns what a page says of other pages.
func said(p Page) string {
	words := texts(p)
	for _, u := range p.Alternates {
		words = append(words, "alternate", shortened(u))
	}
	for _, u := range p.Feeds {
		words = append(words, "feed", shortened(u))
	}
	if !p.Canonical.IsZero() {
		words = append(words, "canonical", shortened(p.Canonical))
	}
	return strings.Join(words, " ")
}

func TestPage_AddHeaders_BesideTheBody(t *testing.T) {
	for _, c := range []struct {
		name, body    string
		refresh, link []string
		want          string
	}{
		{"several fields", "", []string{"0;url=/a", "0;url=/b"}, []string{"</c>; rel=next", "</d>; rel=prev"}, "/a /b /c /d"},
		{"repeats", "<a href=/a><a href=/n rel=nofollow>", []string{"0;url=/a"}, []string{"</n>; rel=next, </n>; rel=last"}, "/a /n"},
		{"canonical of the body wins", "<link rel=canonical href=/a>", nil, []string{"</b>; rel=canonical"}, "canonical /a"},
		{"page says nofollow", "<meta name=robots content=nofollow>", []string{"0;url=/a"}, []string{"</n>; rel=next, </de>; rel=alternate, </f>; rel=alternate; type=application/rss+xml, </c>; rel=canonical"}, "canonical /c"},
		{"alternates once", "<link rel=alternate hreflang=de href=/de>", nil, []string{"</de>; rel=alternate; hreflang=de"}, "alternate /de"},
		{"none", "<a href=/a>", nil, nil, "/a"},
	} {
		if got := said(withHeaders(t, c.body, c.refresh, c.link)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPage_AddHeaders_IsBounded(t *testing.T) {
	var link strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&link, "</%d>; rel=next, </a%d>; rel=alternate,", i, i)
	}
	p := withHeaders(t, "", nil, []string{link.String(), link.String()})
	if n := len(p.Links) + len(p.Alternates); n != maxHeaderLinks {
		t.Errorf("%d links of headers, want %d", n, maxHeaderLinks)
	}
}

func FuzzLinkHeader(f *testing.F) {
	f.Add(`</a,b>; rel="next \" x"; anchor=#y, <c>;rel=canonical`, "0; url='/x")
	f.Add(`<<>>;;==,"",<`, ".;,url=")
	f.Fuzz(func(t *testing.T, link, refresh string) {
		p := withHeaders(t, "<a href=/a>", []string{refresh}, []string{link})
		if len(p.Links) > 2+maxHeaderLinks {
			t.Errorf("%d links", len(p.Links))
		}
		again := withHeaders(t, "<a href=/a>", []string{refresh}, []string{link, link})
		if again.Canonical != p.Canonical || len(link) < 1000 && said(again) != said(p) {
			t.Errorf("%q said twice is %q, once %q", link, said(again), said(p))
		}
	})
}
