// Package wacz writes WACZ 1.1.1 packages: an archive in one file that replay
// programs open as it is, from a disk or from any web server, and read only as
// much of as they need (https://specs.webrecorder.net/wacz/1.1.1/).
//
//	archive/*.warc.gz        the records, stored
//	indexes/index.cdx.gz     where each capture is, in blocks of gzip
//	indexes/index.idx        where each block is
//	pages/pages.jsonl        the pages a visitor can begin with
//	datapackage.json         all these files with sizes and SHA-256
//	datapackage-digest.json  the SHA-256 of datapackage.json
//
// The package is written from front to end in bounded memory: what can only be
// known at the end waits in temporary files, which are about as large as the
// index. It is a Zip64 where it must be.
package wacz

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"time"
)

const (
	archiveDir   = "archive/"
	indexName    = "indexes/index.cdx.gz"
	blocksName   = "indexes/index.idx"
	pagesName    = "pages/pages.jsonl"
	manifestName = "datapackage.json"
	digestName   = "datapackage-digest.json"
)

// copyBuffer is how much of an archive file is hashed and written at a time.
const copyBuffer = 128 << 10

// errSize means that a file was not as long as was said.
var errSize = errors.New("the file ends too early")

// Sorter sorts the lines of the index, of which there may be more than fit
// into memory.
type Sorter interface {
	// Add takes a line with its line end. It does not keep the slice.
	Add(line []byte) error
	// Write writes the lines in the order of their bytes, one with each Write.
	Write(w io.Writer) error
}

// Config says what a Writer works with.
type Config struct {
	// Created is when the package is made.
	Created time.Time
	// Scratch is the directory for temporary files.
	Scratch string
	// Lines is a sorter without lines. It is the caller's to close.
	Lines Sorter
}

// Writer writes a package: archive files, entries and pages in any order, then
// Finish. After an error nothing more can be written. It is not safe for
// concurrent use.
type Writer struct {
	config    Config
	zip       *zip.Writer
	pages     *spool
	resources []resource
	line      []byte // reused
	buffer    []byte // for copying
}

// NewWriter begins a package. The caller must call Close.
func NewWriter(w io.Writer, c Config) (*Writer, error) {
	pages, err := newSpool(c.Scratch)
	if err != nil {
		return nil, err
	}
	if _, err := pages.WriteString(pagesHeader); err != nil {
		pages.close()
		return nil, err
	}
	return &Writer{config: c, zip: zip.NewWriter(w), pages: pages, buffer: make([]byte, copyBuffer)}, nil
}

// Close removes temporary files. It does not finish the package.
func (w *Writer) Close() { w.pages.close() }

// Archive adds an archive file of size bytes, which r yields. Name has no
// directory and ends with ".warc.gz".
func (w *Writer) Archive(name string, size int64, r io.Reader) error {
	return w.add(archiveDir+name, zip.Store, func(out io.Writer) error {
		n, err := io.CopyBuffer(out, r, w.buffer)
		if err == nil && n != size {
			err = errSize
		}
		return err
	})
}

// Index adds an entry of the index.
func (w *Writer) Index(e Entry) (err error) {
	if w.line, err = appendLine(w.line[:0], e); err != nil {
		return fmt.Errorf("index %s: %w", e.URL, err)
	}
	return w.config.Lines.Add(w.line)
}

// Page adds a page to the list, which is in the order of the calls.
func (w *Writer) Page(p Page) (err error) {
	if w.line, err = appendPage(w.line[:0], p); err != nil {
		return fmt.Errorf("list page %s: %w", p.URL, err)
	}
	_, err = w.pages.Write(w.line)
	return err
}

// Finish completes the package.
func (w *Writer) Finish(d Description) error {
	if err := w.index(); err != nil {
		return err
	}
	if err := w.add(pagesName, zip.Deflate, w.pages.copyTo); err != nil {
		return err
	}
	data, err := manifest(d, w.config.Created, w.resources)
	if err != nil {
		return err
	}
	sum, err := manifestDigest(data)
	if err != nil {
		return err
	}
	if err := w.addBytes(manifestName, data); err != nil {
		return err
	}
	if err := w.addBytes(digestName, sum); err != nil {
		return err
	}
	return w.zip.Close()
}

func (w *Writer) index() error {
	list, err := newSpool(w.config.Scratch)
	if err != nil {
		return err
	}
	defer list.close()
	err = w.add(indexName, zip.Store, func(out io.Writer) error {
		k, err := newBlocks(out, list, path.Base(indexName))
		if err != nil {
			return err
		}
		if err := w.config.Lines.Write(k); err != nil || k.lines == 0 {
			return err
		}
		return k.flush()
	})
	if err != nil {
		return err
	}
	return w.add(blocksName, zip.Deflate, list.copyTo)
}

func (w *Writer) addBytes(name string, data []byte) error {
	return w.add(name, zip.Deflate, func(out io.Writer) error {
		_, err := io.Copy(out, bytes.NewReader(data))
		return err
	})
}

// add adds a file to the package and its manifest.
func (w *Writer) add(name string, method uint16, fill func(io.Writer) error) error {
	out, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: w.config.Created.UTC()})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	sum := sha256.New()
	counted := &counter{w: io.MultiWriter(out, sum)}
	if err := fill(counted); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w.resources = append(w.resources, resource{
		Name: path.Base(name), Path: name, Hash: digest([sha256.Size]byte(sum.Sum(nil))), Bytes: counted.n,
	})
	return nil
}

// counter counts the bytes that pass.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
