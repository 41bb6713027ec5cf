package replay

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/forage-net/forage/crawl"
)

// ours is what any address in a result may be.
var ours = regexp.MustCompile(`(?is)^(p/[-\w]*|#.*|to\?https?://[^"<>\s]*|data:,|data:(image|font|application)/.*)$`)

// addresses are the attributes that browsers follow, load or send to.
var addresses = set("href src srcset poster background action formaction data cite ping manifest codebase longdesc usemap imagesrcset " +
	"lowsrc dynsrc archive classid profile icon srcdoc attributionsrc xlink:href xml:base")

// forbidden are elements that no result has.
var forbidden = set("script object embed applet iframe frame frameset portal fencedframe base animate set param noscript noembed noframes")

// checkPage reads a result as browsers do and says what of it they must not get.
func checkPage(page []byte) error {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return err
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			if err := checkElement(n); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkElement(n *html.Node) error {
	if forbidden[n.Data] {
		return fmt.Errorf("there is an element %s", n.Data)
	}
	for _, a := range n.Attr {
		key := strings.TrimPrefix(a.Namespace+":"+a.Key, ":")
		switch {
		case strings.HasPrefix(a.Key, "on") || key == "http-equiv" || key == "target":
			return fmt.Errorf("%s has an attribute %s", n.Data, key)
		case key == "srcset":
			for one := range strings.SplitSeq(a.Val, ", ") {
				if one, _, _ = strings.Cut(one, " "); !ours.MatchString(one) {
					return fmt.Errorf("%s leads to %q", n.Data, a.Val)
				}
			}
		case addresses[key] && !ours.MatchString(a.Val):
			return fmt.Errorf("%s of %s leads to %q", key, n.Data, a.Val)
		case key == "style" || painted[key]:
			if err := checkSheet(a.Val); err != nil {
				return err
			}
		}
	}
	if n.Data == "style" && n.FirstChild != nil {
		return checkSheet(n.FirstChild.Data)
	}
	return nil
}

var (
	addressOfCSS = regexp.MustCompile(`(?i)(?:^|[^-@#\w\x{80}-\x{10ffff}])url\(\s*["']?([^"')]*)|@import\s+["']([^"']*)|(?:image-set|src|image)\(\s*["']([^"']*)`)
	tagOfHTML    = regexp.MustCompile(`(?i)<[a-z/!?]`)
)

func checkSheet(sheet string) error {
	if tagOfHTML.MatchString(sheet) {
		return fmt.Errorf("a tag in %q", sheet)
	}
	for _, m := range addressOfCSS.FindAllStringSubmatch(sheet, -1) {
		if address := m[1] + m[2] + m[3]; !ours.MatchString(unescapeCSS(address)) {
			return fmt.Errorf("%q leads to %q", sheet, address)
		}
	}
	return nil
}

func unescapeCSS(s string) string {
	c := css{in: s}
	var b strings.Builder
	for c.i < len(c.in) {
		if c.startsEscape(c.i) {
			b.WriteRune(c.readEscape())
		} else {
			b.WriteByte(c.in[c.i])
			c.i++
		}
	}
	return b.String()
}

// hostile is what people have tried against programs like this one.
var hostile = []string{
	`<svg><style><img src=x onerror=alert(1)></style></svg>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	`<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`<template><script>x</script><img src=//e.test></template><template shadowrootmode=open><style>:host{background:url(//e.test)}</style></template>`,
	`<style>@import '//e.test';a{b:u\72l(//e.test)}</style><style><!--</style><script>x</script>-->`,
	`<style>a{b:"</style><script>x</script>"}</style>`, `<style>a{b:url(</style><script>x</script>)}`, `<title></title/><script>x</script>`,
	`<textarea></textarea x><script>x</script>`, `<xmp></xmp><script>x</script>`, `<iframe></iframe/><script>x</script>`,
	`<img src="x` + "\x00" + `" onerror=x>`, `<IMG """><SCRIPT>x</SCRIPT>">`, `<img src=x:x onerror=x//`, `<a href="jav&#x09;ascript:x">`, "<a href=\"\x01javascript:x\">",
	`<meta http-equiv="&#114;efresh" content="0;url=//e.test">`, `<META HTTP-EQUIV=Set-Cookie CONTENT=x>`, `<base href=//e.test/><img src=x>`,
	`<img srcset="//e.test/x 1x, data:text/html,x 2x,,,">`, `<img srcset="data:image/png,x,y 1x, //e.test">`, `<svg><use xlink:href=//e.test#x /><image xlink:href=//e.test /></svg>`,
	`<svg><a xlink:href=javascript:x><animate attributeName=href to=x /></a></svg>`, `<svg><foreignObject><iframe src=x></iframe></foreignObject></svg>`,
	`<p style="b:url(&quot;//e.test&quot;)">`, `<p style="b:ur&#92;6c(//e.test)">`, `<p style='b:"</p><script>'>`, `<link rel=stylesheet href="//e.test">`,
	`<svg><style>a{b:u&#114;l(//e.test)}</style><style>@&#105;mport "//e.test"</style></svg>`, `<select><style></select><img src=x onerror=x></style>`,
	`<form><input type=image src=//e.test formaction=//e.test><math><mi xlink:href=//e.test>`, `<!doctype html "><script>x</script>`, `<!--><script>x</script>-->`,
	`<![CDATA[<script>x</script>]]>`, `<svg><![CDATA[><img src=x onerror=x>]]></svg>`, `<?xml ><script>x</script>?>`, `<a href=x onclick=y`, "<\x00script>x</script>", `</style><style>`,
	`<svg><p><style/><img src=//e.test>`, `<svg><title/><script>x`, `<plaintext><script>x`, `<noembed></noembed><embed src=x>`, `<object data=x><embed src=y></object>`,
	`<table background=//e.test><td background="/b"><isindex action=//e.test>`, `<portal src=x><fencedframe src=x>`, `<p xml:base="//e.test"><a ping="//e.test" href=x>`,
}

func FuzzPage(f *testing.F) {
	for _, s := range hostile {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	u, err := crawl.ParseURL("http://a.test/dir/page")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte, xml bool) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
		page := Page{URL: u, XML: xml, Text: text}
		for _, part := range page.Parts().List {
			if _, err := crawl.ParseURL(part.URL); err != nil {
				t.Errorf("a part %q: %v", part.URL, err)
			}
		}
		got := page.Rewrite(everything)
		if len(got) > 2*len(text)+Slack {
			t.Errorf("%d bytes become %d", len(text), len(got))
		}
		if err := checkPage(got); err != nil {
			t.Errorf("%q becomes %q: %v", text, got, err)
		}
	})
}

