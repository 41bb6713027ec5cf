// Package digest compares records with the digests they state. Writers of WARC files differ in how they write a digest
// and in whether the chunk framing of an HTTP answer belongs to its payload; each of the ways counts.
package digest

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"github.com/forage-net/forage/storage/warc/record"
)

// maxHead is how many bytes of a block are searched for the end of an HTTP head.
const maxHead = 64 << 10

// Append appends a SHA-1 as records state it: "sha1:" and the sum in base32.
func Append(b []byte, sum []byte) []byte {
	b = append(b, "sha1:"...)
	return base32.StdEncoding.AppendEncode(b, sum)
}

// Parse is the reverse of Append. It returns the zero value for what is no SHA-1 in base32.
func Parse(s string) (sum [20]byte) {
	algorithm, text, ok := strings.Cut(s, ":")
	if !ok || !strings.EqualFold(algorithm, "sha1") || len(text) != 32 {
		return sum
	}
	raw, err := base32.StdEncoding.DecodeString(strings.ToUpper(text))
	if err != nil {
		return sum
	}
	return [20]byte(raw)
}

// labelled is a digest that a record states.
type labelled struct {
	hash func() hash.Hash
	sum  []byte // nil if the text is no sum of that algorithm
}

// parseLabelled reads "algorithm:sum" with the sum in base32, base64 or hex. ok is false for an algorithm that cannot
// be checked and for no digest at all.
func parseLabelled(s string) (d labelled, ok bool) {
	algorithm, text, _ := strings.Cut(s, ":")
	switch strings.ToLower(strings.ReplaceAll(algorithm, "-", "")) {
	case "sha1":
		d.hash = sha1.New
	case "sha256":
		d.hash = sha256.New
	default:
		return d, false
	}
	d.sum = parseSum(text, d.hash().Size())
	return d, true
}

// parseSum reads a sum of that size in one of the encodings writers use, which
// the length tells apart; nil if it is none.
func parseSum(text string, size int) (sum []byte) {
	base32 := base32.StdEncoding.WithPadding(base32.NoPadding)
	text = strings.TrimRight(text, "=")
	var err error
	switch len(text) {
	case hex.EncodedLen(size):
		sum, err = hex.DecodeString(text)
	case base32.EncodedLen(size):
		sum, err = base32.DecodeString(strings.ToUpper(text))
	case base64.RawStdEncoding.EncodedLen(size):
		sum, err = base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	if err != nil {
		return nil
	}
	return sum
}

// verifier passes on the block of a record and compares its digests with those
// the record states when it has been read to the end. It holds no more than an
// HTTP head of the block.
type verifier struct {
	body           io.Reader
	block, payload labelled
	blockSum       hash.Hash    // nil if there is nothing to compare
	payloadSum     *payloadHash // nil if there is nothing to compare
	wrong          Wrong
}

// Wrong is what is called for a record whose block or payload has another digest than the record states.
type Wrong struct{ Block, Payload func() }

// Verify makes the Body of a record check itself. What is wrong is told when the end of the block is read.
func Verify(rec *record.Record, wrong Wrong) {
	v := &verifier{body: rec.Body, wrong: wrong}
	var ok bool
	if v.block, ok = parseLabelled(rec.Header.Get("WARC-Block-Digest")); ok {
		v.blockSum = v.block.hash()
	}
	if rec.Type == "revisit" || rec.Header.Get("WARC-Segment-Number") != "" {
		// Its payload is in another record, or in several.
	} else if v.payload, ok = parseLabelled(rec.Header.Get("WARC-Payload-Digest")); ok {
		http := strings.HasPrefix(strings.ToLower(rec.Header.Get("Content-Type")), "application/http")
		v.payloadSum = newPayloadHash(v.payload.hash, http)
	}
	if v.blockSum != nil || v.payloadSum != nil {
		rec.Body = v
	}
}

func (v *verifier) Read(p []byte) (int, error) {
	n, err := v.body.Read(p)
	if v.blockSum != nil {
		v.blockSum.Write(p[:n])
	}
	if v.payloadSum != nil {
		v.payloadSum.write(p[:n])
	}
	if err == io.EOF {
		v.compare()
	}
	return n, err
}

// compare is called with the end of the block; later calls do nothing.
func (v *verifier) compare() {
	if v.blockSum != nil && !bytes.Equal(v.blockSum.Sum(nil), v.block.sum) {
		v.wrong.Block()
	}
	if v.payloadSum != nil && !v.payloadSum.is(v.payload.sum) {
		v.wrong.Payload()
	}
	v.blockSum, v.payloadSum = nil, nil
}

// payloadHash digests the payload of a block as it comes. Writers differ in
// whether chunk framing belongs to it, and heads in how they say that there is
// any, so both are digested and either counts. Data that is not chunked breaks
// the framing at once.
type payloadHash struct {
	head      []byte // what came of an HTTP head; nil behind it
	inHead    bool
	framed    hash.Hash // with chunk framing
	unframed  hash.Hash
	unchunker unchunker
}

func newPayloadHash(algorithm func() hash.Hash, http bool) *payloadHash {
	p := &payloadHash{inHead: http, framed: algorithm()}
	if http {
		p.unframed = algorithm()
	}
	return p
}

func (p *payloadHash) write(b []byte) {
	if p.inHead {
		before := len(p.head)
		p.head = append(p.head, b[:min(len(b), maxHead+1-before)]...)
		end := headLength(p.head)
		if end < 0 && len(p.head) <= maxHead {
			return
		}
		// Nothing that ends within maxHead is no head.
		p.inHead, p.head = false, nil
		if end < 0 {
			p.framed = nil
			return
		}
		b = b[end-before:]
	}
	if p.framed == nil {
		return
	}
	p.framed.Write(b)
	if p.unframed != nil {
		p.unchunker.write(b, p.unframed)
	}
}

// is reports whether the payload has the digest. What cannot be told passes.
func (p *payloadHash) is(sum []byte) bool {
	if p.framed == nil || p.inHead {
		return true
	}
	return bytes.Equal(p.framed.Sum(nil), sum) ||
		p.unframed != nil && bytes.Equal(p.unframed.Sum(nil), sum)
}

// headLength returns the length of the HTTP head at the beginning of b, empty
// lines before it included, or -1 if it does not end there.
func headLength(b []byte) int {
	begun := false
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return -1
		}
		empty := len(bytes.TrimSuffix(b[at:at+i], []byte("\r"))) == 0
		at += i + 1
		if empty && begun {
			return at
		}
		begun = begun || !empty
	}
}
