package fetch

import (
	"errors"
	"io"
	"math"
	"os"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/fetch/content"
)

// errSlow ends a body that is too slow or not over in time.
var errSlow = words.New("said.visit.too-slow", nil)

// reading is a response being read. It works the same on a connection and on
// recorded bytes.
type reading struct {
	// from delivers more of the response; nil if all of it is in capture.
	from    io.Reader
	capture *[]byte
	limits  Limits
	pools   *content.Pools
	// ended is the error with which from ended, io.EOF or another.
	ended error
}

// fill reads more into the capture, which may become at most limit long. It
// returns false if that is reached, or r.ended is set.
func (r *reading) fill(limit int) bool {
	if r.ended == nil && r.from == nil {
		r.ended = io.EOF
	}
	if r.ended != nil || len(*r.capture) >= limit {
		return false
	}
	b := content.Grown(*r.capture, 1)
	n, err := r.from.Read(b[len(b):min(cap(b), limit)])
	*r.capture = b[:len(b)+n]
	if err != nil {
		r.ended = err
	}
	return n > 0 || err == nil
}

// heads reads the interim heads and the final one. It returns the final one
// and where the body begins.
func (r *reading) heads() (head, int, *Error) {
	begin := 0
	for range maxInterim + 1 {
		length, err := r.oneHead(begin)
		if err != nil {
			return head{}, 0, err
		}
		h, err := parseHead((*r.capture)[begin : begin+length])
		if err != nil {
			return head{}, 0, err
		}
		begin += length
		if h.status >= 200 || h.status == 101 {
			return h, begin, nil
		}
	}
	return head{}, 0, &Error{Kind: KindHeadTooLarge, Detail: "too many interim responses"}
}

// oneHead returns the length of the head that begins at begin, read as far
// as need be.
func (r *reading) oneHead(begin int) (int, *Error) {
	for next := 0; ; {
		b := (*r.capture)[begin:]
		if !looksLikeHTTP(b) {
			return 0, &Error{Kind: KindNotHTTP}
		}
		var length int
		if length, next = scanHead(b, next); length >= 0 {
			if begin+length > r.limits.Head {
				break
			}
			return length, nil
		}
		if len(*r.capture) >= r.limits.Head {
			break
		}
		if !r.fill(math.MaxInt) {
			return 0, r.headError()
		}
	}
	return 0, &Error{Kind: KindHeadTooLarge}
}

func (r *reading) headError() *Error {
	if errors.Is(r.ended, errSlow) || errors.Is(r.ended, os.ErrDeadlineExceeded) {
		return &Error{Kind: KindTimeout, Err: r.ended}
	}
	return &Error{Kind: KindClosed, Err: r.ended}
}

// body reads on until the payload has want bytes or is complete, or until
// wire bytes of the body were read. It returns why the body is not complete,
// "" where it is or the payload has what is wanted.
func (r *reading) body(b *body, headLen, wire, want int) string {
	for {
		usable := (*r.capture)[:min(len(*r.capture), headLen+wire)]
		ok := b.take(usable)
		switch {
		case b.done || ok && b.size() >= want:
			return ""
		case !ok:
			return TruncatedDisconnect
		}
		if !r.fill(headLen + wire + 1) {
			return r.bodyEnd(b, headLen+wire)
		}
	}
}

// bodyEnd says what it means that there is no more.
func (r *reading) bodyEnd(b *body, limit int) string {
	switch {
	case len(*r.capture) > limit:
		*r.capture = (*r.capture)[:limit]
		return TruncatedLength
	case r.ended == io.EOF && b.framing == byClose:
		b.done = true
		return ""
	case errors.Is(r.ended, errSlow):
		return TruncatedTime
	}
	return TruncatedDisconnect
}

// wanted says which bodies are read.
type wanted struct {
	// body is the most bytes on the wire of the body of a 200, other of any
	// other response.
	body, other int
	// anyType asks for bodies of all types.
	anyType bool
}

// response reads a whole response. It reports whether the connection can be
// used again.
func (r *reading) response(w wanted) (*Response, bool, *Error) {
	h, headLen, err := r.heads()
	if err != nil {
		return nil, false, err
	}
	b, keep, err := newBody(h, headLen, r.pools)
	if err != nil {
		return nil, false, err
	}
	resp := &Response{Status: h.status, Header: h.header, HeadLen: headLen, Chunked: b.framing == byChunk,
		limits: r.limits, pools: r.pools}
	if h.status != 200 {
		w.body = w.other
	}
	if b.framing != noBody {
		r.readBody(resp, &b, w)
	}
	keep = keep && b.done && b.pos == len(*r.capture)
	if resp.Truncated == TruncatedUnspecified {
		*r.capture = (*r.capture)[:headLen]
	} else {
		if b.done {
			*r.capture = (*r.capture)[:b.pos]
		}
		resp.Payload = b.payload(*r.capture)
	}
	resp.ResponseBytes = *r.capture
	if r.from != nil { // else it is the caller's record
		resp.buffers = append(resp.buffers, r.capture)
	}
	if b.joined != nil {
		resp.buffers = append(resp.buffers, b.joined)
	}
	return resp, keep, nil
}

// readBody tells the type of a body and reads it if it is wanted.
func (r *reading) readBody(resp *Response, b *body, w wanted) {
	resp.MediaType, resp.Charset = content.Type(resp.Header)
	if resp.MediaType == "" {
		cut := r.body(b, resp.HeadLen, w.body, content.SniffAt)
		if b.size() == 0 && !b.done { // nothing to tell it by
			resp.Truncated = cut
			if r.from == nil {
				resp.Truncated = TruncatedUnspecified
			}
			return
		}
		resp.MediaType = r.pools.Sniff(b.payload(*r.capture), resp.Header)
	}
	resp.TextType = content.IsText(resp.MediaType)
	// What a record holds was wanted then.
	recorded := r.from == nil && len(*r.capture) > resp.HeadLen
	if resp.TextType || w.anyType || recorded || b.done && b.size() == 0 {
		resp.Truncated = r.body(b, resp.HeadLen, w.body, math.MaxInt)
		return
	}
	resp.Truncated = TruncatedUnspecified
	r.drain(b, resp.HeadLen)
}

// drain reads the short rest of a body that is not wanted, so that the
// connection can be kept. b is done if it succeeds.
func (r *reading) drain(b *body, headLen int) {
	ok := b.take(*r.capture)
	if ok && b.framing == byCount && b.left <= drainAtMost {
		r.body(b, headLen, len(*r.capture)-headLen+int(b.left), math.MaxInt)
	}
}
