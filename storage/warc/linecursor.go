package warc

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/lines"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// line is a line of an index.
type line struct {
	text []byte // line end included
	at   int64  // offset in the index
	said indexed
	ok   bool // it is an index line
}

// lineCursor reads an index line by line and looks one line ahead. It takes
// any bytes: what is no index line comes out as one that is not ok.
type lineCursor struct {
	r    *bufio.Reader
	at   int64
	next [2]line
	n    int // lines in next
}

func newLineCursor(r io.Reader) *lineCursor { return &lineCursor{r: bufio.NewReader(r)} }

// peek returns the next line, or the one after it, nil at the end. It is valid
// until advance.
func (c *lineCursor) peek(ahead int) (*line, error) {
	for c.n <= ahead {
		ok, err := c.read(&c.next[c.n])
		if err != nil || !ok {
			return nil, err
		}
		c.n++
	}
	return &c.next[ahead], nil
}

func (c *lineCursor) advance() {
	c.next[0], c.next[1] = c.next[1], c.next[0]
	c.n--
}

// read reads a line; it reports false at the end.
func (c *lineCursor) read(l *line) (bool, error) {
	text, err := lines.Read(c.r, l.text, maxLine)
	*l = line{text: text, at: c.at}
	c.at += int64(len(text))
	switch err {
	case nil:
		l.said, l.ok = parseLine(text)
	case lines.ErrLong:
		if text[len(text)-1] != '\n' {
			return true, c.skip()
		}
	case io.EOF:
		return len(text) > 0, nil // torn
	default:
		return false, err
	}
	return true, nil
}

// skip passes the rest of a line.
func (c *lineCursor) skip() error {
	for {
		part, err := c.r.ReadSlice('\n')
		c.at += int64(len(part))
		switch err {
		case nil, io.EOF:
			return nil
		case bufio.ErrBufferFull:
		default:
			return err
		}
	}
}

// indexLines calls fn with each line of a file's index, line end included.
func indexLines(f warcfile.File, fn func(line []byte, said indexed) error) error {
	index, err := os.Open(f.IndexPath())
	if errors.Is(err, os.ErrNotExist) {
		damaged, err := f.Scan(0, func(c capture.Stored) error {
			return fn(indexLine(&c), indexed{offset: c.Position.RecordOffset, noIndex: c.NoIndex})
		})
		return cmp.Or(err, damaged)
	}
	if err != nil {
		return err
	}
	defer index.Close()
	in := bufio.NewReader(index)
	var line []byte
	for {
		line, err = lines.Read(in, line, maxLine)
		if err == io.EOF {
			return nil // a last line without end is being written
		}
		if err != nil {
			return err
		}
		said, ok := parseLine(line)
		if !ok {
			return fmt.Errorf("%w: not an index line; remove %s to have it made again", record.ErrFormat, f.IndexPath())
		}
		if err := fn(line, said); err != nil {
			return err
		}
	}
}
