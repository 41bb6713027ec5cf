package extract

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/forage-net/forage/crawl/extract/tags"
)

// seenByScanner returns the tags that matter in words: name, attributes, text.
func seenByScanner(src []byte) (list []string) {
	s := tags.Scanner{Src: src}
	for e := s.Next(); e != tags.ElementNone; e = s.Next() {
		tag := elementNames[e]
		for a, name := range attributeNames {
			if raw, ok := s.Attrs.Get(tags.Attribute(a)); ok {
				tag += fmt.Sprintf(" %s=%q", name, normalNewlines(tags.Text(raw, nil), raw))
			}
		}
		if e == tags.ElementTitle && len(s.Text) > 0 {
			tag += fmt.Sprintf(" text %q", html.UnescapeString(normalNewlines(bytes.ReplaceAll(s.Text, []byte{0}, []byte("\uFFFD")), nil)))
		}
		list = append(list, tag)
	}
	return list
}

// normalNewlines does to text what the tokenizer does before it resolves
// references: those of raw are not newlines.
func normalNewlines(text, raw []byte) string {
	if raw != nil && bytes.ContainsRune(raw, '&') {
		return string(tags.Text([]byte(normalNewlines(raw, nil)), nil))
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(text))
}

var (
	elementNames = [...]string{tags.ElementA: "a", tags.ElementArea: "area", tags.ElementBase: "base", tags.ElementEmbed: "embed", tags.ElementFrame: "frame",
		tags.ElementHTML: "html", tags.ElementIframe: "iframe", tags.ElementImg: "img", tags.ElementLink: "link", tags.ElementMeta: "meta", tags.ElementObject: "object", tags.ElementQuote: "quote",
		tags.ElementTitle: "title"}
	attributeNames = [...]string{tags.AttrCharset: "charset", tags.AttrCite: "cite", tags.AttrContent: "content", tags.AttrData: "data", tags.AttrEncoding: "encoding", tags.AttrHref: "href",
		tags.AttrHreflang: "hreflang", tags.AttrHTTPEquiv: "http-equiv", tags.AttrLang: "lang", tags.AttrLongdesc: "longdesc", tags.AttrName: "name", tags.AttrRel: "rel", tags.AttrSrc: "src",
		tags.AttrType: "type", tags.AttrXLink: "xlink:href", tags.AttrXMLBase: "xml:base"}
)

// kindOfTag returns the name that a tag has among elementNames.
func kindOfTag(name string) string {
	switch name {
	case "blockquote", "q", "ins", "del":
		return "quote"
	}
	return name
}

