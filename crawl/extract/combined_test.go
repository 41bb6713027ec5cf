package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// reading is how a context reads what is in it.
type reading uint8

const (
	asText    reading = iota // no tags
	asHTML                   // all tags
	asForeign                // SVG or MathML: of links, only a
)

// contexts are what a link may be in, to be followed by more of a page.
var contexts = []struct {
	before, after string
	reading
	// without is what must not be in a link for this to be one context: it ends
	// it.
	without string
}{
	{"", "", asHTML, ""},
	{"<p>x < y <b>", "", asHTML, ""},
	{"<table><tr><td>", "</table>", asHTML, ""},
	{"<table><tr>", "</table>", asHTML, ""},
	{"<div><p><b><i>", "</div></b>", asHTML, ""},
	{"<ul><li>", "</ol>", asHTML, ""},
	{"</p></br></div>", "", asHTML, ""},
	{"<noscript>", "</noscript>", asHTML, ""},
	{"<template>", "</template>", asHTML, ""},
	{"<template><div><template>", "</template></template>", asHTML, ""},
	{"<template><template>", "", asHTML, ""},
	{"<svg><foreignObject>", "</foreignObject></svg>", asHTML, ""},
	{"<svg><title>", "</title></svg>", asHTML, ""},
	{"<svg><g><desc>", "</desc></g></svg>", asHTML, ""},
	{"<math><mi>", "</mi></math>", asHTML, ""},
	{"<math><annotation-xml encoding='text/html'>", "</annotation-xml></math>", asHTML, ""},
	{"<svg><style/><title/></svg>", "", asHTML, ""},
	{"<svg><path><div>", "</div>", asHTML, ""},
	{"<svg/>", "", asHTML, ""},
	{"<style></style><script></script><title></title>", "", asHTML, ""},
	{"<!-->", "", asHTML, ""},
	{"<!--->", "", asHTML, ""},
	{"<!----!>", "", asHTML, ""},
	{"<!doctype html>", "", asHTML, ""},
	{"<?php ?>", "", asHTML, ""},
	{"<![CDATA[>", "]]>", asHTML, ""},
	{"<script><!--<script></script>--></script>", "", asHTML, ""},
	{"<svg>", "</svg>", asForeign, ""},
	{"<svg><g>", "</g></svg>", asForeign, ""},
	{"<svg><style>", "</style></svg>", asForeign, ""},
	{"<math><mrow>", "</mrow></math>", asForeign, ""},
	{"<svg><title><svg>", "</svg></title></svg>", asForeign, ""},
	{"<!-- ", " -->", asText, ""},
	{"<!-- > -- > ", " --!>", asText, ""},
	{"<script>", "</script>", asText, ""},
	{"<script>var s = '", "';</SCRIPT >", asText, ""},
	{"<script><!-- ", " --></script>", asText, ""},
	{"<script><!-- <script> ", " </script> --></script>", asText, ""},
	{"<style>", "</style>", asText, ""},
	{"<STYLE type=x>", "</style/>", asText, ""},
	{"<textarea>", "</textarea>", asText, ""},
	{"<title>", "</title>", asText, ""},
	{"<xmp>", "</xmp>", asText, ""},
	{"<noembed>", "</noembed>", asText, ""},
	{"<noframes>", "</noframes>", asText, ""},
	{"<iframe>", "</iframe>", asText, "</iframe"},
	{"<svg><![CDATA[", "]]></svg>", asText, ""},
	{"<math><![CDATA[ > ", " ]]></math>", asText, ""},
	{`<p title="`, `">`, asText, `"`},
	{`<p title='`, `'>`, asText, `'`},
	{`<p title = "`, `"x>`, asText, `"`},
	{`</p title="`, `">`, asText, `"`},
}

