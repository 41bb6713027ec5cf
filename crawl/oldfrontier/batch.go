package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/flate"
)

// batchRecord is how entries of the log held entries of the frontier first: by the
// proposal they came with. It is only read.
type batchRecord struct {
	_     struct{} `cbor:",toarray"`
	At    int64    // Unix nanoseconds
	Parts []cbor.RawMessage
}

// The first byte of an entry of the log says how the rest is written.
const (
	batchRecorded       = 0 // batchRecord
	batchRecordDeflated = 1 // the same, deflated
	batchPlain          = 2 // as a packer writes it
	batchDeflated       = 3 // the same, its text deflated behind metaRecord.Recent

	// maxPlain bounds a batch when it is unpacked, in bytes.
	maxPlain = 64 << 20
	// maxRecent is how much text of earlier entries helps to deflate the next. With none entries
	// take nearly twice as much, with half of it a tenth more; every commit writes it.
	maxRecent = 16 << 10
)

// batches writes and reads entries of the log. One goroutine may write while another reads.
type batches struct {
	deflater *flate.Writer
	inflater io.ReadCloser
}

// batch is an entry of the log that was read.
type batch struct {
	// at is when it was proposed, in Unix nanoseconds by the proposer's calendar. It
	// orders what is to be forgotten after a day; no wait is counted from it.
	at    int64
	parts [][]Entry // by proposals; an entry that has come to nothing is zero
	// stale says that it was made on another state of the log than this one, by a member that led
	// it in between: it changes nothing, on every member alike.
	stale bool
	text  []byte // for metaRecord.Recent
}

// encode writes a batch that was made on a state of the log.
func (c *batches) encode(w *packer, meta *metaRecord, deflate bool) ([]byte, error) {
	form := byte(batchPlain)
	if deflate {
		form = batchDeflated
	}
	head := []byte{form}
	for _, n := range []uint64{meta.Entries, uint64(w.ms), uint64(len(w.beside))} {
		head = binary.AppendUvarint(head, n)
	}
	var data bytes.Buffer
	data.Write(head)
	data.Write(w.beside)
	if !deflate {
		data.Write(w.text)
		return data.Bytes(), nil
	}
	if c.deflater == nil {
		d, err := flate.NewWriter(&data, flate.DefaultCompression)
		if err != nil {
			return nil, fmt.Errorf("deflate entries: %w", err)
		}
		c.deflater = d
	}
	c.deflater.ResetDict(&data, meta.Recent)
	if _, err := c.deflater.Write(w.text); err != nil {
		return nil, fmt.Errorf("deflate entries: %w", err)
	}
	if err := c.deflater.Close(); err != nil {
		return nil, fmt.Errorf("deflate entries: %w", err)
	}
	return data.Bytes(), nil
}

// decode is the reverse of encode for bytes from anywhere, on the state of the log
// that they are to change.
func (c *batches) decode(data []byte, meta *metaRecord, places *placer) (b batch, err error) {
	if len(data) == 0 {
		return b, fmt.Errorf("%w: nothing", ErrEntry)
	}
	form, rest := data[0], data[1:]
	switch form {
	case batchRecorded:
		return decodeRecorded(rest)
	case batchRecordDeflated:
		if rest, err = c.inflate(rest, nil); err != nil {
			return b, err
		}
		return decodeRecorded(rest)
	case batchPlain, batchDeflated:
	default:
		return b, fmt.Errorf("%w: form %d", ErrEntry, form)
	}
	head := unpacker{text: rest}
	entries, ms, n := head.uint(), head.uint(), head.uint()
	if head.failed || ms > maxAt || n > uint64(len(head.text)) {
		return b, fmt.Errorf("%w: head of a batch", ErrEntry)
	}
	b.at = int64(ms) * int64(time.Millisecond)
	if b.stale = entries != meta.Entries; b.stale {
		return b, nil
	}
	beside, text := head.text[:n], head.text[n:]
	if form == batchDeflated {
		if text, err = c.inflate(text, meta.Recent); err != nil {
			return b, err
		}
		b.text = text
	}
	r := unpacker{text: text, beside: beside, packed: packed{at: int64(ms) / 1000}, places: places, room: maxPlain}
	b.parts, err = r.unpack()
	return b, err
}

// count notes that an entry of the log was applied.
func (m *metaRecord) count(b *batch) {
	m.Entries++
	m.At = max(m.At, b.at)
	if len(b.text) > 0 {
		kept := min(len(m.Recent), max(0, maxRecent-len(b.text)))
		m.Recent = append(bytes.Clone(m.Recent[len(m.Recent)-kept:]), b.text[max(0, len(b.text)-maxRecent):]...)
	}
}

// maxAt is the last time that a batch may be of, in milliseconds since 1970.
const maxAt = 1 << 42

func (c *batches) inflate(data, dictionary []byte) ([]byte, error) {
	if c.inflater == nil {
		c.inflater = flate.NewReader(nil)
	}
	if err := c.inflater.(flate.Resetter).Reset(bytes.NewReader(data), dictionary); err != nil {
		return nil, fmt.Errorf("inflate entries: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(c.inflater, maxPlain+1))
	if err != nil {
		return nil, fmt.Errorf("%w: inflate: %w", ErrEntry, err)
	}
	if len(plain) > maxPlain {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrEntry, maxPlain)
	}
	return plain, nil
}

func decodeRecorded(plain []byte) (b batch, err error) {
	var r batchRecord
	if err := decode.Unmarshal(plain, &r); err != nil {
		return b, fmt.Errorf("%w: %w", ErrEntry, err)
	}
	for _, part := range r.Parts {
		entries, err := decodeEntries(part)
		if err != nil {
			return b, err
		}
		b.parts = append(b.parts, entries)
	}
	b.at = r.At
	return b, nil
}
