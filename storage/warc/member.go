package warc

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/flate"
)

// gzipHeader opens every member: deflate, no name, no time, fastest, unknown
// system.
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"

// recordEnd follows the block of every record.
const recordEnd = "\r\n\r\n"

// maxStored is the most a stored deflate block can hold.
const maxStored = 1<<16 - 1

// deflateFrom is the shortest text in bytes that is deflated. Finding the
// Huffman code of a member takes 10 to 15 microseconds however short it is; for
// a request or a response's head that saves 200 bytes, and for the three
// members of a capture it would take longer than all other work on it.
const deflateFrom = 1 << 10

// memberWriter appends gzip members to a buffer. Unlike gzip.Writer it can
// go over from deflate to stored blocks within a member, and the stored bytes
// are copied once.
type memberWriter struct {
	out   []byte
	flate *flate.Writer // writes to out; nil until something is deflated
}

// Write makes memberWriter the destination of its own flate.Writer.
func (w *memberWriter) Write(p []byte) (int, error) {
	w.out = append(w.out, p...)
	return len(p), nil
}

// writeMember appends a record as one member: head and text, which are worth
// deflating if they are long, then packed, which is not, then the end of the
// record.
func (w *memberWriter) writeMember(head, text, packed []byte) {
	w.out = append(w.out, gzipHeader...)
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
	w.out = binary.LittleEndian.AppendUint32(w.out, sum)
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(len(head)+len(text)+len(packed)+len(recordEnd)))
}

// deflate appends head and text deflated, up to a byte boundary.
func (w *memberWriter) deflate(head, text []byte) {
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
func (w *memberWriter) store(p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxStored)
		w.storedBlock(p[:n], 0)
		p = p[n:]
	}
}

// storeLast appends p, which fits into a block, and ends the deflate stream.
func (w *memberWriter) storeLast(p []byte) { w.storedBlock(p, 1) }

func (w *memberWriter) storedBlock(p []byte, final byte) {
	n := len(p)
	w.out = append(w.out, final, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
	w.out = append(w.out, p...)
}
