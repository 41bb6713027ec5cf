package content

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gunzipper undoes gzip that is in memory as a whole.
type gunzipper struct {
	head gzip.Reader
	inflater
}

// gunzip is Decode for gzip alone.
func (p *Pools) gunzip(out *[]byte, payload []byte, limit, maxText int) error {
	g, ok := p.memory.Get().(*gunzipper)
	if !ok {
		g = &gunzipper{}
	}
	defer p.memory.Put(g)
	text, err := g.members(*out, payload, limit)
	*out = text[:min(len(text), limit)]
	switch {
	case len(text) > limit && limit < maxText:
		return ErrBomb
	case len(text) > limit:
		return ErrIncomplete
	case err != nil && len(text) == 0:
		return decodeFailure(err)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrIncomplete, shorten(err))
	}
	return nil
}

// members appends what one or more members hold, and passes over garbage after the last, as browsers do. It stops a
// little beyond limit.
func (g *gunzipper) members(out, payload []byte, limit int) ([]byte, error) {
	in := bytes.NewReader(payload)
	defer in.Reset(nil) // the payload must not stay alive
	for first := true; in.Len() > 0 || first; first = false {
		if err := g.head.Reset(in); err != nil && first {
			return out, err
		} else if err != nil {
			return out, nil
		}
		begin := len(out)
		rest := payload[len(payload)-in.Len():]
		text, n, err := g.inflate(out, rest, limit)
		if out = text; err != nil || len(out) > limit {
			return out, err
		}
		if rest = rest[n:]; len(rest) < 8 {
			return out, io.ErrUnexpectedEOF
		}
		if binary.LittleEndian.Uint32(rest) != crc32.ChecksumIEEE(out[begin:]) ||
			binary.LittleEndian.Uint32(rest[4:]) != uint32(len(out)-begin) {
			return out, gzip.ErrChecksum
		}
		payload = rest[8:]
		in.Reset(payload)
	}
	return out, nil
}
