package recall

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Fault is why versions are asked to pause. The numbers are part of notes.
type Fault uint8

const (
	// Other is none of those below; so is a number that this version does not know.
	Other Fault = 0
	// Often is that sites are asked too often.
	Often Fault = 1
	// Robots is that a site's robots.txt is not respected.
	Robots Fault = 2
	// Pages is that pages are fetched that must not be.
	Pages Fault = 3
)

// Faults are their names, by number.
var Faults = [...]string{"other", "often", "robots", "pages"}

// Note is what the makers ask.
type Note struct {
	// Below is the version, like "0.2.0", of which all earlier ones are asked to pause. "" asks nobody, and takes
	// earlier notes back.
	Below string
	Fault Fault
	// Issued and Until are when it was made and when it ends, to the second, at most MaxLife apart.
	Issued, Until time.Time
}

const (
	// MaxLine is the longest line of a note, in bytes.
	MaxLine = 256
	// MaxLife is the longest that a note counts: whoever holds one back, or forgets it, stops nobody for longer.
	MaxLife = 30 * 24 * time.Hour
	// ahead is how far the clocks of others may be ahead.
	ahead  = 24 * time.Hour
	scheme = "forage-recall:"
	// signed begins what is signed, so that a release key's signature under anything else is none under a note.
	signed   = "forage recall note 1\x00"
	headSize = 1 + 8 + 8
	maxBelow = 20
)

var (
	// ErrForged is in the error of Parse for a line that no release key has signed.
	ErrForged = errors.New("not a note of the release key")
	// ErrTime is in the error of Parse for a note that is over, or of the future.
	ErrTime = errors.New("the note does not count now")
)

// Sign returns the line of a note. The error says what is wrong with it.
func Sign(n Note, key ed25519.PrivateKey) (string, error) {
	if n.Below != "" {
		if _, err := parseVersion(n.Below); err != nil {
			return "", err
		}
	}
	if life := n.Until.Sub(n.Issued); life <= 0 || life > MaxLife {
		return "", fmt.Errorf("a note counts for up to %d days, not for %s", MaxLife/(24*time.Hour), life)
	}
	b := binary.BigEndian.AppendUint64([]byte{byte(n.Fault)}, uint64(n.Issued.Unix()))
	b = binary.BigEndian.AppendUint64(b, uint64(n.Until.Unix()))
	b = append(b, n.Below...)
	b = append(b, ed25519.Sign(key, append([]byte(signed), b...))...)
	return scheme + base64.RawURLEncoding.EncodeToString(b), nil
}

// Parse reads the line of a note that one of keys has signed, and that counts now. Without keys there is none.
func Parse(line string, keys []ed25519.PublicKey, now time.Time) (n Note, err error) {
	text, ok := strings.CutPrefix(line, scheme)
	if !ok || len(line) > MaxLine {
		return n, ErrForged
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || base64.RawURLEncoding.EncodeToString(b) != text || len(b) < headSize+ed25519.SignatureSize ||
		len(b) > headSize+maxBelow+ed25519.SignatureSize || !isSigned(b, keys) {
		return n, ErrForged
	}
	b = b[:len(b)-ed25519.SignatureSize]
	issued, until := binary.BigEndian.Uint64(b[1:]), binary.BigEndian.Uint64(b[9:])
	n = Note{Below: string(b[headSize:]), Fault: Fault(b[0])}
	if n.Below != "" {
		if _, err := parseVersion(n.Below); err != nil {
			return Note{}, err
		}
	}
	const never = 1 << 40 // as seconds, and more than any date
	if issued > never || until > never || until <= issued || until-issued > uint64(MaxLife/time.Second) {
		return Note{}, fmt.Errorf("%w: it would count for too long", ErrTime)
	}
	n.Issued, n.Until = time.Unix(int64(issued), 0).UTC(), time.Unix(int64(until), 0).UTC()
	if n.Issued.After(now.Add(ahead)) || !now.Before(n.Until) {
		return Note{}, fmt.Errorf("%w: it counts from %s to %s", ErrTime, n.Issued.Format(time.DateOnly),
			n.Until.Format(time.DateOnly))
	}
	return n, nil
}

func isSigned(b []byte, keys []ed25519.PublicKey) bool {
	at := len(b) - ed25519.SignatureSize
	text := append([]byte(signed), b[:at]...)
	for _, k := range keys {
		if len(k) == ed25519.PublicKeySize && ed25519.Verify(k, text, b[at:]) {
			return true
		}
	}
	return false
}

// Asks reports whether a note asks a version of the program to pause at a time.
func (n Note) Asks(version string, now time.Time) bool {
	if n.Below == "" || !now.Before(n.Until) {
		return false
	}
	below, err := parseVersion(n.Below)
	own, bad := parseVersion(version)
	if err != nil || bad != nil {
		return err == nil // a version that cannot be read is of no release
	}
	for i := range below {
		if own[i] != below[i] {
			return own[i] < below[i]
		}
	}
	return false
}

// parseVersion reads "1.2.3".
func parseVersion(text string) (v [3]uint64, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != len(v) || len(text) > maxBelow {
		return v, fmt.Errorf("version %.40q: write it like 0.2.0", text)
	}
	for i, p := range parts {
		if v[i], err = strconv.ParseUint(p, 10, 31); err != nil || strconv.FormatUint(v[i], 10) != p {
			return v, fmt.Errorf("version %.40q: write it like 0.2.0", text)
		}
	}
	return v, nil
}
