package calls

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

func newReader(b []byte) *bufio.Reader { return bufio.NewReaderSize(bytes.NewReader(b), linkBuffer) }

const fuzzLimit = 10_000

func fuzzCodec(f *testing.F) *codec {
	c, err := newCodec([]byte("https://www.example.com/index.html"))
	if err != nil {
		f.Fatal(err)
	}
	if err := c.allow(fuzzLimit); err != nil {
		f.Fatal(err)
	}
	long := []byte(strings.Repeat("https://www.example.com/page ", 30))
	f.Add(c.seal(statusOK, nil))
	f.Add(c.seal(statusBusy, busyBody(maxBusy)))
	f.Add(c.seal(statusBusy, binary.AppendUvarint(nil, 1<<40)))
	f.Add(c.seal(statusRefused, []byte("no\x00\xff")))
	f.Add(c.seal(statusUnknown, nil))
	f.Add(c.seal(statusFailed, []byte("why")))
	f.Add(c.seal(statusOK, long))
	f.Add(c.seal(7, long[:70]))
	bomb := bombOf(f, 1<<20)
	f.Add(rawFrame(len(bomb), statusOK, flagCompressed, bomb))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x01, 0, 0})
	return c
}

func FuzzRequest(f *testing.F) {
	c := fuzzCodec(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newReader(b)
		h, err := readHead(r)
		if err != nil || h.size > fuzzLimit {
			return
		}
		wire, err := readBody(r, h.size)
		if err != nil {
			return
		}
		body, err := c.open(h, wire, fuzzLimit)
		if err != nil {
			if !errors.Is(err, errFrame) {
				t.Errorf("open() = %v, want one that wraps %v", err, errFrame)
			}
			return
		}
		if len(body) > fuzzLimit {
			t.Errorf("open() = %d bytes, want at most %d", len(body), fuzzLimit)
		}
		again := newReader(c.seal(h.code, body))
		h2, err := readHead(again)
		if err != nil || h2.code != h.code {
			t.Fatalf("readHead(seal()) = %+v, %v", h2, err)
		}
		wire, err = readBody(again, h2.size)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.open(h2, wire, fuzzLimit); err != nil || !bytes.Equal(got, body) {
			t.Errorf("open(seal(%x)) = %x, %v", body, got, err)
		}
	})
}

func FuzzReply(f *testing.F) {
	c := fuzzCodec(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := c.readReply(newReader(b), fuzzLimit)
		if err != nil {
			return
		}
		if len(got.body) > fuzzLimit {
			t.Errorf("readReply() = %d bytes, want at most %d", len(got.body), fuzzLimit)
		}
		if busy, ok := errors.AsType[*Busy](got.err); ok && (busy.After < 0 || busy.After > maxBusy) {
			t.Errorf("readReply() = busy for %v", busy.After)
		}
		if refused, ok := errors.AsType[*Refused](got.err); ok && (len(refused.Text) > maxText || strings.ContainsAny(refused.Text, "\x00\x1b\r\n")) {
			t.Errorf("readReply() = refused %q", refused.Text)
		}
	})
}
