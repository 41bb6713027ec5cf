package extract

import (
	"bufio"
	"bytes"
	"strings"
)

// Wishes are what page or server ask of crawlers in general or of us.
type Wishes struct {
	NoIndex, NoFollow, NoArchive bool
	// NoSnippet wants no text of the page shown where it is found.
	NoSnippet bool
	// NoAI is noai or noimageai: nothing, or no picture, is to train a model.
	NoAI bool
	// Reservation is what the meta elements named tdm-reservation say together.
	Reservation Reservation
}

// IsPage reports whether a body is one that browsers show as a page: HTML, XHTML, or XML of any type
// with the root element html (HTML standard §7.5.3). No type at all means HTML.
func IsPage(contentType string, body []byte) bool {
	mediaType, label := parseContentType(contentType)
	switch mediaType {
	case "", "text/html", "application/xhtml+xml":
		return true
	}
	return isXML(mediaType) && rootOf(body, label) == "html"
}

// Asked returns the wishes of an answer without reading it any further: those of its
// X-Robots-Tag and, whatever its status, those of its body, if that is a page. A body of another type that
// begins as pages do is someone's page under a wrong name: in doubt a wish counts.
func Asked(contentType string, xRobots []string, body []byte) Wishes {
	var p Page
	for _, value := range xRobots {
		p.obeyHeader(value)
	}
	if len(body) == 0 || !IsPage(contentType, body) && !beginsAsPage(body) {
		return p.Wishes
	}
	mediaType, label := parseContentType(contentType)
	s := scratches.Get().(*scratch)
	defer s.put()
	text, e := s.decode(body, label)
	e.tentative = false // wishes are ASCII: another encoding changes none
	r := reader{page: &p, encoding: e, scratch: s, scanner: scanner{src: text, xml: isXML(mediaType)}}
	r.read()
	return p.Wishes
}

// isXML reports whether a media type is one of XML (MIME sniffing standard §4.6).
func isXML(mediaType string) bool {
	return mediaType == "text/xml" || mediaType == "application/xml" || strings.HasSuffix(mediaType, "+xml")
}

// rootOf returns the name of the first element of an XML document without its prefix,
// "" if the first 16 KiB have none.
func rootOf(body []byte, label string) string {
	const buffer = 1024
	r := decodeSource(bufio.NewReaderSize(bytes.NewReader(body[:min(len(body), sniffed)]), buffer), label, buffer)
	if r == nil {
		return ""
	}
	m := &markup{r: r}
	if token, err := m.next(); err != nil || token != tokenStart {
		return ""
	}
	return string(m.local)
}

// beginsAsPage reports whether a text begins as HTML does.
func beginsAsPage(body []byte) bool {
	body, _ = sniffMark(body[:min(len(body), prescanBytes)])
	begin := bytes.ToLower(bytes.TrimLeft(body, " \t\r\n\f"))
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<meta", "<title", "<body", "<!--"} {
		if bytes.HasPrefix(begin, []byte(tag)) {
			return true
		}
	}
	return false
}
