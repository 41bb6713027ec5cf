package replay

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

func parseURL(t testing.TB, s string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

var notWord = regexp.MustCompile(`\W`)

// stored is an archive that has everything on a.test whose name does not begin with "no".
func stored(p Part) string {
	name, ok := strings.CutPrefix(p.URL, "http://a.test/")
	if !ok || strings.HasPrefix(name, "no") || p.Kind == Other {
		return ""
	}
	return "p/" + notWord.ReplaceAllString(name, "-")
}

var everything = Places{Part: stored, Link: "to?"}

func TestPage_Rewrite(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain markup", `<!DOCTYPE html><html lang=en><title>A &amp; B</title><p class="x y">a<br>b &lt; c</p>`,
			`<!DOCTYPE html><html lang="en"><title>A &amp; B</title><p class="x y">a<br>b &lt; c</p>`},
		{"old doctype", "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">x", "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">x"},
		{"script", `a<script>alert("<p>")</script>b<SCRIPT SRC=//e.test></SCRIPT>c`, "abc"},
		{"script without end", `a<script>b<p>c`, "a"},
		{"noscript", `<noscript><img src=/i.png></noscript>`, `<img src="p/i-png">`},
		{"handlers", `<a onclick="x()" ONLOAD=x href=b>c</a><body onload=x>`, `<a href="to?http://a.test/dir/b">c</a><body>`},
		{"comments", `a<!-- <p> -->b<!--[if IE]><p>c<![endif]-->d<![CDATA[e]]>f<?php g ?>h`, "abdfh"},
		{"embedded", `<iframe src=x><p>y</iframe><embed src=x><object data=x><param name=x><p>instead</object><applet>z</applet>`, `<p>instead` + `z`},
		{"frames", `<frameset cols=1><frame src=/menu?a=1&amp;b=2><frame></frameset>`, `<p><a href="to?http://a.test/menu?a=1&amp;b=2">/menu?a=1&amp;b=2</a></p>`},
		{"base", `<img src=i><base href="http://a.test/x/" target=_top><base href="/y/"><img src=i>`, `<img src="p/x-i"><img src="p/x-i">`},
		{"base elsewhere", `<base href="http://b.test/"><img src=i><a href=#x>y</a>`, `<img><a href="#x">y</a>`},
		{"meta", `<meta charset=x><meta http-equiv=refresh content="0;url=//e.test"><meta name=viewport content=w><meta name=Referrer content=x><meta property=og:image content=x>`,
			`<meta name="viewport" content="w">`},
		{"links to sheets", `<link rel="StyleSheet" media=print href=/a.css onload=x integrity=y><link rel=stylesheet href=/no.css><link rel="alternate stylesheet" href=/b.css>` +
			`<link rel=preload href=/c><link rel=icon href=/d><link rel=dns-prefetch href=//e.test><link rel=stylesheet>`,
			`<link media="print" rel="stylesheet" href="p/a-css">`},
		{"pictures", `<img src=/i.png alt="An &quot;i&quot;" crossorigin><img src=/no.png alt=x><input type=IMAGE src=/b><input src=/c><video poster=/p src=v.mp4 autoplay></video>`,
			`<img src="p/i-png" alt="An &#34;i&#34;"><img alt="x"><input type="IMAGE" src="p/b"><input><video poster="p/p"></video>`},
		{"backgrounds", `<body background=/b><td background=//e.test/x><p background=/b>`, `<body background="p/b"><td><p>`},
		{"data", `<img src="data:image/png;base64,AA=="><img src="data:text/html,x"><a href="data:text/html,x">y</a>`, `<img src="data:image/png;base64,AA=="><img><a>y</a>`},
		{"sets of pictures", `<img srcset="/a.png 1x, /no.png 2x,/c.png 3x"><picture><source srcset="/no 1x"></picture><p srcset=/a>`,
			`<img srcset="p/a-png 1x, p/c-png 3x"><picture><source></picture><p>`},
		{"links", `<a href="?q=1&r=2">a</a><a href=" //b.test/x#y z">b</a><a href="#top">c</a><a href="/dir/page#here">d</a><a href=mailto:x>e</a>` +
			`<a href="java&#10;script:x" target=_top ping=//e.test download>f</a><a href="">g</a><area href=/m>`,
			`<a href="to?http://a.test/dir/page?q=1&amp;r=2">a</a><a href="to?http://b.test/x#y%20z">b</a><a href="#top">c</a><a href="#here">d</a><a>e</a>` +
				`<a>f</a><a>g</a><area href="to?http://a.test/m">`},
		{"links with escapes", `<a href="/it's/100%25">a</a>`, `<a href="to?http://a.test/it%27s/100%2525">a</a>`},
		{"forms", `<form action=//e.test method=post target=x><input name=a autofocus><button formaction=//e.test>b</button></form>`,
			`<form method="post"><input name="a"><button>b</button></form>`},
		{"style attribute", `<p style="color:red;background:url('/b.png')" class=x>`, `<p style="color:red;background:url(&#34;p/b-png&#34;)" class="x">`},
		{"style element", `<style media=screen>p{background:url(/b.png)}</style>`, `<style media="screen">p{background:url("p/b-png")}</style>`},
		{"text elements", `<textarea><p>a</textarea><xmp><b>&amp;</xmp><plaintext><i>&`, `<textarea>&lt;p>a</textarea><pre>&lt;b&gt;&amp;amp;</pre><pre>&lt;i&gt;&amp;`},
		{"svg", `<svg viewBox="0 0 1 1"><path d=M0 /><use xlink:href="#a"/><use href="x.svg#a"/><image href=/i /><a xlink:href=/l>t</a><rect fill="url(#g)" filter=url(//e.test#f) /></svg>`,
			`<svg viewbox="0 0 1 1"><path d="M0"/><use xlink:href="#a"/><use/><image href="p/i"/><a xlink:href="to?http://a.test/l">t</a>` +
				`<rect fill="url(&#34;#g&#34;)" filter="url(&#34;data:,&#34;)"/></svg>`},
		{"svg moves", `<svg><a><set attributeName=href to=//e.test /><animate attributeName=href values=x /></a><script/>b<title/>c</svg>`,
			`<svg><a></a>b<title></title>c</svg>`},
		{"odd names", "<p a<b=c \x00onclick=x on\x00click=y =z o/nload=x>d<p\x00q r>e", `<p o="" nload="x">de`},
		{"an end that is none", "a<p title=\"b", "a"},
		{"no web page", `<a href="ftp://x/">a</a><a href="http://[">b</a><img src="blob:x"><img src="file:///etc/passwd">`, `<a>a</a><a>b</a><img><img>`},
	} {
		got := Page{URL: parseURL(t, "http://a.test/dir/page"), Text: []byte(c.in)}.Rewrite(everything)
		if string(got) != c.want {
			t.Errorf("%s:\n%s\nbecomes\n%s\nwant\n%s", c.name, c.in, got, c.want)
		}
		if err := checkPage(got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestPage_XHTML(t *testing.T) {
	p := Page{URL: parseURL(t, "http://a.test/"), XML: true, Text: []byte(`<html><script src="x"/><title/><p/><br/><a id="x"/>text</html>`)}
	if got, want := string(p.Rewrite(everything)), `<html><title></title><p></p><br/><a id="x"></a>text</html>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What a page needs is named once and in order, and no more of it than there may be.
func TestPage_Parts(t *testing.T) {
	p := Page{URL: parseURL(t, "http://a.test/"), Text: []byte(`<link rel=stylesheet href=a.css><img src=i><img src=i srcset="i 1x, j 2x"><style>@import "b.css";` +
		`@font-face{src:url(f)}p{background:url(k)}</style><video src=v></video><iframe src=w></iframe><p style="background:url(k)">`)}
	var got []string
	for _, part := range p.Parts().List {
		got = append(got, string(part.Kind)+" "+strings.TrimPrefix(part.URL, "http://a.test/"))
	}
	if want := []string{"style a.css", "image i", "image j", "style b.css", "font f", "image k", "other v", "other w"}; !slices.Equal(got, want) {
		t.Errorf("parts %q, want %q", got, want)
	}
	var many strings.Builder
	for i := range MaxParts + 7 {
		fmt.Fprintf(&many, "<img src=%d>", i)
	}
	if parts := (Page{URL: p.URL, Text: []byte(many.String())}).Parts(); len(parts.List) != MaxParts || parts.More != 7 {
		t.Errorf("%d parts, %d more", len(parts.List), parts.More)
	}
}

func TestSheet_Rewrite(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"rules", "a:hover > b { color: #fff; margin: -1px 50% }\n", "a:hover > b { color: #fff; margin: -1px 50% }\n"},
		{"addresses", `a{b:url(x.png) url("y.png") URL( '/no.png' )}`, `a{b:url("p/css-x-png") url("p/css-y-png") url("data:,")}`},
		{"elsewhere", `a{b:url(//e.test/x) url(http://e.test) url(javascript:x)}`, `a{b:url("data:,") url("data:,") url("data:,")}`},
		{"escapes", `a{b:u\72l(//e.test) \75 \72 \6c (//e.test) u\000052l("\68ttp://e.test") ur\l(//e.test)}`,
			`a{b:url("data:,") url("data:,") url("data:,") url("data:,")}`},
		{"fragments and data", `a{b:url(#f) url(data:image/gif;base64,AA) url(data:text/html,x)}@font-face{src:url(data:font/woff,x)}`,
			`a{b:url("#f") url("data:image/gif;base64,AA") url("data:,")}@font-face{src:url("data:font/woff,x")}`},
		{"imports", `@charset "x";@import "a.css" screen;@IMPORT url(/b.css);@import/**/'/no.css' layer(x);@\69mport "//e.test";@import foo;a{}`,
			`@x-charset "x";@import url("p/css-a-css") screen;@import url("p/b-css");@x-import "" layer(x);@x-import "";@x-import ""foo;a{}`},
		{"namespace", `@namespace svg url(http://www.w3.org/2000/svg);`, `@namespace svg "http://www.w3.org/2000/svg";`},
		{"sets", `a{b:image-set("x" 1x,url(y) type("image/png") 2x);c:-webkit-image-set('/no' 1x);d:foo("x")}`,
			`a{b:image-set("p/css-x" 1x,url("p/css-y") type("image/png") 2x);c:-webkit-image-set("data:," 1x);d:foo("x")}`},
		{"comments", "a/* url(x) */b{c:ur/**/l(x)}/* no end", "a/**/b{c:ur/**/l(x)}/**/"},
		{"strings", `a{content:"</style><p>\a\"&amp;";b:'it\'s'}`, `a{content:"\3c /style\3e \3c p\3e \a \22 \26 amp;";b:"it's"}`},
		{"a string that ends with its line", "a{b:\"c\nd:url(//e.test)}", "a{b:\"c\nd:url(\"data:,\")}"},
		{"markup", `<!-- a --> </style><p>`, `  a   < /style>< p>`},
		{"ranges", `@media (400px<=width< 700px){a&.b{c:d}&b{e:f}}`, `@media (400px<=width< 700px){a&.b{c:d}&/**/b{e:f}}`},
		{"names with escapes", `.md\:w-1\/2\<\/style\&amp{}`, `.md\:w-1\/2\3c \/style\26 amp{}`},
		{"bad addresses", `a{b:url(x y) url(x"y) url(x(y) c}`, `a{b:url("p/css-x") url("data:,") url("data:,") c}`},
		{"no end", `a{b:url(x`, `a{b:url("p/css-x")`},
		{"no end of a string", `a{b:url("x`, `a{b:url("p/css-x")`},
		{"zero", "u\x00rl(//e.test)", "u\uFFFDrl(//e.test)"},
		{"the last backslash", `a{b:url(x\`, `a{b:url("data:,")`},
		{"a line that goes on", "a{b:\"x\\\ny\\\r\nz\"}", `a{b:"xyz"}`},
	} {
		got := Sheet{parseURL(t, "http://a.test/css/main.css"), c.in}.Rewrite(everything)
		if got != c.want {
			t.Errorf("%s:\n%q\nbecomes\n%q\nwant\n%q", c.name, c.in, got, c.want)
		}
		if err := checkSheet(got); err != nil && c.name != "zero" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A result has a bound, however much longer addresses become.
func TestRewrite_IsBounded(t *testing.T) {
	u := parseURL(t, "http://a.test/"+strings.Repeat("long/", 300))
	long := Places{Part: func(Part) string { return strings.Repeat("p", 20_000) }, Link: "to?"}
	for _, piece := range []string{"<a href=x>", "<img src=x>", "<<", `<p title='"""'>`, "<a/>", `<p style="b:url(x)">`, `<img srcset="x 1x,x 2x">`, "<svg><title/>", "<xmp>&</xmp>"} {
		text := []byte(strings.Repeat(piece, 1<<15/len(piece)))
		for _, xml := range []bool{false, true} {
			if got := (Page{URL: u, XML: xml, Text: text}).Rewrite(long); len(got) > 2*len(text)+Slack {
				t.Errorf("%s: %d bytes become %d", piece, len(text), len(got))
			}
		}
	}
	for _, piece := range []string{"a{b:url(x)}", `@import "x";`, `"((("`, "&a"} {
		text := strings.Repeat(piece, 1<<15/len(piece))
		if got := (Sheet{u, text}).Rewrite(long); len(got) > 2*len(text)+Slack {
			t.Errorf("%s: %d bytes become %d", piece, len(text), len(got))
		}
	}
}
