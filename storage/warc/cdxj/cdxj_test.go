package cdxj

import (
	"bufio"
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/lines"
)

func FuzzSURT(f *testing.F) {
	f.Add("https://www.example.com:8443/Dir/?b=2&a=1#x")
	f.Add("http://[::1]:80/../%zz?&&=")
	f.Fuzz(func(t *testing.T, url string) {
		c := capture.Capture{URL: url, Date: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), MIME: "text/html"}
		line := AppendPlace(AppendHead(nil, &c), capture.Position{File: "f", RecordOffset: 7})
		if got, ok := Parse(line); ok != (url != "") && !ok || ok && got.Offset != 7 {
			t.Fatalf("offset of %q is %d, %t", line, got.Offset, ok)
		}
		if bytes.ContainsAny(line[:len(line)-1], "\r\n\x00") {
			t.Fatalf("control characters in %q", line)
		}
		if len(url) <= capture.MaxURL {
			if _, err := lines.Read(bufio.NewReader(bytes.NewReader(line)), nil, MaxLine); err != nil {
				t.Fatalf("line of %d bytes: %v", len(line), err)
			}
		}
	})
}

func FuzzBackLines(f *testing.F) {
	f.Add([]byte("a\nb\n\nc"), 3)
	f.Add(bytes.Repeat([]byte("0123456789\n"), 60_000), 0)
	f.Add(append(bytes.Repeat([]byte("x"), 2*MaxLine+5), "\nlast\n"...), 1)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		if cut > 0 && cut < len(data) {
			data = data[cut:]
		}
		var want []string
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		for line := range bytes.Lines(whole) {
			if line = line[:len(line)-1]; len(line) > 0 && len(line) <= MaxLine {
				want = append(want, string(line))
			}
		}
		slices.Reverse(want)
		var got []string
		b := newBack(bytes.NewReader(data), int64(len(data)))
		for {
			line, err := b.Next()
			if err != nil {
				t.Fatal(err)
			}
			if line == nil {
				break
			}
			if len(line) <= MaxLine { // a longer one may come or not
				got = append(got, string(line))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d lines backwards, want %d", len(got), len(want))
		}
	})
}
