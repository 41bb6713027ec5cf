package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// shortened returns URLs as text, blanks between them.
func shortened(list ...crawl.URL) string {
	var words []string
	for _, u := range list {
		words = append(words, strings.TrimPrefix(u.String(), "http://www.example.com"))
	}
	return strings.Join(words, " ")
}

func TestHTML_Canonical(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"plain", `<link rel=canonical href=/a>`, "/a"},
		{"another site", `<link rel="canonical" href="https://b.example:8443/x#y">`, "https://b.example:8443/x"},
		{"itself", `<link rel=canonical href=page.html>`, "/dir/page.html"},
		{"case and words", `<LINK REL="x  CANONICAL" HREF='/a?b&amp;c'>`, "/a?b&c"},
		{"first", `<link rel=canonical href=/a><link rel=canonical href=/b>`, "/a"},
		{"first that is one", `<link rel=canonical><link rel=canonical href=data:,x><link rel=canonical href="http://["><link rel=canonical href=/b>`, "/b"},
		{"base", `<link rel=canonical href=a><base href=/b/>`, "/b/a"},
		{"in the body", `<p><link rel=canonical href=/a>`, "/a"},
		{"nofollow", `<meta name=robots content=nofollow><link rel=canonical href=/a>`, "/a"},
		{"template", `<template><link rel=canonical href=/a></template>`, ""},
		{"drawing", `<svg><link rel=canonical href=/a></svg>`, ""},
		{"comment", `<!--<link rel=canonical href=/a>-->`, ""},
		{"other rel", `<link rel=canonicals href=/a><link rel=next href=/b><link href=/c><a rel=canonical href=/d>`, ""},
		{"too long", `<link rel=canonical href="/` + strings.Repeat("x", 9000) + `">`, ""},
	} {
		p := HTML(pageURL(t), htmlType, nil, []byte(c.body))
		if got := shortened(p.Canonical); got != c.want {
			t.Errorf("%s: canonical %q, want %q", c.name, got, c.want)
		}
		if strings.Contains(shortened(linkURLs(p)...), "/a") {
			t.Errorf("%s: it is a link, too: %v", c.name, p.Links)
		}
	}
}

func linkURLs(p Page) (list []crawl.URL) {
	for _, l := range p.Links {
		list = append(list, l.URL)
	}
	return list
}

func TestHTML_FeedsAndAlternates(t *testing.T) {
	for _, c := range []struct{ name, body, feeds, alternates string }{
		{"RSS", `<link rel=alternate type=application/rss+xml href=/f>`, "/f", ""},
		{"Atom", `<link rel="Alternate" type=" Application/Atom+XML ; charset=utf-8" title="x" href="f?a&amp;b">`, "/dir/f?a&b", ""},
		{"several", `<link rel=alternate type=application/rss+xml href=/f><link rel=alternate type=application/atom+xml href=/g><link rel=alternate type=application/rss+xml href="/f#x">`, "/f /g", ""},
		{"feed in a language", `<link rel=alternate hreflang=de type=application/rss+xml href=/f>`, "/f", ""},
		{"JSON", `<link rel=alternate type=application/feed+json href=/f><link rel=alternate type=application/json href=/g>`, "", ""},
		{"other types", `<link rel=alternate type=text/xml href=/f><link rel=alternate type=application/json+oembed hreflang=de href=/g>`, "", ""},
		{"no rel", `<link type=application/rss+xml href=/f><a rel=alternate type=application/rss+xml href=/g>`, "", ""},
		{"style", `<link rel="alternate stylesheet" hreflang=de href=/f>`, "", ""},
		{"languages", `<link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=x-default href=//b.example/><link rel="alternate" type="text/html" hreflang="fr" href="/fr">`, "", "/de http://b.example/ /fr"},
		{"no language", `<link rel=alternate href=/m media=handheld>`, "", "/m"},
		{"itself", `<link rel=alternate hreflang=en href=""><link rel=alternate hreflang=en href=page.html>`, "", ""},
		{"both", `<link rel="canonical alternate" hreflang=de href=/de>`, "", "/de"},
		{"nofollow", `<link rel="alternate nofollow" hreflang=de href=/de>`, "", ""},
		{"page says nofollow", `<link rel=alternate hreflang=de href=/de><link rel=alternate type=application/rss+xml href=/f><meta name=robots content=nofollow>`, "", ""},
		{"base", `<link rel=alternate hreflang=de href=de><link rel=alternate type=application/rss+xml href=f><base href=//b.example/>`, "http://b.example/f", "http://b.example/de"},
		{"template", `<template><link rel=alternate hreflang=de href=/de></template>`, "", ""},
	} {
		p := HTML(pageURL(t), htmlType, nil, []byte(c.body))
		if feeds, alternates := shortened(p.Feeds...), shortened(p.Alternates...); feeds != c.feeds || alternates != c.alternates {
			t.Errorf("%s: feeds %q, alternates %q, want %q and %q", c.name, feeds, alternates, c.feeds, c.alternates)
		}
	}
}

func TestHTML_FeedsAndAlternatesAreBounded(t *testing.T) {
	var body strings.Builder
	for i := range 250 {
		fmt.Fprintf(&body, "<link rel=alternate hreflang=de href=/%d><link rel=alternate type=application/rss+xml href=/f%d>", i, i)
	}
	p := HTML(pageURL(t), htmlType, nil, []byte(body.String()))
	if len(p.Feeds) != MaxFeeds || len(p.Alternates) != MaxAlternates || p.Alternates[MaxAlternates-1].Path() != "/199" {
		t.Errorf("%d feeds and %d alternates, want %d and %d", len(p.Feeds), len(p.Alternates), MaxFeeds, MaxAlternates)
	}
	if p = HTML(pageURL(t), htmlType, nil, []byte("x")); len(p.Feeds)+len(p.Alternates) > 0 || !p.Canonical.IsZero() {
		t.Errorf("the next page has %v, %v and %v", p.Feeds, p.Alternates, p.Canonical)
	}
}
