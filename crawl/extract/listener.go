package extract

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/forage-net/forage/crawl/extract/charset"
	"github.com/forage-net/forage/crawl/extract/tags"
	"github.com/forage-net/forage/crawl/words"
)

// maxLabel is how much of the text of a link is kept, in bytes.
const maxLabel = 80

// listener gives the text of a page to a reader of words, and the texts of links to refs.
type listener struct {
	words  *words.Reader
	refs   *refs
	legacy *charmap.Charmap // how text is read, nil for UTF-8
	plain  []byte           // text in UTF-8
	buf    []byte           // the same, its references resolved

	aside   int  // open elements that stand beside the text
	heading bool // within a heading
	hidden  bool // within a list to choose from

	link  int // of the anchor that is open, -1 if none
	label []byte
}

// HearText takes text as it stands between two tags.
func (l *listener) HearText(raw []byte) {
	if len(raw) == 0 || l.hidden || l.words.Full() {
		return
	}
	if l.legacy != nil && !charset.IsASCII(raw) {
		l.plain = l.plain[:0]
		for _, c := range raw {
			l.plain = utf8.AppendRune(l.plain, charset.DecodeByte(l.legacy, c))
		}
		raw = l.plain
	}
	text := raw
	if bytes.IndexByte(raw, '&') >= 0 || bytes.IndexByte(raw, 0) >= 0 {
		l.buf = tags.Text(raw, l.buf)
		text = l.buf
	}
	l.words.Text(l.place(), text)
	if l.link >= 0 && len(l.label) < maxLabel {
		l.addLabel(text)
	}
}

func (l *listener) place() words.Place {
	switch {
	case l.aside > 0:
		return words.Aside
	case l.heading:
		return words.Heading
	}
	return words.Body
}

// addLabel adds to the text of the link that is open, blanks folded.
func (l *listener) addLabel(text []byte) {
	for len(text) > 0 && len(l.label) < maxLabel {
		c, n := utf8.DecodeRune(text)
		text = text[n:]
		switch {
		case !blank(c) && c != utf8.RuneError:
			l.label = utf8.AppendRune(l.label, c)
		case len(l.label) > 0 && l.label[len(l.label)-1] != ' ':
			l.label = append(l.label, ' ')
		}
	}
}

// HearTag notes the beginning or the end of an element.
func (l *listener) HearTag(name []byte, end bool) {
	var low [len("blockquote")]byte
	if len(name) > len(low) {
		l.words.Break()
		return
	}
	for i, c := range name {
		low[i] = tags.Lower(c)
	}
	switch string(low[:len(name)]) {
	case "a":
		l.endLink()
	case "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
		"mark", "q", "s", "samp",
		"small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr": // words go on past them
		return
	case "h1", "h2", "h3":
		l.heading = !end
	case "nav", "footer", "aside":
		if !end {
			l.aside++
		} else if l.aside > 0 {
			l.aside--
		}
	case "main", "article": // what is beside the text was not closed
		if !end {
			l.aside = 0
		}
	case "select", "datalist":
		l.hidden = !end
	}
	l.words.Break()
}

// endLink ends the text of the link that is open.
func (l *listener) endLink() {
	if l.link >= 0 {
		l.label = bytes.TrimRight(l.label, " ")
		n := min(len(l.label), maxLabel)
		for n > 0 && n < len(l.label) && !utf8.RuneStart(l.label[n]) {
			n--
		}
		l.refs.label(l.link, l.label[:n])
	}
	l.link, l.label = -1, l.label[:0]
}

// end ends the text, and gives the title.
func (l *listener) end(title string) {
	l.endLink()
	l.words.Break()
	l.words.Text(words.Title, []byte(title))
	l.words.Break()
}
