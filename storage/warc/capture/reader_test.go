package capture

import (
	"bytes"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/warc/record"
)

func TestReader_Profiles(t *testing.T) {
	for profile, want := range map[string]bool{
		profileDigest:      false,
		profileNotModified: true,
		"http://netpreserve.org/warc/1.0/revisit/server-not-modified":        true,
		"http://netpreserve.org/warc/1.0/server-not-modified":                true,
		"<http://netpreserve.org/warc/1.0/revisit/server-not-modified>":      true,
		"http://netpreserve.org/warc/1.0/revisit/identical-payload-digest":   false,
		"http://netpreserve.org/warc/1.0/revisit/uri-agnostic-identical-pay": false,
		"": false,
	} {
		one := "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Profile: " + profile + "\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
		g := NewReader(record.NewReader(strings.NewReader(one)), "", MaxBlock)
		var c Stored
		if err := g.Next(&c); err != nil || c.Revisit == nil || c.Revisit.NotModified != want {
			t.Errorf("profile %q: %+v, %v, want NotModified %t", profile, c.Revisit, err, want)
		}
	}
}

func FuzzReader(f *testing.F) {
	var e Encoder
	e.Encode(&Capture{URL: "http://a.example/", Response: []byte("HTTP/1.1 200 OK\r\n\r\n"), HeadLen: 19,
		Request: []byte("GET / HTTP/1.1\r\n\r\n"), Metadata: [][2]string{{"title", "A"}}})
	f.Add(e.Out)
	f.Add(e.Out[:len(e.Out)-3])
	f.Fuzz(func(t *testing.T, data []byte) {
		g := NewReader(record.NewReader(bytes.NewReader(data)), "", MaxBlock)
		var c Stored
		for g.Next(&c) == nil {
			if c.Position.Next().Offset > int64(len(data)) || len(c.Response) > MaxBlock {
				t.Fatalf("capture at %+v in %d bytes", c.Position, len(data))
			}
		}
	})
}