func FuzzSheet(f *testing.F) {
	for _, s := range []string{
		`a{b:u\72l(//e.test)}`, `@import "//e.test";`, `@import url(//e.test) x;`, `@\69mport u\72 l(//e.test);`, `a{b:image-set("//e.test" 1x)}`, `@font-face{src:url(x)}`,
		"a{b:\"c\nurl(//e.test)", `a{b:url("x" url(//e.test))}`, `</style><script>`, `/* */ url(/**///e.test)`, `\`, `a{--x:url(//e.test)}`, `@namespace url(x);url(//e.test)`, `-->`, `<!--`, `<0\0(`,
	} {
		f.Add(s)
	}
	u, err := crawl.ParseURL("http://a.test/css/main.css")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		got := Sheet{u, text}.Rewrite(everything)
		if len(got) > 2*len(text)+Slack {
			t.Errorf("%d bytes become %d", len(text), len(got))
		}
		again := Sheet{parseURL(t, "http://again.test/"), got}
		for _, part := range again.Parts().List {
			if !strings.HasPrefix(part.URL, "http://again.test/p/") {
				t.Errorf("%q becomes %q, which needs %s", text, got, part.URL)
			}
		}
		if tagOfHTML.MatchString(got) {
			t.Errorf("%q becomes %q, with a tag", text, got)
		}
	})
}
