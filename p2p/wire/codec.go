package wire

import (
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/crawl"
)

// ErrInvalid is returned, wrapped, for bytes that are no message: whoever sent
// them does not keep the protocol.
var ErrInvalid = errors.New("invalid message")

const (
	// maxElements bounds every list of a message: an empty element is one byte that
	// becomes hundreds. No message has lists within lists, which would multiply.
	maxElements = 4096
	// maxDuration bounds durations, in milliseconds: a day and an hour.
	maxDuration = 25 * 60 * 60 * 1000
)

var (
	encMode = func() cbor.EncMode {
		mode, err := cbor.CoreDetEncOptions().EncMode()
		if err != nil {
			panic(err) // the options are constants
		}
		return mode
	}()
	decMode = func() cbor.DecMode {
		mode, err := cbor.DecOptions{
			MaxArrayElements: maxElements, MaxMapPairs: 64, MaxNestedLevels: 6,
			UTF8: cbor.UTF8DecodeInvalid, DupMapKey: cbor.DupMapKeyEnforcedAPF,
			IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		}.DecMode()
		if err != nil {
			panic(err) // the options are constants
		}
		return mode
	}()
)

// Message is one of this package's.
type Message interface{ validate() error }

// Pointer is a pointer to a message of type M.
type Pointer[M any] interface {
	*M
	Message
}

// Encode returns a message as bytes. It panics if m is none of this package's
// messages.
func Encode(m Message) []byte {
	raw, err := encMode.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("wire: encode %T: %v", m, err)) // the types are ours
	}
	return raw
}

// Decode reads a message of type M. The error wraps ErrInvalid.
func Decode[M any, P Pointer[M]](raw []byte) (M, error) {
	var m M
	if err := decMode.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := P(&m).validate(); err != nil {
		return m, err
	}
	return m, nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
}

// checkDomain reports what is wrong with a domain's name: it must be one as
// crawl makes them.
func checkDomain(d crawl.Domain) error {
	if d == "" || len(d) > 255 {
		return invalid("domain of %d bytes", len(d))
	}
	for i := range len(d) {
		if d[i] <= ' ' || d[i] > '~' || d[i] >= 'A' && d[i] <= 'Z' {
			return invalid("domain %.100q", string(d))
		}
	}
	return nil
}

func checkPeer(id string) error {
	if len(id) < 8 || len(id) > 64 {
		return invalid("peer ID of %d bytes", len(id))
	}
	return nil
}

// checkMillis checks a duration in milliseconds.
func checkMillis(ms int64) error {
	if ms < 0 || ms > maxDuration {
		return invalid("duration of %d ms", ms)
	}
	return nil
}
