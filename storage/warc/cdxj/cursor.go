package cdxj

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

// Line is a line of an index.
type Line struct {
	Text []byte // line end included
	At   int64  // offset in the index
	Said
	OK bool // it is an index line
}

// Cursor reads an index line by line and looks one line ahead. It takes
// any bytes: what is no index line comes out as one that is not ok.
type Cursor struct {
	r    *bufio.Reader
	at   int64
	next [2]Line
	n    int // lines in next
}

// NewCursor returns a cursor before the first line.
func NewCursor(r io.Reader) *Cursor { return &Cursor{r: bufio.NewReader(r)} }

// Peek returns the next line, or the one after it, nil at the end. It is valid
// until Advance.
func (c *Cursor) Peek(ahead int) (*Line, error) {
	for c.n <= ahead {
		ok, err := c.read(&c.next[c.n])
		if err != nil || !ok {
			return nil, err
		}
		c.n++
	}
	return &c.next[ahead], nil
}

// Advance passes the line that Peek(0) returned.
func (c *Cursor) Advance() {
	c.next[0], c.next[1] = c.next[1], c.next[0]
	c.n--
}

// read reads a line; it reports false at the end.
func (c *Cursor) read(l *Line) (bool, error) {
	text, err := lines.Read(c.r, l.Text, MaxLine)
	*l = Line{Text: text, At: c.at}
	c.at += int64(len(text))
	switch err {
	case nil:
		l.Said, l.OK = Parse(text)
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
func (c *Cursor) skip() error {
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

// Each calls fn with each line of a file's index, line end included. Without an index the file is read.
func Each(f warcfile.File, fn func(line []byte, said Said) error) error {
	index, err := os.Open(f.IndexPath())
	if errors.Is(err, os.ErrNotExist) {
		damaged, err := f.Scan(0, func(c capture.Stored) error {
			return fn(LineOf(&c), Said{Offset: c.Position.RecordOffset, NoIndex: c.NoIndex})
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
		line, err = lines.Read(in, line, MaxLine)
		if err == io.EOF {
			return nil // a last line without end is being written
		}
		if err != nil {
			return err
		}
		said, ok := Parse(line)
		if !ok {
			return fmt.Errorf("%w: not an index line; remove %s to have it made again", record.ErrFormat, f.IndexPath())
		}
		if err := fn(line, said); err != nil {
			return err
		}
	}
}