// hasAttr reports whether an image has the one attribute that matters of it.
func hasAttr(t html.Token, name string) bool {
	return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// seenByTokenizer returns the same by the tokenizer of x/net/html.
func seenByTokenizer(src []byte) (tags []string) {
	z := html.NewTokenizer(bytes.NewReader(src))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return tags
		case html.TextToken:
			if n := len(tags) - 1; n >= 0 && strings.HasPrefix(tags[n], "title") && strings.HasSuffix(tags[n], "\x00") {
				tags[n] = strings.TrimSuffix(tags[n], "\x00") + fmt.Sprintf(" text %q", z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.Data == "noscript" {
				z.NextIsNotRawText()
			}
			image := t.Data == "img"
			if i := slices.Index(elementNames[:], kindOfTag(t.Data)); i > 0 && (!image || hasAttr(t, "longdesc")) {
				tag := kindOfTag(t.Data)
				for _, name := range attributeNames {
					for _, a := range t.Attr {
						if a.Key == name && (!image || len(name) == len("longdesc")) {
							tag += fmt.Sprintf(" %s=%q", name, a.Val)
						}
					}
				}
				if t.Data == "title" {
					tag += "\x00" // its text comes next
				}
				tags = clearMark(append(tags, tag), 2)
				continue
			}
		}
		tags = clearMark(tags, 1)
	}
}

// clearMark takes the mark off the nth tag from the end: it had no text.
func clearMark(tags []string, n int) []string {
	if i := len(tags) - n; i >= 0 {
		tags[i] = strings.TrimSuffix(tags[i], "\x00")
	}
	return tags
}

// agree compares the two where the tokenizer alone decides: in SVG and MathML
// it does as the parser tells it.
func agree(t *testing.T, src []byte) {
	t.Helper()
	if low := bytes.ToLower(src); bytes.Contains(low, []byte("<svg")) || bytes.Contains(low, []byte("<math")) {
		return
	}
	got, want := seenByScanner(src), seenByTokenizer(src)
	for i := range want {
		want[i] = strings.TrimSuffix(want[i], "\x00")
	}
	if !slices.Equal(got, want) {
		t.Errorf("in %q the scanner sees\n%s\nwant\n%s", src, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// scannerCases are where scanners go wrong.
var scannerCases = []string{
	`<a href=x>`, `<A HREF = "x" >`, `<a href='x'rel=y>`, `<a href=x/>`, `<a href=x / >`, `<a/href=x>`, `<a href=>x`, `<a href>`, `<a =href=x href=y>`,
	`<a href="1" href="2">`, `<a title="<a href=no>" href=yes>`, `<a title=<a href=yes>`, `<a href="x`, `<a href=x`, `<a`, `<a `, `<a/`, `<`, `</`, `<!`, `<?`, `<a href="x"`,
	`<<a href=x>`, `< a href=no>`, `<1a href=no><a href=yes>`, `</a href="x>"><a href=y>`, `</><a href=x>`, `</1 <a href=no>><a href=yes>`, `<?xml <a href=no> ?><a href=yes>`,
	`<!doctype html <a href=no>><a href=yes>`, `<![CDATA[<a href=yes>]]>`, `<!><a href=x>`, `<!-><a href=x>`,
	`<!--><a href=x>-->`, `<!---><a href=x>-->`, `<!----><a href=x>`, `<!--a--!><a href=x>`, `<!--a--!b--><a href=x>`, `<!--a--!-><a href=no>--><a href=yes>`, `<!-- <a href=no>`,
	`<!--a->b--><a href=x>`, `<!--a--->`, `<!--!><a href=no>--><a href=x>`,
	`<script><a href=no></script><a href=yes>`, `<script></scriptx><a href=no></SCRIPT/><a href=yes>`, `<script/><a href=no></script>`, `<script><!--<script></script><a href=no>--></script><a href=yes>`,
	`<script><!--></script><a href=x>`, `<script><!--</script><a href=x>`, `<script><!-- < <script></script><a href=x>`, `<script><!--<script ></script ><a href=no></script><a href=yes>`, `<script><!--<scriptx></script><a href=yes>`,
	`<style><a href=no></styl></style ><a href=yes>`, `<textarea><a href=no></textarea><a href=yes>`, `<xmp><a href=no></xmp><a href=yes>`, `<noembed><a href=no></noembed>`, `<noframes><a href=no></noframes>`,
	`<iframe src=x><a href=no></iframe><a href=yes>`, `<noscript><a href=yes></noscript>`, `<plaintext><a href=no></plaintext>`, `<title><a href=no>&amp;</title><a href=yes>`, `<title></title>x`, `<title>`, `<title>x`,
	`<a href="?a=1&amp;b=2&copy=3&copy;&notit;&notin;&not&#65;&#x41&#0;&#128;&#xD800;&#99999999999;&semi;&CounterClockwiseContourIntegral;&x">`,
	`<a href=&amp>`, `<a href=&#6o>`, `<a href=&#x6>`, `<a href=&ampx>`, `<a href=&&amp;&>`, `<a href=&#>`, `<a href=&#x>`, `<a href=&#x;>`, `<a href="&fjlig;&bne;">`,
	"<a\x00 href=x>", "<a hr\x00ef=x>", "<a href=\"a\x00b&amp;\">", "<a\nhref\t=\r\nx\f>", "<a href='a\r\nb\rc&#13;'>", "<a href=\xff>", "<a\vhref=x>",
	`<meta name=robots content=none><html lang=en><area href=x><base href=y><frame src=z>`,
	`<img src=no longdesc=x><img src=no><img longdesc><IMG LongDesc=x name=y><img longdesc=x`, `<q cite=x><blockquote cite="y"><ins cite=z><del cite>`, `<embed src=x type=y><object data=x type=y/>`,
}

func TestScanner_AgreesWithTokenizer(t *testing.T) {
	for _, c := range scannerCases {
		agree(t, []byte(c))
		for i := range c { // text may end anywhere
			agree(t, []byte(c[:i]))
		}
	}
}

func TestScanner_AgreesOnFragments(t *testing.T) {
	pieces := strings.Split("<|>|/|!|--|-|=|'|\"| |a|x|&|amp|;|#65|<a|href|<!--|-->|<script|</script|</|script|<title|</title|<iframe|</iframe|src|<?|</noscript|<noscript|\x00|\r|\n|A|<textarea|</textarea|<base|<meta|content", "|")
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30_000 {
		var src []byte
		for range 1 + rng.IntN(16) {
			src = append(src, pieces[rng.IntN(len(pieces))]...)
		}
		agree(t, src)
	}
}

func TestScanner_AgreesOnHTML5LibCases(t *testing.T) {
	for _, c := range html5libCases(t) {
		agree(t, c.data)
	}
}

func TestScanner_SelfClosingInXHTML(t *testing.T) {
	src := []byte(`<script src="x"/><title/><a href="yes"/><iframe src=no/><script><a href="no">`)
	s := tags.Scanner{Src: src, XML: true}
	var got []tags.Element
	for e := s.Next(); e != tags.ElementNone; e = s.Next() {
		got = append(got, e)
	}
	if want := []tags.Element{tags.ElementTitle, tags.ElementA, tags.ElementIframe}; !slices.Equal(got, want) {
		t.Errorf("elements %d, want %d", got, want)
	}
}

func FuzzScanner(f *testing.F) {
	for _, c := range scannerCases {
		f.Add([]byte(c))
	}
	f.Fuzz(func(t *testing.T, src []byte) { agree(t, src) })
}
