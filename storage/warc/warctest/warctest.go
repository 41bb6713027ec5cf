// Package warctest has what tests of an archive and its parts need.
package warctest

import (
	"bytes"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/member"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Date is when the captures of Page begin.
var Date = time.Date(2026, 1, 31, 12, 0, 0, 123456000, time.UTC)

// gzipped returns a small gzip file; compress/gzip takes a megabyte for one.
func gzipped(s string) []byte {
	var w member.Writer
	w.Append([]byte(s), nil, nil)
	return w.Out
}

// Page returns an ordinary capture, different for every n.
func Page(n int) capture.Capture {
	body := gzipped(fmt.Sprintf("<html><title>Page %d</title>%s</html>", n, strings.Repeat("<p>text</p>", n%7)))
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"+
		"Content-Length: %d\r\n\r\n", len(body))
	return capture.Capture{
		URL:           fmt.Sprintf("https://www.example.com/page/%d?b=2&a=1", n),
		Date:          Date.Add(time.Duration(n) * time.Millisecond),
		IP:            "192.0.2.1",
		Request:       fmt.Appendf(nil, "GET /page/%d?b=2&a=1 HTTP/1.1\r\nHost: www.example.com\r\n\r\n", n),
		Response:      append([]byte(head), body...),
		HeadLen:       len(head),
		PayloadDigest: sha1.Sum(body),
		MIME:          "text/html",
		Status:        200,
		Metadata:      [][2]string{{"fetchTimeMs", fmt.Sprint(n)}, {"via", "https://www.example.com/"}},
		Compressed:    true,
	}
}

// Captures returns deep copies of all captures from a position.
func Captures(t testing.TB, dir string, from capture.Position) []capture.Stored {
	t.Helper()
	var all []capture.Stored
	err := warcfile.Scan(dir, from, func(c capture.Stored) error {
		c.Request, c.Response = bytes.Clone(c.Request), bytes.Clone(c.Response)
		all = append(all, c)
		return nil
	})
	if err != nil {
		t.Fatalf("Scan: %v", err)
	}
	return all
}

func URLs(captures []capture.Stored) []string {
	var list []string
	for _, c := range captures {
		list = append(list, c.URL)
	}
	return list
}

// OnlyFile returns the single file in dir that matches.
func OnlyFile(t testing.TB, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("files %s: %v, %v; want one", pattern, found, err)
	}
	return found[0]
}

// MemoryDir returns a directory for thousands of small files, in memory where
// that can be had.
func MemoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "forage-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Titled returns a page with a title.
func Titled(n int, url, title string) capture.Capture {
	c := Page(n)
	c.URL = url
	c.Metadata = [][2]string{{"fetchTimeMs", "7"}, {"title", title}}
	return c
}

// Append appends a capture to an archive.
func Append(t testing.TB, a interface {
	Append(c capture.Capture) (capture.Position, error)
}, c capture.Capture) capture.Position {
	t.Helper()
	p, err := a.Append(c)
	if err != nil {
		t.Fatalf("Append(%s): %v", c.URL, err)
	}
	return p
}

// Close closes an archive.
func Close(t testing.TB, a io.Closer) {
	t.Helper()
	if err := a.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// Tear adds the beginning of another capture to a file, as a reader sees it
// that looks in the middle of a write.
func Tear(t testing.TB, path string) {
	t.Helper()
	c := Page(1000)
	var e capture.Encoder
	e.Encode(&c)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := e.Position("", 0)
	if _, err := f.Write(e.Out[:p.RecordOffset+p.RecordLength-1]); err != nil {
		t.Fatal(err)
	}
}

// DiskSize returns the size of all files in dir.
func DiskSize(t testing.TB, dir string) int64 {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		n += info.Size()
	}
	return n
}

// CheckPlaces looks up the captures of an index in the files that were exported
// with it.
func CheckPlaces(t testing.TB, dir string, index []byte) {
	t.Helper()
	for line := range bytes.Lines(index) {
		var at struct{ URL, Offset, Length, Filename, MIME string }
		if err := json.Unmarshal(line[bytes.IndexByte(line, '{'):], &at); err != nil {
			t.Fatal(err)
		}
		if at.MIME == "warc/revisit" {
			continue
		}
		offset, err := strconv.ParseInt(at.Offset, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := warcfile.ReadResponse(dir, capture.Position{File: at.Filename, RecordOffset: offset}); err != nil {
			t.Errorf("%s is not at %d of the exported %s: %v", at.URL, offset, at.Filename, err)
		}
	}
}
