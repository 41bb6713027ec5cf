package plain

import (
	"bytes"

	"golang.org/x/net/html"
)

// Plain returns a text in UTF-8 that is no markup: paragraphs are what is
// between empty lines.
func Plain(text []byte) Text {
	var b builder
	for line := range bytes.Lines(b.bounded(text)) {
		if b.full {
			break
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 {
			b.end()
			continue
		}
		b.add(line, Preformatted)
		b.add([]byte("\n"), Preformatted)
	}
	return b.finish()
}

// XML returns the text of a document in UTF-8, each piece between two tags a
// paragraph; what stands in an element title is a heading. Text that is HTML
// itself, as in feeds, is read as such.
func XML(document []byte) Text {
	var b builder
	b.kind = Ordinary
	z := html.NewTokenizer(bytes.NewReader(b.bounded(document)))
	z.AllowCDATA(true)
	kind := Ordinary
	var text []byte
	for !b.full {
		token := z.Next()
		if token == html.TextToken {
			text = append(text, z.Text()...)
			continue
		}
		addXML(&b, text, kind)
		text = text[:0]
		switch token {
		case html.ErrorToken:
			return b.finish()
		case html.StartTagToken, html.SelfClosingTagToken:
			kind = Ordinary
			if name, _ := z.TagName(); token == html.StartTagToken && string(name) == "title" {
				kind = Heading2
			}
			z.NextIsNotRawText()
		case html.EndTagToken:
			kind = Ordinary
		}
	}
	return b.finish()
}

func addXML(b *builder, text []byte, kind Kind) {
	b.end()
	if bytes.IndexByte(text, '<') >= 0 {
		readHTML(b, text)
	} else {
		b.add(text, kind)
	}
	b.end()
}

// Line returns a line of text, as a title, without what Text leaves out.
func Line(text string) string {
	var b builder
	b.kind = Ordinary
	b.add([]byte(text), Ordinary)
	b.end()
	if len(b.done.Paragraphs) == 0 {
		return ""
	}
	return b.done.Paragraphs[0].Text
}
