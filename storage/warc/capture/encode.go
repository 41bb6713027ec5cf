package capture

import (
	"cmp"
	"crypto/sha1"
	"strconv"

	"github.com/forage-net/forage/storage/warc/digest"
	"github.com/forage-net/forage/storage/warc/member"
	"github.com/forage-net/forage/storage/warc/record"
)

const (
	// profileDigest is for payloads that came again (WARC 1.1 §6.7.2).
	profileDigest = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	// profileNotModified is for a 304 in place of the payload (WARC 1.1 §6.7.3).
	profileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
	// robotsField marks a response or revisit record. It stands there and not
	// in the metadata because a crash may keep the one and not the other.
	robotsField = "Forage-Robots"
	noIndex     = "noindex"
	// keepBuffer is the largest buffer that Encoder and Reader keep for their
	// next capture: room for all pages but the rarest.
	keepBuffer = 1 << 20
)

// Encoder turns a capture into the bytes that are appended to a file, which are in Out. It is meant to be used again,
// as a deflate compressor takes most of a megabyte.
type Encoder struct {
	member.Writer
	head     []byte // header of the record being written
	metadata []byte
	ids      [3]member.ID
	url, ip  string // escaped and checked
	date     []byte
	recordAt int // where in Out the response record begins
	recordTo int
}

// Encode puts the records of a capture, which has been checked, into Out. It fills in what c leaves to it: MIME and
// Status as the response's head states them; angle brackets around its URL go. No slice of c is kept.
func (e *Encoder) Encode(c *Capture) {
	e.reset()
	c.complete()
	e.url = string(AppendURL(e.head[:0], c.URL))
	e.ip = validIP(c.IP)
	e.date = c.Date.UTC().AppendFormat(e.date[:0], dateLayout)
	if len(c.Request) > 0 {
		e.request(c)
	}
	e.recordAt = len(e.Out)
	e.response(c)
	e.recordTo = len(e.Out)
	if len(c.Metadata) > 0 {
		e.metadataRecord(c)
	}
}

// Position returns where the capture is in a file of that name if Out is written there at offset.
func (e *Encoder) Position(file string, offset int64) Position {
	return Position{
		File: file, Offset: offset, Length: int64(len(e.Out)),
		RecordOffset: offset + int64(e.recordAt), RecordLength: int64(e.recordTo - e.recordAt),
	}
}

// complete fills in what Encode is to find out.
func (c *Capture) complete() {
	c.URL = record.Bare(c.URL)
	if c.MIME == "" || c.Status == 0 {
		found := parseHead(c.Response[:c.HeadLen])
		c.MIME, c.Status = cmp.Or(c.MIME, found.mime), cmp.Or(c.Status, found.status)
	}
	c.MIME = MediaType(c.MIME)
}

func (e *Encoder) reset() {
	if cap(e.Out) > keepBuffer {
		e.Out = nil
	}
	if cap(e.metadata) > keepBuffer {
		e.metadata = nil
	}
	e.Out = e.Out[:0]
	member.DrawIDs(e.ids[:])
}

func (e *Encoder) request(c *Capture) {
	e.begin("request", &e.ids[1])
	e.header("WARC-Target-URI", e.url)
	e.header("WARC-IP-Address", e.ip)
	e.concurrent()
	e.end("application/http; msgtype=request", c.Request)
	e.Append(e.head, c.Request, nil)
}

func (e *Encoder) response(c *Capture) {
	block := c.Response
	if c.Revisit == nil {
		e.begin("response", &e.ids[0])
	} else {
		e.begin("revisit", &e.ids[0])
		block = block[:c.HeadLen]
	}
	e.header("WARC-Target-URI", e.url)
	e.header("WARC-IP-Address", e.ip)
	if c.PayloadDigest != [20]byte{} {
		e.head = append(e.head, "WARC-Payload-Digest: "...)
		e.head = digest.Append(e.head, c.PayloadDigest[:])
		e.head = append(e.head, "\r\n"...)
	}
	if c.Revisit != nil {
		e.revisit(c.Revisit)
	}
	e.header("WARC-Truncated", c.Truncated)
	if c.NoIndex {
		e.header(robotsField, noIndex)
	}
	e.end("application/http; msgtype=response", block)
	text := len(block)
	if c.Compressed {
		text = min(c.HeadLen, text)
	}
	e.Append(e.head, block[:text], block[text:])
}

func (e *Encoder) revisit(r *Refers) {
	profile := profileDigest
	if r.NotModified {
		profile = profileNotModified
	}
	e.header("WARC-Profile", profile)
	e.head = append(e.head, "WARC-Refers-To-Target-URI: "...)
	e.head = AppendURL(e.head, r.URL)
	e.head = append(e.head, "\r\nWARC-Refers-To-Date: "...)
	e.head = r.Date.UTC().AppendFormat(e.head, dateLayout)
	e.head = append(e.head, "\r\n"...)
}

func (e *Encoder) metadataRecord(c *Capture) {
	e.metadata = e.metadata[:0]
	for _, f := range c.Metadata {
		e.metadata = appendField(e.metadata, f[0], f[1])
	}
	e.begin("metadata", &e.ids[2])
	e.header("WARC-Target-URI", e.url)
	e.concurrent()
	e.end("application/warc-fields", e.metadata)
	e.Append(e.head, e.metadata, nil)
}

// begin starts the header of a record.
func (e *Encoder) begin(kind string, id *member.ID) {
	e.head = append(e.head[:0], "WARC/1.1\r\nWARC-Type: "...)
	e.head = append(e.head, kind...)
	e.head = append(e.head, "\r\nWARC-Record-ID: <urn:uuid:"...)
	e.head = append(e.head, id[:]...)
	e.head = append(e.head, ">\r\nWARC-Date: "...)
	e.head = append(e.head, e.date...)
	e.head = append(e.head, "\r\n"...)
}

// header adds a line; an empty value leaves it out.
func (e *Encoder) header(name, value string) {
	if value == "" {
		return
	}
	e.head = append(e.head, name...)
	e.head = append(e.head, ": "...)
	e.head = append(e.head, value...)
	e.head = append(e.head, "\r\n"...)
}

// concurrent links the record to the response of the same capture.
func (e *Encoder) concurrent() {
	e.head = append(e.head, "WARC-Concurrent-To: <urn:uuid:"...)
	e.head = append(e.head, e.ids[0][:]...)
	e.head = append(e.head, ">\r\n"...)
}

// end finishes the header of a record with what describes its block.
func (e *Encoder) end(contentType string, block []byte) {
	sum := sha1.Sum(block)
	e.head = append(e.head, "WARC-Block-Digest: "...)
	e.head = digest.Append(e.head, sum[:])
	e.head = append(e.head, "\r\n"...)
	e.header("Content-Type", contentType)
	e.head = append(e.head, "Content-Length: "...)
	e.head = strconv.AppendInt(e.head, int64(len(block)), 10)
	e.head = append(e.head, "\r\n\r\n"...)
}
