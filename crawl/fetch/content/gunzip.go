package content

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gunzip is Decode for gzip alone.
func (p *Pools) gunzip(out *[]byte, payload []byte, limit, maxText int) error {
	f, ok := p.memory.Get().(*inflater)
	if !ok {
		f = &inflater{}
	}
	defer p.memory.Put(f)
	text, err := f.members(*out, payload, limit)
	*out = text[:min(len(text), limit)]
	switch {
	case len(text) > limit && limit < maxText:
		return ErrBomb
	case len(text) > limit:
		return ErrIncomplete
	case err != nil && len(text) == 0:
		return decodeFailure(err)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrIncomplete, err)
	}
	return nil
}

// members appends what one or more members of gzip hold, and passes over garbage after the last, as browsers do. It
// stops a little beyond limit.
func (f *inflater) members(out, in []byte, limit int) ([]byte, error) {
	for first := true; first || len(in) > 0; first = false {
		head, err := gzipHead(in)
		if err != nil && first {
			return out, err
		} else if err != nil {
			return out, nil
		}
		begin := len(out)
		text, n, err := f.inflate(out, in[head:], limit)
		if out = text; err != nil || len(out) > limit {
			return out, err
		}
		if in = in[head+n:]; len(in) < 8 {
			return out, io.ErrUnexpectedEOF
		}
		if binary.LittleEndian.Uint32(in) != crc32.ChecksumIEEE(out[begin:]) ||
			binary.LittleEndian.Uint32(in[4:]) != uint32(len(out)-begin) {
			return out, gzip.ErrChecksum
		}
		in = in[8:]
	}
	return out, nil
}

// gzipHead returns the length of the head that a member begins with (RFC 1952 §2.3).
func gzipHead(b []byte) (int, error) {
	if len(b) < 10 {
		return 0, io.ErrUnexpectedEOF
	}
	flags, n := b[3], 10
	if !bytes.HasPrefix(b, []byte("\x1f\x8b\x08")) || flags>>5 != 0 {
		return 0, gzip.ErrHeader
	}
	if flags&4 != 0 && len(b) >= n+2 { // an extra field
		n += 2 + int(binary.LittleEndian.Uint16(b[n:]))
	}
	for _, has := range []byte{8, 16} { // a name, a comment
		if flags&has != 0 {
			end := bytes.IndexByte(b[min(n, len(b)):], 0)
			if end < 0 {
				return 0, io.ErrUnexpectedEOF
			}
			n += end + 1
		}
	}
	if flags&2 != 0 { // a checksum
		if len(b) >= n+2 && binary.LittleEndian.Uint16(b[n:]) != uint16(crc32.ChecksumIEEE(b[:n])) {
			return 0, gzip.ErrHeader
		}
		n += 2
	}
	if n > len(b) {
		return 0, io.ErrUnexpectedEOF
	}
	return n, nil
}
