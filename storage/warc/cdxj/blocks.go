package cdxj

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// indexBlock is how much of an index is read at once: few system calls, and
// little memory.
const indexBlock = 256 << 10

// openLines opens the index of a file and returns how much of it there is. The
// last line may be being written.
func openLines(f warcfile.File) (*os.File, int64, error) {
	index, err := os.Open(f.IndexPath())
	if err != nil {
		return nil, 0, err
	}
	n, err := durable.Size(index)
	if err != nil {
		index.Close()
		return nil, 0, err
	}
	return index, n, nil
}

// Matching calls fn with each line of the index of f that holds needle, in the
// order of writing, until it returns false. A file without index has no lines.
func Matching(f warcfile.File, needle []byte, fn func(line []byte) bool) error {
	index, n, err := openLines(f)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer index.Close()
	buf := make([]byte, 0, indexBlock)
	for at := int64(0); at < n; {
		buf = buf[:min(int64(cap(buf)), n-at)]
		got, err := index.ReadAt(buf, at)
		if err != nil && err != io.EOF {
			return err
		}
		end := bytes.LastIndexByte(buf[:got], '\n') + 1
		switch {
		case end == 0 && got < cap(buf):
			return nil // a line that is being written
		case end == 0 && cap(buf) < MaxLine:
			buf = make([]byte, 0, 2*MaxLine)
			continue
		case end == 0:
			end = got // no line of ours is so long
		}
		if !matches(buf[:end], needle, fn) {
			return nil
		}
		at += int64(end)
	}
	return nil
}

// matches calls fn with the lines in block that hold needle. It reports whether
// fn wants more.
func matches(block, needle []byte, fn func(line []byte) bool) bool {
	for {
		i := bytes.Index(block, needle)
		if i < 0 {
			return true
		}
		from := bytes.LastIndexByte(block[:i], '\n') + 1
		to := bytes.IndexByte(block[i:], '\n')
		if to < 0 {
			return true
		}
		to += i
		if !fn(block[from:to]) {
			return false
		}
		block = block[to+1:]
	}
}

// Back reads the lines of an index from the last to the first. The memory it
// needs is that of two blocks.
type Back struct {
	r    io.ReaderAt
	file *os.File // to be closed
	at   int64    // where the block begins
	buf  []byte   // of the block and what was left of the one behind it
	line []byte   // the rest of buf, ending with a line end or being torn
	torn bool     // line is not known to end with one
}

// Backwards opens the index of a file behind its last line. The caller must call Close.
func Backwards(f warcfile.File) (*Back, error) {
	index, n, err := openLines(f)
	if err != nil {
		return nil, err
	}
	b := newBack(index, n)
	b.file = index
	return b, nil
}

func newBack(r io.ReaderAt, n int64) *Back { return &Back{r: r, at: n, torn: true} }

// Close closes the index.
func (b *Back) Close() { b.file.Close() } // was only read

// Next returns the line before the one it returned last, without its end; nil
// at the beginning. It is valid until the next call. A last line without end is
// passed over, and so is one that is longer than any of ours.
func (b *Back) Next() ([]byte, error) {
	for {
		body := b.line
		if !b.torn && len(body) > 0 {
			body = body[:len(body)-1] // its own end
		}
		i := bytes.LastIndexByte(body, '\n')
		if i < 0 && b.at > 0 {
			if err := b.fill(); err != nil {
				return nil, err
			}
			continue
		}
		rest, line, torn := b.line[:i+1], body[i+1:], b.torn
		b.line, b.torn = rest, false
		if !torn && len(line) > 0 {
			return line, nil
		}
		if len(rest) == 0 && b.at == 0 {
			return nil, nil
		}
	}
}

// fill puts the block before this one before what is left of it.
func (b *Back) fill() error {
	if len(b.line) > MaxLine {
		b.line, b.torn = nil, true // the beginning of that line is passed over too
	}
	n := min(b.at, indexBlock)
	left := len(b.line)
	if cap(b.buf) < int(n)+left {
		b.buf = make([]byte, 0, indexBlock+MaxLine)
	}
	b.buf = b.buf[:int(n)+left]
	copy(b.buf[n:], b.line) // which may lie at the beginning of it
	b.at -= n
	_, err := b.r.ReadAt(b.buf[:n], b.at)
	if err == io.EOF {
		err = nil // it was cut meanwhile: what is there are no lines
	}
	b.line = b.buf
	return err
}
