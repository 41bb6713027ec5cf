// Package cdxj writes and reads the index of an archive file: a line for each capture, in the order of writing. It says
// what was fetched when, and where its record is. An index that is lost is made again from the captures. Lines are read
// forwards and backwards, also while more are written, in bounded memory whatever the bytes.
package cdxj

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

// MaxLine bounds an index line: URL and key of escaped bytes, each of which
// JSON may escape once more, and the other fields.
const MaxLine = 16*capture.MaxURL + 4<<10

// entry is what one line of a CDXJ index says:
//
//	com,example)/a 20260131120000 {"url":"https://example.com/a","mime":"text/html",
//	"status":"200","digest":"…","length":"1234","offset":"567","filename":"….warc.gz"}
//
// in one line. All values are strings, as is customary. Offset and length are
// those of the response record. A revisit has the mime type "warc/revisit". The
// digest is left out if the capture has none. A capture that is marked NoIndex
// has "robots":"noindex" before the length, and one whose metadata tell a title
// has "title":"…" behind that, by which it is found.
type entry struct {
	url     string // as stored
	date    time.Time
	mime    string
	status  int
	digest  [20]byte
	noIndex bool
	title   string // as indexTitle returns it
}

// NoIndex is the value of robots.
const NoIndex = "noindex"

// RevisitMIME stands in place of the media type of a revisit.
const RevisitMIME = "warc/revisit"

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
		b = append(b, `","robots":"`+NoIndex...)
	}
	return appendTitle(b, e.title)
}

// AppendHead appends the part of a capture's line that does not depend on where
// its record is. MIME and Status are known.
func AppendHead(b []byte, c *capture.Capture) []byte { return appendEntry(b, entryOf(c)) }

// AppendPlace completes the line.
func AppendPlace(b []byte, p capture.Position) []byte {
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

// Said is what an index line says of a capture.
type Said struct {
	Offset  int64 // of the response record
	NoIndex bool
}

// Parse reads an index line; ok is false if it is none.
func Parse(line []byte) (i Said, ok bool) {
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
	return Said{Offset: offset, NoIndex: fields.Robots == NoIndex}, err == nil && offset > 0
}

// Tells reports whether an index line is the one of a capture: mime and status
// may differ, which the archive is told by its caller, and the title may be
// missing, as it was in the indexes of earlier versions.
func (l *Line) Tells(c *capture.Stored) bool {
	e := entryOf(&c.Capture)
	untitled := e
	untitled.title = ""
	return tellsEntry(l.Text, e, c) || e.title != "" && tellsEntry(l.Text, untitled, c)
}

func tellsEntry(line []byte, e entry, c *capture.Stored) bool {
	rest, ok := bytes.CutPrefix(line, e.appendSubject(nil))
	if !ok {
		return false
	}
	rest, ok = bytes.CutSuffix(rest, AppendPlace(e.appendMarks(nil), c.Position))
	if !ok {
		return false
	}
	mime, status, ok := bytes.Cut(rest, []byte(statusMember))
	return ok && (string(mime) == RevisitMIME) == (c.Revisit != nil) &&
		capture.MediaType(string(mime)) == string(mime) && strings.Trim(string(status), "-0123456789") == ""
}

// LineOf returns the line for a capture read from its records, which is the one
// that was written with it if Status and MIME were what the response's head
// states.
func LineOf(c *capture.Stored) []byte {
	return AppendPlace(appendEntry(nil, entryOf(&c.Capture)), c.Position)
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
		e.mime = RevisitMIME
	}
	return e
}

// Value returns the string behind key and passes it; nil if there is none.
func Value(line *[]byte, key string) []byte {
	i := bytes.Index(*line, []byte(key))
	if i < 0 {
		return nil
	}
	rest := (*line)[i+len(key):]
	for n := 0; n < len(rest); n++ {
		if rest[n] == '\\' {
			n++
		} else if rest[n] == '"' {
			*line = rest[n:]
			return rest[:n]
		}
	}
	return nil
}

// Place returns where the record of an index line begins, 0 if it is none.
func Place(line []byte) (offset int64) {
	const key = `","offset":"`
	i := bytes.LastIndex(line, []byte(key))
	if i < 0 {
		return 0
	}
	for _, c := range line[i+len(key):] {
		if c < '0' || c > '9' || offset > 1<<52 {
			break
		}
		offset = 10*offset + int64(c-'0')
	}
	return offset
}
