package index

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/blevesearch/vellum"

	"github.com/forage-net/forage/storage/durable"
)

// segmentWriter writes a segment's file: postings as they come, the dictionaries beside them in memory-bounded builders
// of their own.
type segmentWriter struct {
	disk    durable.FS
	f       durable.File
	out     *bufio.Writer
	at      int64 // in the file
	section int
	begin   int64 // of the section
	sum     uint32
	footer  footer
	err     error
}

func createSegment(d durable.FS, path string) (*segmentWriter, error) {
	f, err := create(d, path)
	if err != nil {
		return nil, err
	}
	w := &segmentWriter{disk: d, f: f, out: bufio.NewWriterSize(f, 1<<16), begin: int64(len(segmentMagic)),
		at: int64(len(segmentMagic))}
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

// finish writes the footer, and makes the file safe. It removes the file if that fails, or something before did: err.
func (w *segmentWriter) finish(err error) error {
	if err == nil {
		err = w.writeFooter()
	}
	if err == nil {
		err = w.f.Sync()
	}
	if cerr := w.f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(w.f.Name())
	}
	return err
}

func (w *segmentWriter) writeFooter() error {
	raw, err := json.Marshal(w.footer)
	if err != nil {
		return err
	}
	raw = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(raw, uint32(len(raw))),
		crc32.Checksum(raw, castagnoli))
	if _, err := w.Write(raw); err != nil {
		return err
	}
	return w.out.Flush()
}

// dictionaryWriter writes values to a section, and their keys to the one after it.
type dictionaryWriter struct {
	w    *segmentWriter
	keys keyFile // the transducer, until the values are written
	fst  *vellum.Builder
	n    int
}

// dictionary writes the two sections of a dictionary that fill fills.
func (w *segmentWriter) dictionary(fill func(d *dictionaryWriter) error) (err error) {
	keys, err := create(w.disk, w.f.Name()+".keys")
	if err != nil {
		return err
	}
	defer os.Remove(keys.Name())
	defer func() { err = errors.Join(err, keys.Close()) }()
	d := &dictionaryWriter{w: w, keys: keyFile{File: keys}}
	if d.fst, err = vellum.New(&d.keys, nil); err != nil {
		return err
	}
	if err := fill(d); err != nil {
		return err
	}
	return d.end()
}

// keyFile keeps the first error of a write to itself: a vellum.Builder that is told of one goes on as if
// nothing had happened, and loses its way.
type keyFile struct {
	durable.File
	err error
}

// Write implements io.Writer.
func (k *keyFile) Write(b []byte) (int, error) {
	if k.err == nil {
		_, k.err = k.File.Write(b)
	}
	return len(b), nil
}

// add adds a value; keys come in ascending order.
func (d *dictionaryWriter) add(key, value []byte) error {
	if err := d.fst.Insert(key, d.w.place()); err != nil {
		return fmt.Errorf("add %q: %w", key, err)
	}
	d.n++
	if d.keys.err != nil {
		return d.keys.err
	}
	_, err := d.w.Write(value)
	return err
}

// end ends both sections.
func (d *dictionaryWriter) end() error {
	d.w.end()
	if err := d.fst.Close(); err != nil {
		return err
	}
	if d.keys.err != nil {
		return d.keys.err
	}
	if d.n > 0 {
		if _, err := d.keys.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(d.w, d.keys.File); err != nil {
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
