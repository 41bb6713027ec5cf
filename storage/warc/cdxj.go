package warc

import (
	"bytes"
	"encoding/base32"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/surt"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// maxLine bounds an index line: URL and key of escaped bytes, each of which
// JSON may escape once more, and the other fields.
const maxLine = 16*capture.MaxURL + 4<<10

// entry is what one line of a CDXJ index says:
//
//	com,example)/a 20260131120000 {"url":"https://example.com/a","mime":"text/html",
//	"status":"200","digest":"…","length":"1234","offset":"567","filename":"….warc.gz"}
//
// in one line. All values are strings, as is customary. Offset and length are
// those of the response record. A revisit has the mime type "warc/revisit". The
// digest is left out if the capture has none. A capture that is marked NoIndex
// has "robots":"noindex" before the length, and one whose metadata tell a title
// has "title":"…" behind that, by which Search finds it.
type entry struct {
	url     string // as stored
	date    time.Time
	mime    string
	status  int
	digest  [20]byte
	noIndex bool
	title   string // as indexTitle returns it
}

// noIndex is the value of robots.
const noIndex = "noindex"

// revisitMIME stands in place of the media type of a revisit.
const revisitMIME = "warc/revisit"

// appendEntry appends the part of the line that does not depend on where the
// record is.
func appendEntry(b []byte, e entry) []byte {
	b = e.appendSubject(b)
	b = append(b, e.mime...)
	b = append(b, statusMember...)
	b = appendStatus(b, e.status)
	return e.appendMarks(b)
}

const statusMember = `","status":"`

// appendSubject appends what comes before the value of mime.
func (e entry) appendSubject(b []byte) []byte {
	b = surt.Append(b, e.url)
	b = append(b, ' ')
	b = e.date.UTC().AppendFormat(b, warcfile.StampLayout)
	b = append(b, ` {"url":"`...)
	for i := range len(e.url) { // ASCII without control characters
		if c := e.url[i]; c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, e.url[i])
	}
	return append(b, `","mime":"`...)
}

// appendMarks appends what comes between the value of status and the place.
func (e entry) appendMarks(b []byte) []byte {
	if e.digest != [20]byte{} {
		b = append(b, `","digest":"`...)
		b = base32.StdEncoding.AppendEncode(b, e.digest[:])
	}
	if e.noIndex {
		b = append(b, `","robots":"`+noIndex...)
	}
	return appendTitle(b, e.title)
}

// appendPlace completes the line.
func appendPlace(b []byte, p capture.Position) []byte {
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

// indexed is what an index line says of a capture.
type indexed struct {
	offset  int64 // of the response record
	noIndex bool
}

// parseLine reads an index line; ok is false if it is none.
func parseLine(line []byte) (i indexed, ok bool) {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	stamp, object, _ := bytes.Cut(rest, []byte(" "))
	if len(stamp) != len(warcfile.StampLayout) {
		return i, false
	}
	var fields struct {
		Offset string `json:"offset"`
		Robots string `json:"robots"`
	}
	if err := json.Unmarshal(object, &fields); err != nil {
		return i, false
	}
	offset, err := strconv.ParseInt(fields.Offset, 10, 64)
	return indexed{offset: offset, noIndex: fields.Robots == noIndex}, err == nil && offset > 0
}

// tells reports whether an index line is the one of a capture: mime and status
// may differ, which Append is told by its caller, and the title may be missing,
// as it was in the indexes of earlier versions.
func tells(line []byte, c *capture.Stored) bool {
	e := entryOf(&c.Capture)
	return tellsEntry(line, e, c) || e.title != "" && tellsEntry(line, e.withoutTitle(), c)
}

func (e entry) withoutTitle() entry {
	e.title = ""
	return e
}

func tellsEntry(line []byte, e entry, c *capture.Stored) bool {
	rest, ok := bytes.CutPrefix(line, e.appendSubject(nil))
	if !ok {
		return false
	}
	rest, ok = bytes.CutSuffix(rest, appendPlace(e.appendMarks(nil), c.Position))
	if !ok {
		return false
	}
	mime, status, ok := bytes.Cut(rest, []byte(statusMember))
	return ok && (string(mime) == revisitMIME) == (c.Revisit != nil) &&
		capture.MediaType(string(mime)) == string(mime) && strings.Trim(string(status), "-0123456789") == ""
}

// indexLine returns the line for a capture read from its records, which is the
// one Append wrote if Status and MIME were what the response's head states.
func indexLine(c *capture.Stored) []byte {
	return appendPlace(appendEntry(nil, entryOf(&c.Capture)), c.Position)
}

// entryOf returns what the line of a capture says, whose MIME and Status are known.
func entryOf(c *capture.Capture) entry {
	e := entry{
		url:     string(capture.AppendURL(nil, c.URL)),
		date:    c.Date,
		mime:    c.MIME,
		status:  c.Status,
		digest:  c.PayloadDigest,
		noIndex: c.NoIndex,
		title:   indexTitle(c.Metadata),
	}
	if c.Revisit != nil {
		e.mime = revisitMIME
	}
	return e
}
