package wacz

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func entry(n int) Entry {
	return Entry{
		URL: fmt.Sprintf("https://www.example.com/dir/%d/", n), Date: testDate.Add(time.Duration(n) * time.Millisecond),
		MIME: "text/html", Status: 200, Digest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", File: "a.warc.gz", Offset: int64(n) * 1000, Length: 900,
	}
}

// The blocks are read one by one, and their lines are all there, in order.
func TestBlocks(t *testing.T) {
	for _, n := range []int{1, blockLines - 1, blockLines, blockLines + 1, 3*blockLines + 5} {
		m := makePackage(t, Description{}, func(w *Writer) {
			for i := range n {
				if err := w.Index(entry(n - i)); err != nil {
					t.Fatal(err)
				}
			}
		})
		lines := m.index()
		if len(lines) != n || !slices.IsSorted(lines) {
			t.Errorf("%d lines, sorted: %t, want %d", len(lines), slices.IsSorted(lines), n)
		}
		if got, want := len(m.blocks()), (n+blockLines-1)/blockLines; got != want {
			t.Errorf("%d lines are in %d blocks, want %d", n, got, want)
		}
	}
}

// Long lines make blocks of fewer lines: a reader holds a block in memory.
func TestBlocks_LongLines(t *testing.T) {
	const n = 200
	m := makePackage(t, Description{}, func(w *Writer) {
		for i := range n {
			e := entry(i)
			e.URL += "?{" + strings.Repeat("x", 8000)
			if err := w.Index(e); err != nil {
				t.Fatal(err)
			}
		}
	})
	if lines := m.index(); len(lines) != n {
		t.Errorf("%d lines, want %d", len(lines), n)
	}
	if got := len(m.blocks()); got != 4 { // 3.2 MB: each line has the URL and its key
		t.Errorf("%d blocks, want 4", got)
	}
}

func TestAppendLine(t *testing.T) {
	tests := []struct {
		entry Entry
		want  string
	}{
		{
			Entry{URL: "http://a.example/?\"q\\", Date: testDate.Add(9 * time.Hour), MIME: "warc/revisit", Status: 301, File: "f", Length: 1 << 40},
			`example,a)/?"q\ 20260131210000123 {"url":"http://a.example/?\"q\\","mime":"warc/revisit","status":"301",` +
				`"length":"1099511627776","offset":"0","filename":"f"}`,
		},
		{
			Entry{URL: "http://a.example/&", Date: time.Date(1, 1, 1, 0, 0, 0, 7e6, time.FixedZone("", 3600)), MIME: "unk", File: "f"},
			`example,a)/& 00001231230000007 {"url":"http://a.example/&","mime":"unk","status":"-","length":"0","offset":"0","filename":"f"}`,
		},
	}
	for _, tt := range tests {
		got, err := appendLine([]byte("before "), tt.entry)
		if want := "before " + tt.want + "\n"; err != nil || string(got) != want {
			t.Errorf("appendLine = %s, %v, want %s", got, err, want)
		}
	}
}

// A block's subject ends before the object, whatever the key holds.
func TestBlocks_KeyWithBrace(t *testing.T) {
	var out, list bytes.Buffer
	k, err := newBlocks(&out, &list, "index.cdx.gz")
	if err != nil {
		t.Fatal(err)
	}
	k.Write([]byte("a)/?{x} 20260131120000123 {\"url\":\"u\"}\n"))
	if err := k.flush(); err != nil {
		t.Fatal(err)
	}
	if _, line, _ := strings.Cut(list.String(), "\n"); !strings.HasPrefix(line, `a)/?{x} 20260131120000123 {"offset":0,`) {
		t.Errorf("the block is listed as %s", line)
	}
}
