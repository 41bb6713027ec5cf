package plain

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func show(t Text) string {
	var b strings.Builder
	for _, p := range t.Paragraphs {
		fmt.Fprintf(&b, "%s:%s\n", p.Kind, p.Text)
	}
	if t.Cut {
		b.WriteString("cut\n")
	}
	return b.String()
}

func TestHTML(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"headings and paragraphs", "<title>No</title><h1>One</h1><p>a <b>b</b>\n c&amp;d</p>e<h6>Six</h6>", "h1:One\np:a b c&d\np:e\nh6:Six\n"},
		{"lists", "<ul><li>a<li><p>b</p><ul><li>c</ul></li></ul>d", "li:a\nli:b\nli:c\np:d\n"},
		{"preformatted", "<pre>\n a\n\tb  <i>c</i>\n\n</pre>x", "pre: a\n b  c\np:x\n"},
		{"scripts and styles", "a<script>var x='<p>no</p>'</script><style>p{}</style><noscript>no</noscript><template><p>no</template>b", "p:ab\n"},
		{"hidden", `<p hidden>no<p>a<div style="Display : none">no<p>no</div><span style="visibility:hidden!important">no</span>b`, "p:a\np:b\n"},
		{"a line does not end what a block hides", `<b><div hidden>no</b>no</div>yes`, "p:yes\n"},
		{"an end of nothing", "</div></p>a</span>b", "p:ab\n"},
		{"hidden without an end", "a<div hidden>no<p>no", "p:a\n"},
		{"dialogs", "<dialog>no</dialog><dialog open>yes</dialog>", "p:yes\n"},
		{"tables", "<table><tr><th>a<th>b<tr><td>1<td><td>3</table>x", "p:a | b\np:1 | | 3\np:x\n"},
		{"drawings", "<svg><title>no</title><path d=''/><text>no</text></svg>a<math><mi>no</mi></math>", "p:a\n"},
		{"escaped markup is text", "<p>&lt;script&gt;alert(1)&lt;/script&gt;", "p:<script>alert(1)</script>\n"},
		{"lines", "a<br>b<hr>c", "p:a\np:b\np:c\n"},
		{"characters", "a\u202eb\x00\x1b[31mc\ufeff\u00add\u2028e\u200df", "p:ab[31mcd e\u200df\n"},
		{"broken UTF-8", "a\xffb", "p:a\ufffdb\n"},
		{"comments", "a<!-- <p>no -->b<![CDATA[no]]><?no?>", "p:ab\n"},
		{"forms", "<form>a<select><option>no</select><button>no</button><textarea>no</textarea><label>b</label><input value=no></form>", "p:ab\n"},
		{"nothing", " \n<p> </p><pre>\n\n</pre>", ""},
		{"a template ends nothing around it", "<p>a<template><div>no</template>b<p hidden>no<svg><p></svg>no", "p:ab\n"},
		{"own elements", "<my-tag hidden>no</my-tag><other-tag>yes</other-tag>", "p:yes\n"},
	} {
		if got := show(HTML([]byte(tt.in))); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestPlainAndXML(t *testing.T) {
	if got, want := show(Plain([]byte("one\r\n  two\r\n\r\n\r\nthree"))), "pre:one\n  two\npre:three\n"; got != want {
		t.Errorf("Plain: got\n%swant\n%s", got, want)
	}
	feed := `<?xml version="1.0"?><rss><channel><title>News</title><item><title><![CDATA[A & B]]></title>
		<description>&lt;p&gt;one&lt;script&gt;no&lt;/script&gt;&lt;/p&gt;&lt;h3&gt;two&lt;/h3&gt;</description><link>https://a.example/</link></item></channel></rss>`
	if got, want := show(XML([]byte(feed))), "h2:News\nh2:A & B\np:one\nh3:two\np:https://a.example/\n"; got != want {
		t.Errorf("XML: got\n%swant\n%s", got, want)
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{"a\u202e\n b\x1b": "a b", "": "", " \u200e ": "\u200e", "<b>": "<b>"} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	for name, in := range map[string]string{
		"paragraphs": strings.Repeat("<p>x", MaxParagraphs+1),
		"text":       "<p>" + strings.Repeat("é ", MaxText),
		"input":      strings.Repeat("<b>", MaxInput),
	} {
		got := HTML([]byte(in))
		total := 0
		for _, p := range got.Paragraphs {
			total += len(p.Text)
		}
		if !got.Cut || len(got.Paragraphs) > MaxParagraphs || total > MaxText {
			t.Errorf("%s: %d paragraphs, %d bytes, cut %v", name, len(got.Paragraphs), total, got.Cut)
		}
	}
	if got := HTML([]byte(strings.Repeat("<p>x", MaxParagraphs))); got.Cut || len(got.Paragraphs) != MaxParagraphs {
		t.Errorf("as many as there may be: %d, cut %v", len(got.Paragraphs), got.Cut)
	}
}

// What is nested, crossed and left open should cost little more than what is
// not: bytes a second should be of one order.
func BenchmarkHTML(b *testing.B) {
	for _, unit := range []string{"<p>some text of a page</p>", "<b>", "<div>", "<p><i>", "</p>", "<i></b>", "<li><b>", "<table><tr><td>", "<a <a ", "<svg><", "<pre>\n \n"} {
		in := []byte(strings.Repeat(unit, MaxInput/len(unit)))
		b.Run(unit, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				HTML(in)
			}
		})
	}
	in := []byte(strings.Repeat("<b>", maxDepth-2) + strings.Repeat("<p><b><hr></p>", MaxInput/14-maxDepth))
	b.Run("deep", func(b *testing.B) {
		b.SetBytes(int64(len(in)))
		for b.Loop() {
			HTML(in)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte("<p>a<div hidden>b</p><table><td>c<pre>\n d</pre><li>e<svg/><script/>"))
	f.Add([]byte("<?xml?><title><![CDATA[<b>x]]></title>&lt;i&gt;"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, got := range []Text{HTML(in), XML(in), Plain(in)} {
			total := 0
			for _, p := range got.Paragraphs {
				if p.Text == "" || strings.TrimSpace(p.Text) == "" || !utf8.ValidString(p.Text) {
					t.Errorf("paragraph %q", p.Text)
				}
				if strings.ContainsFunc(p.Text, func(r rune) bool { return isSilent(r) && r != '\n' }) {
					t.Errorf("%q has characters that nobody sees", p.Text)
				}
				if p.Kind == "" || p.Kind != Preformatted && strings.Contains(p.Text, "\n") {
					t.Errorf("%s of %q", p.Kind, p.Text)
				}
				total += len(p.Text)
			}
			if total > MaxText || len(got.Paragraphs) > MaxParagraphs {
				t.Errorf("%d paragraphs of %d bytes", len(got.Paragraphs), total)
			}
		}
	})
}
