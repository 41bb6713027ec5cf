package calls

import (
	"bufio"
	"fmt"
)

// maxDeclined bounds the body of a reply that is not what was asked for, but a
// pause or a text.
const maxDeclined = 256

// answer is what a peer said: a body, or why there is none.
type answer struct {
	body []byte
	err  error
}

// readReply reads a reply with a body of at most limit bytes. Its error is
// that of the stream, or wraps errFrame.
func (c *codec) readReply(r *bufio.Reader, limit int) (answer, error) {
	h, err := readHead(r)
	if err != nil {
		return answer{}, err
	}
	if h.code != statusOK {
		limit = maxDeclined
	}
	if h.size > limit {
		return answer{}, fmt.Errorf("%w: status %d with %d bytes, want at most %d", errFrame, h.code, h.size, limit)
	}
	wire, err := readBody(r, h.size)
	if err != nil {
		return answer{}, err
	}
	body, err := c.open(h, wire, limit)
	if err != nil {
		return answer{}, err
	}
	return meaning(h.code, body)
}

// meaning says what a reply means. Errors wrap errFrame.
func meaning(status byte, body []byte) (answer, error) {
	switch status {
	case statusOK:
		return answer{body: body}, nil
	case statusBusy:
		after, err := parseBusy(body)
		return answer{err: &Busy{After: after}}, err
	case statusRefused:
		return answer{err: &Refused{Text: cleanText(string(body))}}, nil
	case statusUnknown:
		return answer{err: ErrUnknownKind}, nil
	case statusFailed:
		if text := cleanText(string(body)); text != "" {
			return answer{err: fmt.Errorf("%w: %s", ErrFailed, text)}, nil
		}
		return answer{err: ErrFailed}, nil
	}
	return answer{}, fmt.Errorf("%w: status %d", errFrame, status)
}
