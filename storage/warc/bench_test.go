package warc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc/capture"
)

// benchPage returns 49 kB of text that deflates to about a quarter, as pages do.
func benchPage() []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var words [2000]string
	for i := range words {
		words[i] = fmt.Sprintf("%x", rng.Uint32N(1<<(8+rng.Uint32N(20))))
	}
	var page bytes.Buffer
	for page.Len() < 49_000 {
		fmt.Fprintf(&page, "<p class=\"text\">%s %s <a href=\"/page/%d\">%s</a></p>\n",
			words[rng.IntN(2000)], words[rng.IntN(400)], rng.IntN(10000), words[rng.IntN(40)])
	}
	return page.Bytes()[:49_000]
}

func benchCapture(compressed bool) capture.Capture {
	body, encoding := benchPage(), "identity"
	if compressed {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(body)
		w.Close()
		body, encoding = b.Bytes(), "gzip"
	}
	head := "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 31 Jan 2026 12:00:00 GMT\r\n" +
		"Content-Type: text/html; charset=utf-8\r\nConnection: keep-alive\r\nVary: Accept-Encoding\r\n" +
		"ETag: W/\"5f2b-18c0a1b2c3d\"\r\nContent-Encoding: " + encoding +
		fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n", len(body))
	return capture.Capture{
		URL:  "https://www.example.com/articles/2026/01/some-page?id=12345",
		Date: time.Date(2026, 1, 31, 12, 0, 0, 123456000, time.UTC),
		IP:   "93.184.216.34",
		Request: []byte("GET /articles/2026/01/some-page?id=12345 HTTP/1.1\r\nHost: www.example.com\r\n" +
			"User-Agent: forage/0.1.0 (+https://github.com/forage-net/forage)\r\nAccept: text/html,text/*;q=0.8\r\n" +
			"Accept-Encoding: gzip, br\r\n\r\n"),
		Response:      append([]byte(head), body...),
		HeadLen:       len(head),
		PayloadDigest: sha1.Sum(body),
		MIME:          "text/html",
		Status:        200,
		Metadata:      [][2]string{{"fetchTimeMs", "123"}, {"hopsFromSeed", "3"}, {"via", "https://www.example.com/articles/"}},
		Compressed:    compressed,
	}
}

func BenchmarkAppend(b *testing.B) {
	gz := benchCapture(true)
	revisit := gz
	revisit.Revisit = &capture.Refers{URL: gz.URL, Date: gz.Date}
	bare := gz
	bare.Metadata = nil
	for _, bc := range []struct {
		name    string
		capture capture.Capture
	}{
		{"gzip", gz}, {"gzip-no-metadata", bare}, {"revisit", revisit}, {"identity", benchCapture(false)},
	} {
		b.Run(bc.name, func(b *testing.B) {
			a, err := Open(Config{Dir: b.TempDir(), NoSync: true, MaxSize: 64 << 20})
			if err != nil {
				b.Fatal(err)
			}
			defer a.Close()
			b.SetBytes(int64(len(bc.capture.Response)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Append(bc.capture); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(a.Size())/float64(b.N), "disk-B/op")
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, compressed := range []bool{true, false} {
		b.Run(fmt.Sprintf("compressed=%t", compressed), func(b *testing.B) {
			c := benchCapture(compressed)
			var e capture.Encoder
			b.ReportAllocs()
			for b.Loop() {
				e.Encode(&c)
			}
		})
	}
}
