package warc

import (
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
	// keepBuffer is the largest buffer that an encoder keeps for its next
	// capture: room for all pages but the rarest.
	keepBuffer = 1 << 20
)

// encoder turns a capture into the bytes that are appended to a file. It is
// reused, as a deflate compressor takes most of a megabyte.
type encoder struct {
	member.Writer
	head     []byte // header of the record being written
	metadata []byte
	index    []byte // the index line up to the place
	ids      [3]member.ID
	url, ip  string // escaped and checked
	date     []byte
	recordAt int // where in Out the response record begins
	recordTo int
}

// encode fills Out, index, recordAt and recordTo. c has been checked.
func (e *encoder) encode(c *Capture) {
	e.reset()
	e.url = string(appendURL(e.head[:0], record.Bare(c.URL)))
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
	e.indexLine(c)
}

func (e *encoder) reset() {
	if cap(e.Out) > keepBuffer {
		e.Out = nil
	}
	if cap(e.metadata) > keepBuffer {
		e.metadata = nil
	}
	e.Out = e.Out[:0]
	member.DrawIDs(e.ids[:])
}

func (e *encoder) request(c *Capture) {
	e.begin("request", &e.ids[1])
	e.header("WARC-Target-URI", e.url)
	e.header("WARC-IP-Address", e.ip)
	e.concurrent()
	e.end("application/http; msgtype=request", c.Request)
	e.Append(e.head, c.Request, nil)
}

func (e *encoder) response(c *Capture) {
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

func (e *encoder) revisit(r *Refers) {
	profile := profileDigest
	if r.NotModified {
		profile = profileNotModified
	}
	e.header("WARC-Profile", profile)
	e.head = append(e.head, "WARC-Refers-To-Target-URI: "...)
	e.head = appendURL(e.head, r.URL)
	e.head = append(e.head, "\r\nWARC-Refers-To-Date: "...)
	e.head = r.Date.UTC().AppendFormat(e.head, dateLayout)
	e.head = append(e.head, "\r\n"...)
}

func (e *encoder) metadataRecord(c *Capture) {
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
func (e *encoder) begin(kind string, id *member.ID) {
	e.head = append(e.head[:0], "WARC/1.1\r\nWARC-Type: "...)
	e.head = append(e.head, kind...)
	e.head = append(e.head, "\r\nWARC-Record-ID: <urn:uuid:"...)
	e.head = append(e.head, id[:]...)
	e.head = append(e.head, ">\r\nWARC-Date: "...)
	e.head = append(e.head, e.date...)
	e.head = append(e.head, "\r\n"...)
}

// header adds a line; an empty value leaves it out.
func (e *encoder) header(name, value string) {
	if value == "" {
		return
	}
	e.head = append(e.head, name...)
	e.head = append(e.head, ": "...)
	e.head = append(e.head, value...)
	e.head = append(e.head, "\r\n"...)
}

// concurrent links the record to the response of the same capture.
func (e *encoder) concurrent() {
	e.head = append(e.head, "WARC-Concurrent-To: <urn:uuid:"...)
	e.head = append(e.head, e.ids[0][:]...)
	e.head = append(e.head, ">\r\n"...)
}

// end finishes the header of a record with what describes its block.
func (e *encoder) end(contentType string, block []byte) {
	sum := sha1.Sum(block)
	e.head = append(e.head, "WARC-Block-Digest: "...)
	e.head = digest.Append(e.head, sum[:])
	e.head = append(e.head, "\r\n"...)
	e.header("Content-Type", contentType)
	e.head = append(e.head, "Content-Length: "...)
	e.head = strconv.AppendInt(e.head, int64(len(block)), 10)
	e.head = append(e.head, "\r\n\r\n"...)
}

func (e *encoder) indexLine(c *Capture) {
	line := entry{url: e.url, date: c.Date, mime: c.MIME, status: c.Status, digest: c.PayloadDigest,
		noIndex: c.NoIndex, title: indexTitle(c.Metadata)}
	if line.mime == "" || line.status == 0 {
		found := parseHead(c.Response[:c.HeadLen])
		if line.mime == "" {
			line.mime = found.mime
		}
		if line.status == 0 {
			line.status = found.status
		}
	}
	line.mime = indexMIME(line.mime)
	if c.Revisit != nil {
		line.mime = revisitMIME
	}
	e.index = appendEntry(e.index[:0], line)
}
