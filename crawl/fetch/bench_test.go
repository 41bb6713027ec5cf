package fetch

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

// BenchmarkGet fetches a page of 49 kB, compressed to about a fifth, over a
// kept connection. The server's share is in it: "raw" serves ready-made bytes.
func BenchmarkGet(b *testing.B) {
	text := page(49_000)
	gz := compress(b, "gzip", text)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Length", strconv.Itoa(len(gz)))
		w.Write(gz)
	}))
	defer h.Close()
	raw := rawServer(b, func(c net.Conn, request func() string) {
		response := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nServer: x\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: text/html; charset=utf-8\r\n"+
			"Content-Encoding: gzip\r\nContent-Length: %d\r\nLast-Modified: Sat, 21 Nov 2026 12:00:00 GMT\r\nETag: \"abc\"\r\nVary: Accept-Encoding\r\n\r\n%s", len(gz), gz)
		var buf [4096]byte
		for {
			if _, err := c.Read(buf[:]); err != nil {
				return
			}
			c.Write(response)
		}
	})
	for _, s := range []struct {
		name, url string
		text      bool
	}{{"httptest", h.URL, false}, {"raw", raw, false}, {"raw and text", raw, true}} {
		b.Run(s.name, func(b *testing.B) {
			c := newLab(b, Config{})
			req := request(b, s.url)
			b.ReportAllocs()
			for b.Loop() {
				r := get(b, c, req)
				if s.text {
					if got, err := r.Text(); err != nil || len(got) != len(text) {
						b.Fatal(len(got), err)
					}
				}
				r.Release()
			}
		})
	}
	b.Run("net/http, for comparison", func(b *testing.B) {
		t := &http.Transport{DisableCompression: true}
		defer t.CloseIdleConnections()
		b.ReportAllocs()
		for b.Loop() {
			req, _ := http.NewRequest("GET", raw, nil)
			resp, err := t.RoundTrip(req)
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
}

func BenchmarkParseHead(b *testing.B) {
	raw := []byte("HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: text/html; charset=utf-8\r\n" +
		"Content-Encoding: gzip\r\nContent-Length: 1234\r\nLast-Modified: Sat, 21 Nov 2026 12:00:00 GMT\r\nETag: \"abc\"\r\nVary: Accept-Encoding\r\n\r\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseHead(raw); err != nil {
			b.Fatal(err)
		}
	}
}
