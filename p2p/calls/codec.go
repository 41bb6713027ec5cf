package calls

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

const (
	// compressAbove is the size from which compression is tried: below, the
	// 10 bytes around a zstd frame eat what it saves.
	compressAbove = 64
	// window is how far back the encoder looks. Bodies are seldom longer.
	window = 256 << 10
)

// codec turns bodies into frames and back. It is safe for concurrent use once
// all limits are known to it.
type codec struct {
	enc    *zstd.Encoder
	dict   []byte
	dictID uint32
	// decoders by the size at which they stop.
	decoders map[int]*zstd.Decoder
}

// newCodec returns a codec with a dictionary of raw content, which may be
// empty. All peers of a network need the same one: its ID is taken from its
// content, so that another one is noticed and not decoded to rubbish.
func newCodec(dict []byte) (*codec, error) {
	c := &codec{dict: dict, decoders: make(map[int]*zstd.Decoder)}
	opts := []zstd.EOption{
		// The next level saves 8 % more on long lists of URLs, nothing on
		// short ones, and takes four times the memory.
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(window),
		// The header then asks for the memory of the body; the power of two
		// above it would be beyond the limit of the decoder.
		zstd.WithSingleSegment(true),
		zstd.WithEncoderCRC(false),     // the connection is authenticated
		zstd.WithEncoderConcurrency(1), // 0.6 MB each, and 64 KiB take it 2 ms
		zstd.WithLowerEncoderMem(true),
	}
	if len(dict) > 0 {
		sum := sha256.Sum256(dict)
		// Two bytes, in the range that the format leaves to private use.
		c.dictID = uint32(binary.BigEndian.Uint16(sum[:])) | 0x8000
		opts = append(opts, zstd.WithEncoderDictRaw(c.dictID, dict))
	}
	enc, err := zstd.NewWriter(nil, opts...)
	if err != nil {
		return nil, fmt.Errorf("make encoder: %w", err)
	}
	c.enc = enc
	return c, c.allow(maxDeclined)
}

// allow prepares for bodies of up to limit bytes.
func (c *codec) allow(limit int) error {
	limit = decoderLimit(limit)
	if c.decoders[limit] != nil {
		return nil
	}
	opts := []zstd.DOption{
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(uint64(limit)),
	}
	if len(c.dict) > 0 {
		opts = append(opts, zstd.WithDecoderDictRaw(c.dictID, c.dict))
	}
	dec, err := zstd.NewReader(nil, opts...)
	if err != nil {
		return fmt.Errorf("make decoder: %w", err)
	}
	c.decoders[limit] = dec
	return nil
}

// decoderLimit is the memory a decoder needs for bodies of limit bytes: the
// format knows no window below 1 KiB.
func decoderLimit(limit int) int { return max(limit, zstd.MinWindowSize) }

// seal returns body as a frame, compressed if that makes it smaller.
func (c *codec) seal(code byte, body []byte) []byte {
	buf := make([]byte, maxHead, maxHead+len(body)+compressAbove)
	if len(body) > compressAbove {
		if packed := c.enc.EncodeAll(body, buf); len(packed)-maxHead < len(body) {
			return putHead(packed, code, flagCompressed)
		}
	}
	return putHead(append(buf, body...), code, 0)
}

// open returns the body that was sent as wire, of at most limit bytes; limit
// must have been allowed. Errors wrap errFrame.
func (c *codec) open(h head, wire []byte, limit int) ([]byte, error) {
	body := wire
	if h.flags&flagCompressed != 0 {
		var err error
		if body, err = c.decoders[decoderLimit(limit)].DecodeAll(wire, nil); err != nil {
			return nil, fmt.Errorf("%w: %w", errFrame, err)
		}
	}
	if len(body) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes", errFrame, limit)
	}
	return body, nil
}
