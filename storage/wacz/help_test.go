package wacz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

var testDate = time.Date(2026, 1, 31, 12, 0, 0, 123456789, time.UTC)

// memorySorter is a Sorter of what fits into memory.
type memorySorter struct{ lines []string }

func (s *memorySorter) Add(line []byte) error {
	s.lines = append(s.lines, string(line))
	return nil
}

func (s *memorySorter) Write(w io.Writer) error {
	slices.Sort(s.lines)
	for _, line := range s.lines {
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// made is a package that was written in a test.
type made struct {
	*zip.Reader
	t testing.TB
}

// makePackage returns what is written when fill has filled a package.
func makePackage(t testing.TB, d Description, fill func(*Writer)) made {
	t.Helper()
	var out bytes.Buffer
	w := newWriter(t, &out)
	fill(w)
	if err := w.Finish(d); err != nil {
		t.Fatalf("Finish: %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatalf("read the package: %v", err)
	}
	return made{z, t}
}

func newWriter(t testing.TB, out io.Writer) *Writer {
	t.Helper()
	w, err := NewWriter(out, Config{Created: testDate, Scratch: t.TempDir(), Lines: new(memorySorter)})
	if err != nil {
		t.Fatalf("NewWriter: %v", err)
	}
	t.Cleanup(w.Close)
	return w
}

func (m made) read(name string) []byte {
	m.t.Helper()
	f, err := m.Open(name)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		m.t.Fatalf("%s: %v", name, err)
	}
	return data
}

func parse[T any](t testing.TB, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %.200s", err, data)
	}
	return v
}

// block is a line of the index's index.
type block struct {
	subject  string
	Offset   int64
	Length   int64
	Digest   string
	Filename string
}

// blocks reads the list of blocks, which begins with its format.
func (m made) blocks() (list []block) {
	m.t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(m.read(blocksName)))
	lines.Scan()
	if want := `!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}`; lines.Text() != want {
		m.t.Errorf("the list of blocks begins with %s, want %s", lines.Text(), want)
	}
	for lines.Scan() {
		subject, object, _ := strings.Cut(lines.Text(), " {")
		b := parse[block](m.t, []byte("{"+object))
		b.subject = subject + " "
		list = append(list, b)
	}
	return list
}

// index reads the index, each block by itself.
func (m made) index() (lines []string) {
	m.t.Helper()
	data := m.read(indexName)
	at := int64(0)
	for _, b := range m.blocks() {
		packed := data[b.Offset : b.Offset+b.Length]
		if b.Offset != at || b.Filename != "index.cdx.gz" || b.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256(packed)) {
			m.t.Errorf("a block is said to be %+v, want one at %d", b, at)
		}
		at += b.Length
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			m.t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			m.t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), b.subject+"{") {
			m.t.Errorf("the block of %q begins with %.60q", b.subject, text)
		}
		lines = append(lines, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	}
	if at != int64(len(data)) {
		m.t.Errorf("the blocks have %d bytes, the index %d", at, len(data))
	}
	return lines
}
