package fetch

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/date"
	"github.com/forage-net/forage/crawl/fetch/content"
	"github.com/forage-net/forage/crawl/fetch/retryafter"
)

// Why a body is not complete, in the words of WARC-Truncated (WARC 1.1 §5.13).
const (
	TruncatedLength      = "length"      // longer than allowed
	TruncatedTime        = "time"        // too slow, or not over in time
	TruncatedDisconnect  = "disconnect"  // the connection ended, or the framing broke
	TruncatedUnspecified = "unspecified" // no text, so it was not read
)

// Response is one response and the request it answers. Its slices share
// pooled memory: they are valid until Release.
type Response struct {
	URL crawl.URL
	// Addr is where it came from; not valid for a recorded response.
	Addr netip.AddrPort
	// Started is when the request was written, Took the time from there to
	// the last byte that was read, without what the Pacer held it back.
	Started time.Time
	Took    time.Duration
	// Connect is how long the connection took that was opened for this exchange, TLS not included; 0 if it was
	// open before.
	Connect time.Duration
	// RequestBytes and ResponseBytes are what went over the connection, over TLS the plaintext: interim (1xx)
	// responses, chunk framing and trailers included, from the first byte to the last of this response. Of a
	// body that was not wanted nothing is in them.
	RequestBytes, ResponseBytes []byte
	// HeadLen is how many of ResponseBytes come before the body: the head,
	// interim responses and empty lines included.
	HeadLen int
	// Status is the final status, 101 to 999.
	Status int
	// Header is that of the final head. Names are in canonical form, trailers
	// are not in it. It stays valid after Release.
	Header http.Header
	// MediaType is the type without parameters in lower case, by the last valid one of the
	// head or, where none is, by the first bytes; "" if there is no body.
	MediaType string
	// Charset is the label of the encoding that the head names, "" if it names none.
	Charset string
	// TextType says that MediaType is one whose bodies are read.
	TextType bool
	// Payload is the body without chunk framing, still in its content coding.
	Payload []byte
	// Chunked says that ResponseBytes has the body in chunks.
	Chunked bool
	// Truncated says why Payload is not complete, "" if it is: one of the Truncated constants.
	Truncated string
	// Sent and Received count the bytes on the wire for this exchange, TLS
	// and, where one was made for it, the handshake included; 0 for a recorded response.
	Sent, Received int64
	// Repeated says that the request was sent twice: a connection kept from before ended
	// without an answer to it.
	Repeated bool

	limits  Limits
	pools   *content.Pools
	buffers []*[]byte // to recycle
	text    []byte
	decoded bool // text and textErr are set
	textErr error
}

// Release gives the memory of the response back. None of its slices, nor what Text returned, may be used after.
func (r *Response) Release() {
	for _, b := range r.buffers {
		r.pools.Recycle(b)
	}
	r.buffers = nil
	r.RequestBytes, r.ResponseBytes, r.Payload, r.text, r.decoded = nil, nil, nil, nil, false
}

// ContentType returns MediaType with Charset as parameter.
func (r *Response) ContentType() string {
	if r.Charset == "" {
		return r.MediaType
	}
	return r.MediaType + "; charset=" + r.Charset
}

// Digest returns the SHA-1 of Payload: WARC-Payload-Digest.
func (r *Response) Digest() [sha1.Size]byte { return sha1.Sum(r.Payload) }

// Text returns the payload with all codings undone: gzip, deflate (zlib or raw), br and zstd, up to two of
// them. A payload that is text though the head names a coding, known or not, is returned as it is, like in
// browsers. It is in the charset in which it came. With content.ErrIncomplete it returns what could be decoded;
// with content.ErrBomb and content.ErrEncoding nothing. A payload that was cut already (see Truncated) is not
// complete either. The slice is valid until Release; it may be Payload.
func (r *Response) Text() ([]byte, error) {
	if !r.decoded {
		r.text, r.textErr = r.decodeText()
		r.decoded = true
	}
	return r.text, r.textErr
}

func (r *Response) decodeText() ([]byte, error) {
	list, foreign := content.Codings(r.Header)
	if len(r.Payload) == 0 || len(list) == 0 && !foreign {
		return r.plainText()
	}
	text, err := []byte(nil), fmt.Errorf("%w: unknown coding", content.ErrEncoding)
	for i := range list { // the first are the ones that may not have been applied
		if text, err = r.undo(list[i:]); !errors.Is(err, content.ErrEncoding) {
			break
		}
	}
	if err != nil && !errors.Is(err, content.ErrBomb) && content.Plain(r.Payload) {
		return r.plainText() // whatever the head says
	}
	return text, err
}

// plainText returns the payload as text.
func (r *Response) plainText() (text []byte, err error) {
	n := min(len(r.Payload), r.limits.Text)
	if r.Truncated != "" || n < len(r.Payload) {
		err = content.ErrIncomplete
	}
	return r.Payload[:n:n], err
}

// undo returns the payload without codings.
func (r *Response) undo(list []content.Coding) ([]byte, error) {
	out := r.pools.Buffer()
	r.buffers = append(r.buffers, out)
	limit := min(r.limits.Text, max(ratioFrom, r.limits.Ratio*len(r.Payload)))
	err := r.pools.Decode(out, r.Payload, list, limit, r.limits.Text)
	if err == nil && r.Truncated != "" {
		err = content.ErrIncomplete
	}
	if err != nil && !errors.Is(err, content.ErrIncomplete) {
		return nil, err
	}
	return *out, err
}

// Packed reports whether Payload is compressed, as far as its head and its beginning say.
func (r *Response) Packed() bool {
	list, foreign := content.Codings(r.Header)
	return (foreign || len(list) > 0) && !content.Plain(r.Payload)
}

// RetryAfter returns how long the site asks to be left alone, from 0 to crawl.MaxWait, and whether it asks at
// all. A date is compared to that of the answer or, where there is none, to now.
func (r *Response) RetryAfter(now time.Time) (wait time.Duration, asks bool) {
	if sent := date.Parse(r.Header.Get("Date")); !sent.IsZero() {
		now = sent // of the same clock, which need not be ours
	}
	return retryafter.Parse(r.Header.Values("Retry-After"), now)
}

// ErrNoLocation is returned by Location where there is none.
var ErrNoLocation = errors.New("no Location")

// Location returns the target of a redirect, resolved against the URL of the
// response. The error is ErrNoLocation or one of crawl.ParseURL.
func (r *Response) Location() (crawl.URL, error) {
	values := r.Header["Location"]
	if len(values) == 0 || values[0] == "" {
		return crawl.URL{}, ErrNoLocation
	}
	return r.URL.Resolve(escapeOctets(values[0]))
}

// URLField returns the values of a field that holds URLs, such as Link. What
// is not UTF-8 in them is percent-encoded.
func (r *Response) URLField(name string) []string {
	values := slices.Clone(r.Header[name])
	for i, v := range values {
		values[i] = escapeOctets(v)
	}
	return values
}

// escapeOctets percent-encodes what is not UTF-8, so that the octets a server meant go back to it.
func escapeOctets(s string) string {
	if utf8.ValidString(s) || len(s) > 4*crawl.MaxURL {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}
