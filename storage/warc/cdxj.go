package warc

import (
	"bytes"
	"encoding/base32"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// maxLine bounds an index line: URL and key of escaped bytes, each of which
// JSON may escape once more, and the other fields.
const maxLine = 16*MaxURL + 4<<10

// entry is what one line of a CDXJ index says:
//
//	com,example)/a 20260131120000 {"url":"https://example.com/a","mime":"text/html",
//	"status":"200","digest":"…","length":"1234","offset":"567","filename":"….warc.gz"}
//
// in one line. All values are strings, as is customary. Offset and length are
// those of the response record. A revisit has the mime type "warc/revisit". The
// digest is left out if the capture has none.
type entry struct {
	url    string // as stored
	date   time.Time
	mime   string
	status int
	digest [20]byte
}

// appendEntry appends the part of the line that does not depend on where the
// record is.
func appendEntry(b []byte, e entry) []byte {
	b = appendSURT(b, e.url)
	b = append(b, ' ')
	b = e.date.UTC().AppendFormat(b, stampLayout)
	b = append(b, ` {"url":"`...)
	for i := range len(e.url) { // ASCII without control characters
		if c := e.url[i]; c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, e.url[i])
	}
	b = append(b, `","mime":"`...)
	b = append(b, e.mime...)
	b = append(b, `","status":"`...)
	b = appendStatus(b, e.status)
	if e.digest != [20]byte{} {
		b = append(b, `","digest":"`...)
		b = base32.StdEncoding.AppendEncode(b, e.digest[:])
	}
	return b
}

// appendPlace completes the line.
func appendPlace(b []byte, p Position) []byte {
	b = append(b, `","length":"`...)
	b = strconv.AppendInt(b, p.RecordLength, 10)
	b = append(b, `","offset":"`...)
	b = strconv.AppendInt(b, p.RecordOffset, 10)
	b = append(b, `","filename":"`...)
	b = append(b, p.File...)
	return append(b, "\"}\n"...)
}

func appendStatus(b []byte, status int) []byte {
	if status < 100 || status > 999 {
		return append(b, '-')
	}
	return strconv.AppendInt(b, int64(status), 10)
}

// indexMIME returns the media type of a Content-Type without parameters, in
// lower case, and "unk", as is customary, for what is none.
func indexMIME(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	t = strings.TrimSpace(t)
	if t == "" || len(t) > 127 {
		return "unk"
	}
	for i := range len(t) {
		if !isToken(t[i]) && t[i] != '/' {
			return "unk"
		}
	}
	return lowerASCII(t)
}

// lineOffset returns the offset of the record that a line tells of; ok is
// false if it is no index line.
func lineOffset(line []byte) (offset int64, ok bool) {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	stamp, object, _ := bytes.Cut(rest, []byte(" "))
	if len(stamp) != len(stampLayout) {
		return 0, false
	}
	var fields struct {
		Offset string `json:"offset"`
	}
	if err := json.Unmarshal(object, &fields); err != nil {
		return 0, false
	}
	offset, err := strconv.ParseInt(fields.Offset, 10, 64)
	return offset, err == nil && offset > 0
}
