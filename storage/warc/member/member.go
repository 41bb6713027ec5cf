// Package member writes WARC records as gzip members, one each, so that a reader can begin at any of them. What is not
// worth deflating is stored. A filler is a member of any length that holds nothing: it takes the place of what is
// erased, so that all others stay where they are.
package member

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"

	"github.com/klauspost/compress/flate"
)

// Header opens every member: deflate, no name, no time, fastest, unknown system.
const Header = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"

// recordEnd follows the block of every record.
const recordEnd = "\r\n\r\n"

// maxStored is the most a stored deflate block can hold.
const maxStored = 1<<16 - 1

// deflateFrom is the shortest text in bytes that is deflated. Finding the
// Huffman code of a member takes 10 to 15 microseconds however short it is; for
// a request or a response's head that saves 200 bytes, and for the three
// members of a capture it would take longer than all other work on it.
const deflateFrom = 1 << 10

// Writer appends gzip members to Out. Unlike gzip.Writer it can go over from deflate to stored blocks within a member,
// and the stored bytes are copied once. It is meant to be used again: a deflate compressor takes most of a megabyte.
type Writer struct {
	Out   []byte
	flate *flate.Writer // writes to Out; nil until something is deflated
}

// Write makes Writer the destination of its own flate.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.Out = append(w.Out, p...)
	return len(p), nil
}

// Append appends a record as one member: head and text, which are worth deflating if they are long, then packed, which
// is not, then the end of the record.
func (w *Writer) Append(head, text, packed []byte) {
	w.Out = append(w.Out, Header...)
	if len(head)+len(text) < deflateFrom {
		w.store(head)
		w.store(text)
	} else {
		w.deflate(head, text)
	}
	w.store(packed)
	w.storeLast([]byte(recordEnd))
	sum := crc32.ChecksumIEEE(head)
	sum = crc32.Update(sum, crc32.IEEETable, text)
	sum = crc32.Update(sum, crc32.IEEETable, packed)
	sum = crc32.Update(sum, crc32.IEEETable, []byte(recordEnd))
	w.Out = binary.LittleEndian.AppendUint32(w.Out, sum)
	w.Out = binary.LittleEndian.AppendUint32(w.Out, uint32(len(head)+len(text)+len(packed)+len(recordEnd)))
}

// deflate appends head and text deflated, up to a byte boundary.
func (w *Writer) deflate(head, text []byte) {
	if w.flate == nil {
		w.flate, _ = flate.NewWriter(w, flate.BestSpeed) // fails for a wrong level only
	} else {
		w.flate.Reset(w)
	}
	// Writing to memory cannot fail.
	w.flate.Write(head)
	w.flate.Write(text)
	w.flate.Flush()
}

// store appends p in stored blocks.
func (w *Writer) store(p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxStored)
		w.storedBlock(p[:n], 0)
		p = p[n:]
	}
}

// storeLast appends p, which fits into a block, and ends the deflate stream.
func (w *Writer) storeLast(p []byte) { w.storedBlock(p, 1) }

func (w *Writer) storedBlock(p []byte, final byte) {
	n := len(p)
	w.Out = append(w.Out, final, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
	w.Out = append(w.Out, p...)
}

// ID is a UUID as text (RFC 9562 §5.4), which names a record.
type ID [36]byte

// DrawIDs draws random IDs.
func DrawIDs(ids []ID) {
	for i := range ids {
		var raw [16]byte
		rand.Read(raw[:]) // never fails
		raw[6] = raw[6]&0x0f | 0x40
		raw[8] = raw[8]&0x3f | 0x80
		out := ids[i][:0]
		for _, part := range [][]byte{raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:]} {
			if len(out) > 0 {
				out = append(out, '-')
			}
			out = hex.AppendEncode(out, part)
		}
	}
}