// constructs are links to "K", as a page may write them, and what they mean.
var constructs = []struct {
	text, href string
	element    string
}{
	{`<a href="K">`, "K", "a"},
	{`<a href='K'>`, "K", "a"},
	{`<a href=K>`, "K", "a"},
	{`<A HREF=K>`, "K", "a"},
	{"<a\n\thref\f=\r\nK >", "K", "a"},
	{`<a/href=K>`, "K", "a"},
	{`<a / href=K / >`, "K", "a"},
	{`<a href=K/>`, "K/", "a"},
	{`<a href="K"/>`, "K", "a"},
	{`<a href="K"rel=x>`, "K", "a"},
	{`<a x="1"href='K'>`, "K", "a"},
	{`<a title="a>b" href=K>`, "K", "a"},
	{`<a title='"' href="K">`, "K", "a"},
	{`<a title="'" href='K'>`, "K", "a"},
	{`<a = href=K>`, "K", "a"},
	{`<a =x href=K>`, "K", "a"},
	{`<a href=K href=no>`, "K", "a"},
	{`<a href="K?a=1&amp;b=2">`, "K?a=1&b=2", "a"},
	{`<a href="K?a=1&b=2&copy=3">`, "K?a=1&b=2&copy=3", "a"},
	{`<a href="K&#47;x&#x2F;y">`, "K/x/y", "a"},
	{`<a href=" K&Tab;&NewLine; ">`, "K", "a"},
	{`<a href="K&notanentity;&#;">`, "K&notanentity;&", "a"},
	{`<a href=K"x>`, `K"x`, "a"},
	{`<a href=K><b></a>`, "K", "a"},
	{`<area href=K>`, "K", "area"},
	{`<area shape=rect coords="0,0" href="K">`, "K", "area"},
	{`<iframe src=K></iframe>`, "K", "iframe"},
	{`<frame src='K'>`, "K", "frame"},
	{`<meta http-equiv=refresh content="0;url=K">`, "K", "meta"},
	{`<img src=no longdesc=K>`, "K", "img"},
	{`<object data="K"></object>`, "K", "object"},
	{`<embed src=K type=text/html>`, "K", "embed"},
	{`<blockquote cite=K></blockquote>`, "K", "blockquote"},
	{`<q cite='K'></q>`, "K", "q"},
	{`<ins cite=K></ins>`, "K", "ins"},
	{`<del datetime=2025-01-01 cite=K></del>`, "K", "del"},
	{`<iframe longdesc=K></iframe>`, "K", "iframe"},
	{`<a hreflang=K>`, "", ""},
	{`<a>`, "", ""},
	{`<link href=K>`, "", ""},
	{`<img src=K srcset="K 2x">`, "", ""},
	{`<a href>`, "", ""},
	{`<ab href=K>`, "", ""},
	{`< a href=K>`, "", ""},
}

// Every link in every context: what must be found follows from the two.
func TestHTML_FindsLinksInContexts(t *testing.T) {
	cases, seen := 0, map[string]bool{}
	for _, context := range contexts {
		for _, c := range constructs {
			if context.without != "" && strings.Contains(c.text, context.without) {
				continue
			}
			cases++
			href := fmt.Sprintf("/k%d", cases)
			link := strings.ReplaceAll(c.text, "K", href)
			page := context.before + link + context.after + "<a href=/end>"
			if seen[context.before+c.text+context.after] {
				t.Errorf("%q twice", page)
			}
			seen[context.before+c.text+context.after] = true
			want := []string{"/end"}
			if c.href != "" && readIn(context.reading, c.element, context.before) {
				u, err := pageURL(t).Resolve(strings.ReplaceAll(c.href, "K", href))
				if err != nil {
					t.Fatal(err)
				}
				want = []string{u.Path(), "/end"}
			}
			got := texts(HTML(pageURL(t), htmlType, nil, []byte(page)))
			if !slices.Equal(got, want) {
				t.Errorf("links of %q are %q, want %q", page, got, want)
			}
			agreeInContext(t, page, c.element)
		}
	}
	if cases < 350 {
		t.Errorf("%d cases, want 350", cases)
	}
}

// readIn reports whether an element is a link in a context.
func readIn(how reading, element, before string) bool {
	switch {
	case how == asText, how == asForeign && !slices.Contains([]string{"a", "blockquote", "embed", "img", "meta"}, element):
		return false
	case element == "meta":
		return !strings.Contains(before, "<template>")
	}
	return true
}

// agreeInContext checks that the construction says what the tree does, where
// it may: frames are dropped from it.
func agreeInContext(t *testing.T, page, element string) {
	t.Helper()
	if element != "frame" {
		agreeWithParser(t, "", []byte(page))
	}
}

// A page may end anywhere: a link counts once its tag has ended.
func TestHTML_FindsLinksOfTruncatedPages(t *testing.T) {
	for _, context := range contexts {
		if context.reading == asText {
			continue
		}
		for _, link := range []string{`<a href="/k?a&amp;b">`, `<a href=/k?a&#x26;b title='x'>`} {
			page := context.before + link
			for n := range len(page) + 1 {
				want := []string{}
				if n == len(page) {
					want = []string{"/k?a&b"}
				}
				if got := texts(HTML(pageURL(t), htmlType, nil, []byte(page[:n]))); !slices.Equal(got, want) {
					t.Errorf("links of %q are %q, want %q", page[:n], got, want)
				}
			}
		}
	}
}
