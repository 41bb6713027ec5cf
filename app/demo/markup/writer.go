// Package markup writes the HTML of the practice web as people write it: in several tastes (Skin) and encodings
// (Charset), with all that is lenient about them. A Writer is for one goroutine.
package markup

import "strings"

// Skin is the taste of a site's HTML.
type Skin uint8

// The skins.
const (
	Modern Skin = iota // HTML5, quoted attributes
	Old                // upper case, unquoted attributes, end tags left out, a table for layout
	Plain              // single quotes, self-closed tags
)

// Writer writes a document in UTF-8. The zero value is empty and Modern.
type Writer struct {
	// B is what has been written.
	B    []byte
	Skin Skin
}

// Raw writes s as it is.
func (w *Writer) Raw(s string) { w.B = append(w.B, s...) }

// Text writes s escaped.
func (w *Writer) Text(s string) { w.Raw(Escape(s)) }

// Escape returns s as it stands in a text or in an attribute in double quotes.
func Escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

// Element writes an element with text: Element("h1", "Bread").
func (w *Writer) Element(tag, text string) {
	w.Open(tag)
	w.Text(text)
	w.Close(tag)
}

// Open writes a start tag in the site's taste.
func (w *Writer) Open(tag string) {
	if w.Skin == Old {
		tag = strings.ToUpper(tag)
	}
	w.B = append(append(append(w.B, '<'), tag...), '>')
}

// Close writes an end tag; the old skin leaves out those that may be left out.
func (w *Writer) Close(tag string) {
	if w.Skin == Old {
		if tag == "p" || tag == "li" || tag == "tr" || tag == "td" || tag == "th" {
			w.Raw("\n")
			return
		}
		tag = strings.ToUpper(tag)
	}
	w.Raw("</")
	w.Raw(tag)
	w.Raw(">\n")
}

// Link writes a link in the site's taste; attrs begins with a blank if it is
// not empty.
func (w *Writer) Link(href, text, attrs string) {
	switch w.Skin {
	case Old:
		w.Raw("<A HREF=")
		if strings.ContainsAny(href, " \"'=<>`") || href == "" {
			w.Raw(`"`)
			w.Raw(href)
			w.Raw(`"`)
		} else {
			w.Raw(href)
		}
		w.Raw(attrs)
	case Plain:
		w.Raw("<a class='link'")
		w.Raw(attrs)
		w.Raw(" href='")
		w.Raw(strings.ReplaceAll(href, "&", "&amp;"))
		w.Raw("'")
	default:
		w.Raw(`<a href="`)
		w.Text(href)
		w.Raw(`"`)
		w.Raw(attrs)
	}
	w.Raw(">")
	w.Text(text)
	w.Raw("</a>")
}

// Item writes an element of a list around what content writes.
func (w *Writer) Item(content func()) {
	w.Open("li")
	content()
	w.Close("li")
}
