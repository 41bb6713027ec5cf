package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/fetch/content"
)

// The same bytes must mean the same from a connection and from an archive.
func TestResponse_LiveAndRecorded(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	for _, c := range []struct {
		name, wire string
		payload    string
		truncated  string
		kind       Kind // where there is no response
		unread     bool // part of wire does not belong to the response
	}{
		{name: "counted", wire: head + "Content-Length: 5\r\n\r\nhello", payload: "hello"},
		{name: "empty", wire: head + "Content-Length: 0\r\n\r\n"},
		{name: "until close", wire: head + "\r\nhello", payload: "hello"},
		{name: "bare LF", wire: "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 5\n\nhello", payload: "hello"},
		{name: "HTTP/1.0", wire: "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nhello", payload: "hello"},
		{name: "HTTP/1.0 knows no chunks", wire: "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", payload: "1\r\na\r\n0\r\n\r\n"},
		{name: "no reason", wire: "HTTP/1.1 200\r\nContent-Type: text/html\r\n\r\nx", payload: "x"},
		{name: "blanks in the status line", wire: "HTTP/1.1   200  Fine\r\nContent-Type: text/html\r\n\r\nx", payload: "x"},
		{name: "chunked", wire: head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", payload: "abcde"},
		{name: "chunked, bare LF", wire: head + "Transfer-Encoding: chunked\r\n\r\n3\nabc\n2\nde\n0\n\n", payload: "abcde"},
		{name: "chunked, upper case", wire: head + "Transfer-Encoding: CHUNKED\r\n\r\nA\r\n0123456789\r\n000\r\n\r\n", payload: "0123456789"},
		{name: "chunked, extension and trailers", wire: head + "Transfer-Encoding: chunked\r\n\r\n3;a=\"b\"\r\nabc\r\n0;x\r\nT: 1\r\nU: 2\r\n\r\n", payload: "abc"},
		{name: "chunked and counted", wire: head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", payload: "abc"},
		{name: "chunked, cut in data", wire: head + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc", payload: "abc", truncated: TruncatedDisconnect},
		{name: "chunked, no last chunk", wire: head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", payload: "abc", truncated: TruncatedDisconnect},
		{name: "chunked, bad size", wire: head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n", payload: "abc", truncated: TruncatedDisconnect},
		{name: "chunked, negative", wire: head + "Transfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n", truncated: TruncatedDisconnect},
		{name: "chunked, huge", wire: head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc", truncated: TruncatedDisconnect},
		{name: "chunked, data too long", wire: head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", payload: "abc", truncated: TruncatedDisconnect},
		{name: "chunked, endless size line", wire: head + "Transfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("x", maxChunkLine), truncated: TruncatedDisconnect},
		{name: "counted, cut", wire: head + "Content-Length: 50\r\n\r\nhello", payload: "hello", truncated: TruncatedDisconnect},
		{name: "same length twice", wire: head + "Content-Length: 5\r\nContent-Length: 5, 5\r\n\r\nhello", payload: "hello"},
		{name: "two lengths", wire: head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", kind: KindNotHTTP},
		{name: "length is no number", wire: head + "Content-Length: 5x\r\n\r\nhello", payload: "hello"},
		{name: "length is negative", wire: head + "Content-Length: -1\r\n\r\nhello", payload: "hello"},
		{name: "length overflows", wire: head + "Content-Length: 99999999999999999999999\r\n\r\nhello", payload: "hello", truncated: TruncatedDisconnect},
		{name: "blank before colon", wire: "HTTP/1.1 200 OK\r\nContent-Type : text/html\r\nContent-Length : 5\r\n\r\nhello", payload: "hello"},
		{name: "junk lines", wire: head + "junk\r\n: no name\r\nbad name: x\r\n folded junk\r\nContent-Length: 5\r\n\r\nhello", payload: "hello"},
		{name: "204 has no body", wire: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"},
		{name: "304 has no body", wire: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"},
		{name: "101 ends it", wire: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"},
		{name: "not text", wire: "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100000\r\n\r\n", truncated: TruncatedUnspecified},
		{name: "sniffed", wire: "HTTP/1.1 200 OK\r\n\r\n<!doctype html><p>x", payload: "<!doctype html><p>x"},
		{name: "interim responses", wire: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + head + "\r\nhello", payload: "hello"},
		{name: "too many interim responses", wire: strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", maxInterim+1) + head + "\r\n", kind: KindHeadTooLarge},
		{name: "too many fields", wire: head + strings.Repeat("A: b\r\n", maxFields) + "\r\n", kind: KindHeadTooLarge},
		{name: "too many junk lines", wire: head + strings.Repeat("x\r\n", 3*maxFields) + "\r\n", kind: KindHeadTooLarge},
		{name: "endless head", wire: head + strings.Repeat("A: "+strings.Repeat("b", 1000)+"\r\n", 100), kind: KindHeadTooLarge},
		{name: "head just too long", wire: head + "A: " + strings.Repeat("b", DefaultHead) + "\r\n\r\n", kind: KindHeadTooLarge},
		{name: "nothing", kind: KindClosed},
		{name: "closed in the head", wire: head, kind: KindClosed},
		{name: "another protocol", wire: "220 mail.example ESMTP\r\n", kind: KindNotHTTP},
		{name: "HTTP/2", wire: "HTTP/2 200\r\n\r\n", kind: KindNotHTTP},
		{name: "HTTP/0.9", wire: "<html>", kind: KindNotHTTP},
		{name: "no status", wire: "HTTP/1.1 OK\r\n\r\n", kind: KindNotHTTP},
		{name: "status of four digits", wire: "HTTP/1.1 2000 OK\r\n\r\n", kind: KindNotHTTP},
		{name: "bytes beyond", wire: head + "Content-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n", payload: "hello", unread: true},
	} {
		live, liveErr := newLab(t, Config{}).Get(t.Context(), request(t, answersAndCloses(t, c.wire)))
		recorded, recordedErr := ParseResponse(parseURL(t, "http://a.example/"), []byte(c.wire))
		for _, x := range []struct {
			how string
			r   *Response
			err error
		}{{"live", live, liveErr}, {"recorded", recorded, recordedErr}} {
			name := c.name + ", " + x.how
			if kindOf(x.err) != c.kind {
				t.Errorf("%s: error %v, want kind %q", name, x.err, c.kind)
			}
			if x.err != nil || c.kind != 0 {
				continue
			}
			if string(x.r.Payload) != c.payload || x.r.Truncated != c.truncated {
				t.Errorf("%s: payload %q, truncated %q, want %q, %q", name, x.r.Payload, x.r.Truncated, c.payload, c.truncated)
			}
			if !c.unread {
				wantBytes(t, name+": ResponseBytes", x.r.ResponseBytes, []byte(c.wire))
			}
			if x.r.Truncated == "" && c.unread && x.r.ResponseBytes[len(x.r.ResponseBytes)-1] != 'o' {
				t.Errorf("%s: ResponseBytes = %q", name, x.r.ResponseBytes)
			}
			if h := x.r.ResponseBytes[:x.r.HeadLen]; !bytes.HasSuffix(h, []byte("\n")) {
				t.Errorf("%s: head = %q", name, h)
			}
			x.r.Release()
		}
	}
}

func TestGet_Types(t *testing.T) {
	gzipped := compress(t, "gzip", []byte("<!doctype html><title>x</title>"))
	for _, c := range []struct {
		fields, body string
		mediaType    string
		read         bool
	}{
		{"Content-Type: text/html", "x", "text/html", true},
		{"Content-Type: TEXT/Plain;charset=x", "x", "text/plain", true},
		{"Content-Type: application/xhtml+xml", "x", "application/xhtml+xml", true},
		{"Content-Type: application/xml", "x", "application/xml", true},
		{"Content-Type: application/rss+xml", "x", "application/rss+xml", true},
		{"Content-Type: application/json", "{}", "application/json", false},
		{"Content-Type: application/pdf", "x", "application/pdf", false},
		{"Content-Type: image/png\r\nContent-Type: text/html", "x", "text/html", true},
		{"Content-Type: html", "plain words", "text/plain", true},
		{"Content-Type:", "plain words", "text/plain", true},
		{"X: y", "<html>", "text/html", true},
		{"X: y", "<?xml version='1.0'?>", "text/xml", true},
		{"X: y", "%PDF-1.7 " + strings.Repeat("x", 1000), "application/pdf", false},
		{"X: y", "\x00\x01\x02", "application/octet-stream", false},
		{"Content-Encoding: gzip", string(gzipped), "text/html", true},
		{"Content-Encoding: gzip", "no gzip at all", "text/plain", true},
		{"Content-Encoding: gzip", "<html>", "text/html", true},
		{"Content-Encoding: mystery", "text", "text/plain", true},
		{"Content-Encoding: mystery", "\x00\x01", "application/octet-stream", false},
	} {
		url := answers(t, fmt.Sprintf("HTTP/1.1 200 OK\r\n%s\r\nContent-Length: %d\r\n\r\n%s", c.fields, len(c.body), c.body))
		client := newLab(t, Config{})
		for _, any := range []bool{false, true, false} {
			req := request(t, url)
			req.AnyType = any
			r := get(t, client, req)
			wantPayload, wantCut := c.body, ""
			if !c.read && !any {
				wantPayload, wantCut = "", TruncatedUnspecified
			}
			if r.MediaType != c.mediaType || r.TextType != c.read || string(r.Payload) != wantPayload || r.Truncated != wantCut {
				t.Errorf("%q, any %v: %q, text %v, payload %q, truncated %q", c.fields, any, r.MediaType, r.TextType, r.Payload, r.Truncated)
			}
			r.Release()
		}
		if n := client.conf.Meter.Sockets(); n != 1 {
			t.Errorf("%q: %d sockets, want the one kept", c.fields, n)
		}
	}
}

func TestGet_UnwantedBodyIsNotDownloaded(t *testing.T) {
	done := make(chan int64, 1)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		n, _ := io.Copy(w, io.LimitReader(zeroes{}, 1<<30))
		done <- n
	})
	c := newLab(t, Config{})
	r := get(t, c, request(t, url))
	defer r.Release()
	if n := c.conf.Meter.Received(); n > 1<<20 {
		t.Errorf("read %d bytes", n)
	}
	if n := <-done; n > 20<<20 {
		t.Errorf("server could send %d bytes", n)
	}
	if n := c.conf.Meter.Sockets(); n != 0 {
		t.Errorf("%d sockets, want the connection closed", n)
	}
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestGet_BodyLimits(t *testing.T) {
	endless := func(head, piece string) string {
		return rawServer(t, func(c net.Conn, request func() string) {
			request()
			io.WriteString(c, head)
			for {
				if _, err := io.WriteString(c, piece); err != nil {
					return
				}
			}
		})
	}
	for _, c := range []struct {
		name, head, piece string
		maxBody           int
		wire              int // of the body
	}{
		{"until close", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "abcdefgh", 0, DefaultBody},
		{"counted", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 999999999\r\n\r\n", "abcdefgh", 0, DefaultBody},
		{"chunked", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n", "8\r\nabcdefgh\r\n", 0, DefaultBody},
		{"chunk", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", "abcdefgh", 0, DefaultBody},
		{"trailers", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "A: b\r\n", 0, DefaultBody},
		{"sniffed", "HTTP/1.1 200 OK\r\n\r\n", "abcdefgh", 0, DefaultBody},
		{"less asked for", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "abcdefgh", 1000, 1000},
		{"more asked for", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "abcdefgh", 3 << 20, 3 << 20},
		{"error page", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n", "abcdefgh", 0, otherBody},
	} {
		client := newLab(t, Config{})
		req := request(t, endless(c.head, strings.Repeat(c.piece, 1000)))
		req.MaxBody = c.maxBody
		r := get(t, client, req)
		if got := len(r.ResponseBytes) - r.HeadLen; got != c.wire || r.Truncated != TruncatedLength {
			t.Errorf("%s: %d bytes of body, truncated %q, want %d, length", c.name, got, r.Truncated, c.wire)
		}
		if len(r.Payload) > c.wire {
			t.Errorf("%s: payload of %d bytes", c.name, len(r.Payload))
		}
		if _, err := r.Text(); !errors.Is(err, content.ErrIncomplete) {
			t.Errorf("%s: Text error = %v, want incomplete", c.name, err)
		}
		r.Release()
		if n := client.conf.Meter.Sockets(); n != 0 {
			t.Errorf("%s: %d sockets, want the connection closed", c.name, n)
		}
	}
}

// A body of exactly the limit is complete.
func TestGet_BodyOfTheLimit(t *testing.T) {
	body := strings.Repeat("x", 1000)
	for _, head := range []string{"Content-Length: 1000\r\n", ""} {
		url := answersAndCloses(t, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+head+"\r\n"+body)
		r := get(t, newLab(t, Config{Limits: Limits{Body: 1000}}), request(t, url))
		if string(r.Payload) != body || r.Truncated != "" {
			t.Errorf("%q: %d bytes, truncated %q", head, len(r.Payload), r.Truncated)
		}
		r.Release()
	}
}

func TestGet_SlowSites(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	begin := func(s string) string { // and say nothing more
		return rawServer(t, func(c net.Conn, request func() string) {
			request()
			io.WriteString(c, s)
			request()
		})
	}
	drip := func(s string) string { // and never stop, a few bytes at a time
		return rawServer(t, func(c net.Conn, request func() string) {
			request()
			io.WriteString(c, s)
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for range tick.C {
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
			}
		})
	}
	rate := Limits{Window: 20 * time.Millisecond, Rate: 1 << 20, Total: time.Minute}
	total := Limits{Total: 50 * time.Millisecond, Window: 20 * time.Millisecond, Rate: 1}
	for _, c := range []struct {
		name, url string
		limits    Limits
		kind      Kind
	}{
		{"no head in time", begin(""), total, KindTimeout},
		{"half a head in time", begin(head), total, KindTimeout},
		{"half a head, rate", begin(head), rate, KindTimeout},
		{"dripping head", drip(head + "A: "), total, KindTimeout},
		{"dripping head, rate", drip(head + "A: "), rate, KindTimeout},
		{"half a body", begin(head + "Content-Length: 100\r\n\r\nabc"), total, 0},
		{"half a body, rate", begin(head + "Content-Length: 100\r\n\r\nabc"), rate, 0},
		{"dripping body", drip(head + "\r\nabc"), total, 0},
		{"dripping body, rate", drip(head + "\r\nabc"), rate, 0},
	} {
		client := newLab(t, Config{Limits: c.limits})
		r, err := client.Get(t.Context(), request(t, c.url))
		if kindOf(err) != c.kind {
			t.Errorf("%s: error %v, want kind %q", c.name, err, c.kind)
		}
		if err == nil {
			if r.Truncated != TruncatedTime || !strings.HasPrefix(string(r.Payload), "abc") {
				t.Errorf("%s: truncated %q, payload %q", c.name, r.Truncated, r.Payload)
			}
			r.Release()
		}
		if n := client.conf.Meter.Sockets(); n != 0 {
			t.Errorf("%s: %d sockets, want the connection closed", c.name, n)
		}
	}
}

// A site that thinks before it answers is not slow, only late: a window is
// judged if something had come when it began.
func TestTransfer_JudgesWindows(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	x := &transfer{
		conn:   &conn{sock: &socket{Conn: client}},
		limits: Limits{Window: time.Hour, Rate: 1}, // 3600 bytes
		until:  time.Now().Add(24 * time.Hour),
		ended:  t.Context().Err,
	}
	for i, step := range []struct {
		came int
		want error
	}{{0, nil}, {0, nil}, {1, nil}, {3600, nil}, {5000, nil}, {3599, errSlow}} {
		x.window = time.Now() // has ended
		x.begun = x.begun || step.came > 0
		x.inWindow = step.came
		if err := x.nextWindow(); err != step.want {
			t.Errorf("window %d, %d bytes: %v, want %v", i, step.came, err, step.want)
		}
	}
	x.until = time.Now()
	if err := x.nextWindow(); err != errSlow {
		t.Errorf("after the total: %v, want %v", err, errSlow)
	}
}

func TestParseResponse_DoesNotChangeRecord(t *testing.T) {
	raw := []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\nbeyond")
	whole := bytes.Clone(raw)
	r, err := ParseResponse(parseURL(t, "http://a.example/"), raw[:len(raw)-len("beyond")])
	if err != nil {
		t.Fatal(err)
	}
	wantBytes(t, "Payload", r.Payload, []byte("ab"))
	r.Text()
	r.Release()
	wantBytes(t, "record", raw, whole)
}

// Of a response without a type of which only the head was recorded nothing
// can be told but that.
func TestParseResponse_HeadAlone(t *testing.T) {
	r, err := ParseResponse(parseURL(t, "http://a.example/"), []byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"))
	if err != nil || r.MediaType != "" || r.TextType || r.Truncated != TruncatedUnspecified {
		t.Errorf("ParseResponse = %+v, %v", r, err)
	}
	if text, err := r.Text(); len(text) != 0 || !errors.Is(err, content.ErrIncomplete) {
		t.Errorf("Text = %q, %v, want nothing, incomplete", text, err)
	}
}

func FuzzParseResponse(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 103 E\r\n\r\nHTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n1;a\r\nx\r\n2\r\nyz\r\n0\r\nT: 1\r\n\r\n",
		"HTTP/1.0 302 Found\nLocation: /x\nRetry-After: 5\n\n",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00",
		"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 1, 1\r\n\r\nx",
	} {
		f.Add([]byte(s))
	}
	u := parseURL(f, "http://a.example/dir/page")
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ParseResponse(u, raw)
		if err != nil {
			if kindOf(err) == 0 {
				t.Errorf("error %v is no Error", err)
			}
			return
		}
		if r.HeadLen > len(r.ResponseBytes) || !bytes.HasPrefix(raw, r.ResponseBytes) {
			t.Errorf("HeadLen %d, ResponseBytes %q of %q", r.HeadLen, r.ResponseBytes, raw)
		}
		if len(r.Payload) > len(r.ResponseBytes)-r.HeadLen {
			t.Errorf("payload %q of %q", r.Payload, r.ResponseBytes)
		}
		r.Text()
		r.Location()
		if d, ok := r.RetryAfter(time.Unix(0, 0)); d < 0 || d > 24*time.Hour || !ok && d != 0 {
			t.Errorf("RetryAfter = %v, %v", d, ok)
		}
		again, err := ParseResponse(u, r.ResponseBytes)
		if err != nil || !bytes.Equal(again.Payload, r.Payload) || again.Truncated != r.Truncated {
			t.Errorf("%q parses to %q, again to %v, %v", raw, r.Payload, again, err)
		}
		compareWithStandard(t, raw, r)
	})
}

// compareWithStandard checks that where the standard library, which is
// stricter, understands a response, we understand the same.
func compareWithStandard(t *testing.T, raw []byte, r *Response) {
	std, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
	if err != nil || std.StatusCode < 200 || r.Truncated == TruncatedUnspecified {
		return
	}
	body, err := io.ReadAll(std.Body)
	if err != nil {
		return
	}
	if std.StatusCode != r.Status || !bytes.Equal(body, r.Payload) || r.Truncated != "" {
		t.Errorf("%q: status %d, payload %q, truncated %q; net/http: %d, %q", raw, r.Status, r.Payload, r.Truncated, std.StatusCode, body)
	}
}
