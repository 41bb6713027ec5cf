package library

import (
	"html"
	"strings"

	"github.com/forage-net/forage/crawl/replay"
)

// notices are pages of our own that a frame shows where the archive has no page.
type notices struct{ lang string }

// in chooses the text of a language.
func (n notices) in(en, de string) string {
	if n.lang == "de" {
		return de
	}
	return en
}

const noticeStyle = "body{margin:0;padding:12vh 24px;background:#f6f4ee;color:#1f2a22;" +
	"font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}" +
	"main{max-width:36rem;margin:0 auto}h1{font-size:1.375rem}a{color:#1f6b41}code{font-size:.9375rem}"

// page returns a page with a heading. content is HTML.
func (n notices) page(title, content string) []byte {
	title = html.EscapeString(title)
	return n.document(title, noticeStyle, "<main><h1>"+title+"</h1>"+content+"</main>")
}

func (n notices) document(title, style, body string) []byte {
	return []byte("<!doctype html><html lang=\"" + n.in("en", "de") + "\"><title>" + title + "</title><style>" +
		style + "</style><body>" + body)
}

func paragraph(text string) string { return "<p>" + html.EscapeString(text) + "</p>" }

// none says that an address is not archived.
func (n notices) none(url string) []byte {
	return n.page(n.in("Not archived", "Nicht archiviert"),
		paragraph(n.in("This computer has no copy of this page:", "Dieser Computer hat keine Kopie dieser Seite:"))+
			"<p><code>"+html.EscapeString(url)+"</code></p>"+
			paragraph(n.in("The link above this frame opens it on the web.",
				"Der Link über diesem Rahmen öffnet sie im Internet.")))
}

// redirect says where an address leads.
func (n notices) redirect(url string) []byte {
	return n.page(n.in("This address leads to another one", "Diese Adresse führt zu einer anderen"),
		`<p><a href="to?`+html.EscapeString(replay.EscapeLink(url))+`">`+html.EscapeString(url)+`</a></p>`)
}

func (n notices) original() []byte {
	return n.page(n.in("No copy left", "Keine Kopie mehr da"), paragraph(n.in(
		"The page had not changed since an earlier visit, and that visit is no longer in the archive.",
		"Die Seite war unverändert seit einem früheren Besuch, und dieser ist nicht mehr im Archiv.")))
}

func (n notices) unreadable(err error) []byte {
	return n.page(n.in("Unreadable", "Nicht lesbar"),
		paragraph(n.in("This answer cannot be read: ", "Diese Antwort lässt sich nicht lesen: ")+err.Error()+"."))
}

func (n notices) empty(kind string) []byte {
	return n.page(n.in("Nothing to show", "Nichts zu zeigen"), paragraph(n.in(
		"The archive has only the head of this answer ("+kind+").",
		"Das Archiv hat nur den Kopf dieser Antwort ("+kind+").")))
}

func (n notices) data(kind string) []byte {
	return n.page(n.in("Not a page", "Keine Seite"),
		paragraph(n.in("This is "+kind+". It cannot be shown here.",
			"Das ist "+kind+" und lässt sich hier nicht zeigen.")))
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
