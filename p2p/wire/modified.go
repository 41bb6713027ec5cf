package wire

import (
	"time"

	"github.com/fxamacker/cbor/v2"
)

// httpTime is the form of dates in HTTP (RFC 9110, 5.6.7).
const httpTime = "Mon, 02 Jan 2006 15:04:05 GMT"

// modified is a Last-Modified header. Nearly all are written as the standard
// says and travel as a number.
type modified struct{ text string }

// MarshalCBOR implements cbor.Marshaler.
func (m modified) MarshalCBOR() ([]byte, error) {
	if t, err := time.Parse(httpTime, m.text); err == nil && t.Format(httpTime) == m.text && t.Unix() > 0 {
		return encMode.Marshal(t.Unix())
	}
	return encMode.Marshal(m.text)
}

// UnmarshalCBOR implements cbor.Unmarshaler.
func (m *modified) UnmarshalCBOR(raw []byte) error {
	var seconds int64
	if len(raw) > 0 && raw[0]>>5 == 0 { // an unsigned number
		if err := decMode.Unmarshal(raw, &seconds); err != nil {
			return err
		}
		if seconds < 0 || seconds > maxModified {
			return invalid("date %d", seconds)
		}
		m.text = time.Unix(seconds, 0).UTC().Format(httpTime)
		return nil
	}
	return decMode.Unmarshal(raw, &m.text)
}

var (
	_ cbor.Marshaler   = modified{}
	_ cbor.Unmarshaler = (*modified)(nil)
)
