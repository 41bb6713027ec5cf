package index

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/blevesearch/vellum"
)

// segmentWriter writes a segment's file: postings as they come, the dictionaries beside them in memory-bounded builders
// of their own.
type segmentWriter struct {
	f       *os.File
	out     *bufio.Writer
	at      int64 // in the file
	section int
	begin   int64 // of the section
	sum     uint32
	footer  footer
	err     error
}

func createSegment(path string) (*segmentWriter, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	w := &segmentWriter{f: f, out: bufio.NewWriterSize(f, 1<<16), begin: int64(len(segmentMagic)), at: int64(len(segmentMagic))}
	_, w.err = w.out.WriteString(segmentMagic)
	return w, nil
}

// Write implements io.Writer: it adds to the section at hand.
func (w *segmentWriter) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.sum = crc32.Update(w.sum, castagnoli, b)
	var n int
	n, w.err = w.out.Write(b)
	w.at += int64(n)
	return n, w.err
}

// place is where in its section the next byte goes.
func (w *segmentWriter) place() uint64 { return uint64(w.at - w.begin) }

// end ends a section.
func (w *segmentWriter) end() {
	w.footer.Ends[w.section], w.footer.Sums[w.section] = w.at, w.sum
	w.section, w.begin, w.sum = w.section+1, w.at, 0
}

// finish writes the footer, and makes the file safe.
func (w *segmentWriter) finish() error {
	raw, err := json.Marshal(w.footer)
	if err == nil {
		raw = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(raw, uint32(len(raw))), crc32.Checksum(raw, castagnoli))
		_, err = w.Write(raw)
	}
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil {
		err = w.f.Sync()
	}
	if cerr := w.f.Close(); err == nil {
		err = cerr
	}
	return err
}

// dictionary writes values to a section, and their keys to the one after it.
type dictionary struct {
	w    *segmentWriter
	keys *os.File // the transducer, until the values are written
	fst  *vellum.Builder
	n    int
}

func (w *segmentWriter) dictionary() (*dictionary, error) {
	keys, err := os.OpenFile(w.f.Name()+".keys", os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	fst, err := vellum.New(keys, nil)
	if err != nil {
		keys.Close()
		return nil, err
	}
	return &dictionary{w: w, keys: keys, fst: fst}, nil
}

// add adds a value; keys come in ascending order.
func (d *dictionary) add(key, value []byte) error {
	if err := d.fst.Insert(key, d.w.place()); err != nil {
		return fmt.Errorf("add %q: %w", key, err)
	}
	d.n++
	_, err := d.w.Write(value)
	return err
}

// drop forgets what end has not written.
func (d *dictionary) drop() {
	d.keys.Close()
	os.Remove(d.keys.Name())
}

// end ends both sections.
func (d *dictionary) end() error {
	defer d.drop()
	d.w.end()
	if err := d.fst.Close(); err != nil {
		return err
	}
	if d.n > 0 {
		if _, err := d.keys.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(d.w, d.keys); err != nil {
			return err
		}
	}
	d.w.end()
	return d.w.err
}

// writeTable writes the last section.
func (w *segmentWriter) writeTable(t *table) error {
	for _, column := range t.columns {
		w.Write(column)
	}
	_, err := w.Write(t.order)
	w.end()
	w.footer.Docs, w.footer.Files = t.n, t.files
	return err
}
