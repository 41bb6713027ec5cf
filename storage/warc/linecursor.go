package warc

import (
	"bufio"
	"io"

	"github.com/forage-net/forage/storage/warc/lines"
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
