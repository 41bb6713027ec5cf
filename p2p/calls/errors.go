package calls

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

var (
	// ErrUnreachable is returned when no reply came: the peer could not be
	// dialled, or the stream broke. It says nothing about whether the request
	// was handled.
	ErrUnreachable = errors.New("peer unreachable")
	// ErrUnknownKind is returned when the peer does not handle the kind, or
	// when it was not registered here.
	ErrUnknownKind = errors.New("unknown kind of request")
	// ErrFailed is returned when the handler of the peer failed.
	ErrFailed = errors.New("request failed at the peer")
	// ErrReply is returned when the reply breaks the protocol or the limits.
	ErrReply = errors.New("malformed reply")
	// ErrTooLarge is returned before anything is sent, when the body is longer
	// than the Spec of its kind allows.
	ErrTooLarge = errors.New("request too large")
)

const (
	// maxBusy bounds the pause a peer may ask for.
	maxBusy = 10 * time.Minute
	// maxText bounds the text of a refusal, in bytes.
	maxText = 200
)

// Busy means: later. A handler returns it to have it sent, and Call returns it
// to the caller.
type Busy struct {
	// After is how long to wait before asking again, at most 10 minutes.
	After time.Duration
}

func (e *Busy) Error() string { return fmt.Sprintf("peer busy for %v", e.After) }

// Refused means: no, and asking again will not help. A handler returns it to
// have it sent, and Call returns it to the caller.
type Refused struct {
	// Text is the reason: at most 200 bytes, without control characters. It
	// comes from a stranger.
	Text string
}

func (e *Refused) Error() string { return "peer refused: " + e.Text }

// Lie is returned by a handler when the request could not have come from an
// honest peer. The peer is told What as a refusal and is charged with it.
type Lie struct {
	// What names the offence, as in Calls.Offend.
	What string
	// Weight is what it adds to the score of the peer.
	Weight int
}

func (e *Lie) Error() string { return "lie: " + e.What }

// cleanText makes s fit to be sent or shown: valid UTF-8 of at most maxText
// bytes, without control and format characters.
func cleanText(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
		for i := 0; i < utf8.UTFMax && !utf8.ValidString(s); i++ {
			s = s[:len(s)-1]
		}
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) ||
			unicode.Is(unicode.Zp, r) {
			return -1
		}
		return r
	}, s)
}
