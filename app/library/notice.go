package library

import (
	"html"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/replay"
)

// notices are pages of our own that a frame shows where the archive has no page.
type notices struct{ lang string }

// in returns a text, and paragraph one as HTML.
func (n notices) in(key string, args words.Args) string { return words.Text(n.lang, key, args) }

func (n notices) paragraph(key string, args words.Args) string {
	return "<p>" + html.EscapeString(n.in(key, args)) + "</p>"
}

const noticeStyle = "body{margin:0;padding:12vh 24px;background:#f6f4ee;color:#1f2a22;" +
	"font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}" +
	"main{max-width:36rem;margin:0 auto}h1{font-size:1.375rem}a{color:#1f6b41}code{font-size:.9375rem}"

// page returns a page with a heading. content is HTML.
func (n notices) page(heading, content string) []byte {
	title := html.EscapeString(n.in(heading, nil))
	return n.document(title, noticeStyle, "<main><h1>"+title+"</h1>"+content+"</main>")
}

func (n notices) document(title, style, body string) []byte {
	return []byte("<!doctype html><html lang=\"" + n.lang + "\"><title>" + title + "</title><style>" +
		style + "</style><body>" + body)
}

// none says that an address is not archived.
func (n notices) none(url string) []byte {
	return n.page("library.none", n.paragraph("library.none.copy", nil)+
		"<p><code>"+html.EscapeString(url)+"</code></p>"+n.paragraph("library.none.link", nil))
}

// redirect says where an address leads.
func (n notices) redirect(url string) []byte {
	return n.page("library.redirect",
		`<p><a href="to?`+html.EscapeString(replay.EscapeLink(url))+`">`+html.EscapeString(url)+`</a></p>`)
}

func (n notices) original() []byte {
	return n.page("library.original", n.paragraph("library.revisit", nil))
}

func (n notices) unreadable(err error) []byte {
	return n.page("library.unreadable", n.paragraph("library.answer.unreadable", words.Args{"error": err}))
}

func (n notices) empty(kind string) []byte {
	return n.page("library.empty", n.paragraph("library.empty.head", words.Args{"kind": kind}))
}

func (n notices) data(kind string) []byte {
	return n.page("library.data", n.paragraph("library.data.kind", words.Args{"kind": kind}))
}

func (n notices) picture(address string) []byte {
	return n.document("", "body{margin:0;display:grid;place-items:center;min-height:100vh}img{max-width:100%}",
		`<img src="`+address+`" alt="">`)
}

func (n notices) text(text []byte) []byte {
	plain := strings.ReplaceAll(html.EscapeString(string(text)), "\x00", "")
	return n.document("", "pre{white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.5 ui-monospace,monospace}",
		"<pre>"+plain+"</pre>")
}
