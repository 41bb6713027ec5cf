package extract

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/forage-net/forage/crawl/extract/charset"
)

// IsPage reports whether a body is one that browsers show as a page: HTML, XHTML, or XML of any type
// with the root element html (HTML standard §7.5.3). No type at all means HTML.
func IsPage(contentType string, body []byte) bool {
	mediaType, label := charset.ParseContentType(contentType)
	switch mediaType {
	case "", "text/html", "application/xhtml+xml":
		return true
	}
	return isXML(mediaType) && rootOf(body, label) == "html"
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
	body, _ = charset.SniffMark(body[:min(len(body), charset.Prescan)])
	begin := bytes.ToLower(bytes.TrimLeft(body, " \t\r\n\f"))
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<meta", "<title", "<body", "<!--"} {
		if bytes.HasPrefix(begin, []byte(tag)) {
			return true
		}
	}
	return false
}
