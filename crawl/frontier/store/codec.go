package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/forage-net/forage/crawl"
)

// ErrValue is returned for bytes that are no value of an item.
var ErrValue = errors.New("frontier: invalid item")

// invalid says what is wrong with a value.
func invalid(what string, size int) error {
	return fmt.Errorf("%w: %s of %d bytes", ErrValue, what, size)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// unpacker reads a value from its beginning. After the first failure it returns zeros.
type unpacker struct {
	rest   []byte
	failed bool
}

func (r *unpacker) fail() { r.failed, r.rest = true, nil }

func (r *unpacker) byte() byte {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

// uint reads a number that is at most limit, in its shortest form.
func (r *unpacker) uint(limit uint64) uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > limit || size > 1 && r.rest[size-1] == 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *unpacker) date() int64 { return int64(r.uint(maxDate)) }

// bytes returns the next n bytes, which share memory with the value.
func (r *unpacker) bytes(n int) []byte {
	if n > len(r.rest) {
		r.fail()
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// text reads UTF-8 of at most limit bytes.
func (r *unpacker) text(limit int) string {
	b := r.bytes(int(r.uint(uint64(limit))))
	if !utf8.Valid(b) {
		r.fail()
	}
	return string(b)
}

// url reads the text of a URL, which is visible ASCII. It is not parsed.
func (r *unpacker) url() string {
	text := string(r.bytes(int(r.uint(crawl.MaxURL))))
	if !visible(text) {
		r.fail()
		return ""
	}
	return text
}

func visible(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) < 0
}

// ok reports whether everything was read and nothing failed.
func (r *unpacker) ok() bool { return !r.failed && len(r.rest) == 0 }
