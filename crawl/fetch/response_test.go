package fetch

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch/content"
)

// compress applies a content coding.
func compress(t testing.TB, coding string, p []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw deflate":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	default:
		t.Fatalf("coding %q", coding)
	}
	if _, err := w.Write(p); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// recorded returns the response with the given coding and payload.
func recorded(t testing.TB, coding string, payload []byte) *Response {
	t.Helper()
	r, err := ParseResponse(parseURL(t, "http://a.example/"),
		append([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: "+coding+"\r\n\r\n"), payload...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// page is text that compresses about as pages do.
func page(n int) []byte {
	words := strings.Fields("the a of <p> </p> <a href= class= title div span and to in is that for it with")
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < n {
		b.WriteString(words[r.IntN(len(words))])
		b.WriteByte(byte('a' + r.IntN(26)))
		b.WriteByte(' ')
	}
	return b.Bytes()[:n]
}

func TestText_Codings(t *testing.T) {
	want := page(200_000)
	gz := compress(t, "gzip", want)
	for _, c := range []struct {
		coding  string
		payload []byte
	}{
		{"identity", want}, {"", want}, {"utf-8", want}, {"none", want},
		{"gzip", gz}, {"X-GZIP", gz}, {"gzip, identity", gz},
		{"gzip", append(compress(t, "gzip", want[:1000]), compress(t, "gzip", want[1000:])...)},
		{"gzip", append(bytes.Clone(gz), "\r\n<!-- served in 3 ms -->"...)},
		{"gzip", append(bytes.Clone(gz), 0)},
		{"deflate", compress(t, "deflate", want)},
		{"deflate", compress(t, "raw deflate", want)},
		{"br", compress(t, "br", want)},
		{"zstd", compress(t, "zstd", want)},
		{"zstd", append(compress(t, "zstd", want[:1000]), compress(t, "zstd", want[1000:])...)},
		{"br, gzip", compress(t, "gzip", compress(t, "br", want))},
		{"deflate, gzip", compress(t, "gzip", compress(t, "raw deflate", want))},
		{"zstd, br", compress(t, "br", compress(t, "zstd", want))},
		{"gzip,deflate", compress(t, "deflate", gz)},
	} {
		r := recorded(t, c.coding, c.payload)
		for range 2 {
			if got, err := r.Text(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: Text = %d bytes, %v, want %d", c.coding, len(got), err, len(want))
			}
		}
		if r.Digest() != sha1.Sum(c.payload) {
			t.Errorf("%s: Digest is not that of the payload", c.coding)
		}
		r.Release()
	}
}

// Servers name what is no coding, and proxies unpack a body and leave the field.
func TestText_CodingsThatAreNone(t *testing.T) {
	want := []byte("<!doctype html><title>t\xe9</title>" + strings.Repeat("<a href=/next>next</a>", 50))
	gz, br := compress(t, "gzip", want), compress(t, "br", want)
	for _, c := range []struct {
		coding  string
		payload []byte
	}{
		{"UTF8", want}, {"ISO-8859-1", want}, {"aws-chunked", want}, {"chunked", want}, {"text/html", want}, {"8bit", want}, {"*", want},
		{"null", want}, {"gzip;q=1.0", want}, {"none", []byte("\x00\x01")}, {"binary", gz}, {"compress", want}, {"dcb", want}, {"?\"", want},
		{"gzip", want}, {"x-gzip", want}, {"br", want}, {"zstd", want}, {"deflate", want}, {"gzip, br", want}, {"gzip, gzip, gzip", want},
		{"gzip", []byte("\xef\xbb\xbfx")}, {"br", []byte("User-agent: *\nDisallow: /\n")}, {"deflate", []byte("Sitemap: x")}, {"deflate", []byte("x")},
		{"gzip, aws-chunked", gz}, {"gzip;q=1.0", gz}, {"\"gzip\"", gz}, {"utf-8, gzip", gz}, {"gzip, gzip", gz}, {"br", gz}, {"gzip", compress(t, "zstd", want)},
		{"br, gzip", gz}, {"gzip, br", br}, {"br, gzip", br}, {"deflate, br", br},
	} {
		r := recorded(t, c.coding, c.payload)
		plain := want
		if content.Plain(c.payload) || c.coding == "none" || c.coding == "binary" { // of a type that is not text
			plain = c.payload
		}
		if got, err := r.Text(); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s %.20q: Text = %d bytes, %v, want %d", c.coding, c.payload, len(got), err, len(plain))
		}
		if want := !content.Plain(c.payload) && c.coding != "none" && c.coding != "binary"; r.Packed() != want {
			t.Errorf("%s %.20q: Packed = %v", c.coding, c.payload, !want)
		}
		r.Release()
	}
}

// Servers name chunked more than once, and beside what is none. Like in browsers it is undone once.
func TestText_ChunkedHoweverItIsSaid(t *testing.T) {
	const chunks = "22\r\n<title>t</title><a href=\"/a\">a</a>\r\n0\r\n\r\n"
	gz := compress(t, "gzip", []byte(chunks[4:38]))
	for _, c := range []struct{ fields, body string }{
		{"Transfer-Encoding: Chunked", chunks},
		{"Transfer-Encoding: chunked, chunked", chunks},
		{"Transfer-Encoding: chunked,chunked,chunked", chunks},
		{"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", chunks},
		{"Transfer-Encoding: identity, chunked", chunks},
		{"Transfer-Encoding: chunked, identity", chunks},
		{"Transfer-Encoding: chunked\r\nTransfer-Encoding:", chunks},
		{"Transfer-Encoding: identity", chunks[4:38]},
		{"Transfer-Encoding: x", chunks[4:38]},
		{"Transfer-Encoding: gzip, chunked", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(gz), gz)},
	} {
		r, err := ParseResponse(parseURL(t, "http://a.example/"), []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+c.fields+"\r\n\r\n"+c.body))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Text(); err != nil || string(got) != chunks[4:38] {
			t.Errorf("%q: Text = %q, %v", c.fields, got, err)
		}
	}
}

func TestText_Errors(t *testing.T) {
	for _, c := range []struct {
		coding  string
		payload []byte
		want    error
	}{
		{"compress", []byte("\x1f\x9d\x90\x01"), content.ErrEncoding},
		{"gzip, gzip, gzip", []byte("\x00x"), content.ErrEncoding},
		{"gzip", []byte("\x00 binary"), content.ErrEncoding},
		{"deflate", []byte("\x00x"), content.ErrEncoding},
		{"deflate", []byte("\x78\xbb\x00\x01"), content.ErrEncoding},
		{"br", []byte("\x01\x02 binary"), content.ErrEncoding},
		{"zstd", []byte("\x00 binary"), content.ErrEncoding},
		{"dcb", []byte("\x00 binary"), content.ErrEncoding},
		{"gzip", nil, nil},
		{"br", nil, nil},
	} {
		if got, err := recorded(t, c.coding, c.payload).Text(); !errors.Is(err, c.want) || len(got) != 0 {
			t.Errorf("%s %q: Text = %q, %v, want %v", c.coding, c.payload, got, err, c.want)
		}
	}
}

func TestText_TornStreamsYieldTheirBeginning(t *testing.T) {
	want := page(300_000)
	for _, coding := range []string{"gzip", "deflate", "raw deflate", "br", "zstd"} {
		whole := compress(t, coding, want)
		r := recorded(t, strings.TrimPrefix(coding, "raw "), whole[:len(whole)*3/4])
		got, err := r.Text()
		if !errors.Is(err, content.ErrIncomplete) || len(got) < 100_000 || !bytes.HasPrefix(want, got) {
			t.Errorf("%s: Text = %d bytes, %v, want a part of %d, incomplete", coding, len(got), err, len(want))
		}
	}
}

func TestText_Bombs(t *testing.T) {
	zeros := make([]byte, 4<<20)
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		bomb := compress(t, coding, zeros)
		if got, err := recorded(t, coding, bomb).Text(); !errors.Is(err, content.ErrBomb) || got != nil {
			t.Errorf("%s: Text of a bomb of %d bytes = %d bytes, %v, want ErrBomb", coding, len(bomb), len(got), err)
		}
		for _, outer := range []string{"gzip", "br", "zstd"} {
			if _, err := recorded(t, coding+", "+outer, compress(t, outer, bomb)).Text(); !errors.Is(err, content.ErrBomb) {
				t.Errorf("%s in %s: Text of a bomb = %v, want ErrBomb", coding, outer, err)
			}
		}
		if _, err := recorded(t, coding, compress(t, coding, zeros[:ratioFrom])).Text(); err != nil {
			t.Errorf("%s: Text of a short page of zeros = %v, want nil", coding, err)
		}
	}
	// Empty members and frames that expand to nothing inside a bomb.
	empty := bytes.Repeat(compress(t, "gzip", nil), 1<<18)
	if _, err := recorded(t, "gzip, gzip", compress(t, "gzip", empty)).Text(); !errors.Is(err, content.ErrBomb) {
		t.Errorf("Text of a bomb of nothing = %v, want ErrBomb", err)
	}
	long := page(DefaultText + 1000)
	got, err := recorded(t, "gzip", compress(t, "gzip", long)).Text()
	if !errors.Is(err, content.ErrIncomplete) || !bytes.Equal(got, long[:DefaultText]) {
		t.Errorf("Text of %d bytes = %d bytes, %v, want %d, incomplete", len(long), len(got), err, DefaultText)
	}
}

const vectors = "../../../shared/vectors/compressed/"

func TestText_Vectors(t *testing.T) {
	for _, c := range []struct {
		file, coding string
		want         error
	}{
		{"html-gzip.bin", "gzip", nil},
		{"html-br.bin", "br", nil},
		{"html-zstd-streaming-no-content-size.bin", "zstd", nil},
		{"html-gzip-deflate.bin", "gzip, deflate", nil},
		{"unexpected-eof.gz", "gzip", content.ErrIncomplete},
		{"bomb-gzip.bin", "gzip", content.ErrBomb},
		{"bomb-br.bin", "br", content.ErrBomb},
		{"bomb-zstd.bin", "zstd", content.ErrBomb},
	} {
		payload, err := os.ReadFile(vectors + c.file)
		if err != nil {
			t.Skip(err)
		}
		got, err := recorded(t, c.coding, payload).Text()
		if !errors.Is(err, c.want) {
			t.Errorf("%s: Text error = %v, want %v", c.file, err, c.want)
		}
		if c.want != content.ErrBomb && len(got) < 1000 {
			t.Errorf("%s: Text = %d bytes", c.file, len(got))
		}
		if c.want == nil && !bytes.Contains(got, []byte("<html")) {
			t.Errorf("%s: Text = %.100q, want a page", c.file, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		f.Add(coding, compress(f, coding, []byte("hello, hello, hello")))
		f.Add(coding+", gzip", compress(f, "gzip", compress(f, coding, make([]byte, 100_000))))
	}
	p := &content.Pools{} // shared: a decoder must recover from whatever it has seen
	f.Fuzz(func(t *testing.T, coding string, payload []byte) {
		r := recorded(t, "identity", payload)
		r.pools = p
		r.Header.Set("Content-Encoding", coding)
		got, err := r.Text()
		if max := max(ratioFrom, DefaultRatio*len(payload)); len(got) > max {
			t.Errorf("Text of %d bytes = %d bytes", len(payload), len(got))
		}
		if err != nil && !errors.Is(err, content.ErrIncomplete) && got != nil {
			t.Errorf("Text = %q with error %v", got, err)
		}
		r.Release()
		good := recorded(t, "br, gzip", compress(t, "gzip", compress(t, "br", []byte("good"))))
		good.pools = p
		if got, err := good.Text(); err != nil || string(got) != "good" {
			t.Errorf("after %q %q: Text = %q, %v", coding, payload, got, err)
		}
	})
}

func TestLocation(t *testing.T) {
	for _, c := range []struct{ location, want string }{
		{"/x", "http://a.example/x"},
		{"x?y#z", "http://a.example/dir/x?y"},
		{"//b.example", "http://b.example/"},
		{"https://b.example/\xc3\xa9", "https://b.example/%C3%A9"},
		{"/caf\xe9", "http://a.example/caf%E9"},
		{"/a b", "http://a.example/a%20b"},
		{"ftp://b.example/", ""},
		{"http://", ""},
		{"", ""},
	} {
		r, err := ParseResponse(parseURL(t, "http://a.example/dir/page"), []byte("HTTP/1.1 302 Found\r\nLocation: "+c.location+"\r\n\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Location()
		if got.String() != c.want || (err == nil) != (c.want != "") {
			t.Errorf("Location %q = %q, %v, want %q", c.location, got, err, c.want)
		}
	}
	r, _ := ParseResponse(parseURL(t, "http://a.example/"), []byte("HTTP/1.1 302 Found\r\n\r\n"))
	if _, err := r.Location(); err != ErrNoLocation {
		t.Errorf("Location = %v, want ErrNoLocation", err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"", 0, false},
		{"0", 0, true},
		{"120", 2 * time.Minute, true},
		{"86401", crawl.MaxWait, true},
		{"99999999999999999999999", crawl.MaxWait, true},
		{"-5", 0, false},
		{"soon", 0, false},
		{"1.5", 1500 * time.Millisecond, true},
		{"120.", 2 * time.Minute, true},
		{".5", 500 * time.Millisecond, true},
		{"+120", 2 * time.Minute, true},
		{"1.5.2", 0, false},
		{".", 0, false},
		{"120 seconds", 2 * time.Minute, true},
		{"120s", 2 * time.Minute, true},
		{"120 Sec", 2 * time.Minute, true},
		{"2 minutes", 2 * time.Minute, true},
		{"2m", 2 * time.Minute, true},
		{"1500 ms", 1500 * time.Millisecond, true},
		{"1h 30m", 90 * time.Minute, true},
		{"1h30m5s", 90*time.Minute + 5*time.Second, true},
		{"PT5M", 5 * time.Minute, true},
		{"3 days", crawl.MaxWait, true},
		{"5 apples", 0, false},
		{"5 5", 0, false},
		{"-5 s", 0, false},
		{"120, 240", 4 * time.Minute, true},
		{"240,120", 4 * time.Minute, true},
		{"120; 60", 2 * time.Minute, true},
		{"soon, 60", time.Minute, true},
		{",", 0, false},
		{"30, Sat, 21 Nov 2026 12:01:00 GMT", time.Minute, true},
		{"Sat, 21 Nov 2026 12:01:00 GMT, Sat, 21 Nov 2026 12:03:00 GMT, 90", 3 * time.Minute, true},
		{`"120"`, 2 * time.Minute, true},
		{`'120 s'`, 2 * time.Minute, true},
		{`"Sat, 21 Nov 2026 12:01:00 GMT"`, time.Minute, true},
		{"Sat, 21 Nov 2026 12:01:00 UTC", time.Minute, true},
		{"Sat, 21 Nov 2026 12:01:00 +0000", time.Minute, true},
		{"Sat, 21 Nov 2026 14:01:00 +0200", time.Minute, true},
		{"Sat, 21 Nov 2026 07:01:00 EST", time.Minute, true},
		{"21 Nov 2026 12:01:00 GMT", time.Minute, true},
		{"2026-11-21T12:01:00Z", time.Minute, true},
		{"2026-11-21T13:01:00.250+01:00", time.Minute, true},
		{"2026-11-21 12:01:00", time.Minute, true},
		{"2026-11-21 12:01:00 UTC", time.Minute, true},
		{"120\r\nRetry-After: 240", 4 * time.Minute, true},
		{"Fri, 20 Nov 2026 12:01:00 GMT\r\nRetry-After: 240\r\nRetry-After: 30", 4 * time.Minute, true},
		{strings.Repeat("9", 4000), crawl.MaxWait, true},
		{strings.Repeat("1s", 4000), 4000 * time.Second, true},
		{strings.Repeat("x,", 4000) + "7", 7 * time.Second, true},
		{"Sat, 21 Nov 2026 12:01:00 GMT", time.Minute, true},
		{"Saturday, 21-Nov-26 12:01:00 GMT", time.Minute, true},
		{"Sat Nov 21 12:01:00 2026", time.Minute, true},
		{"Fri, 20 Nov 2026 12:01:00 GMT", 0, true},
		{"Tue, 21 Nov 2028 12:01:00 GMT", crawl.MaxWait, true},
	} {
		r, err := ParseResponse(parseURL(t, "http://a.example/"), []byte("HTTP/1.1 503 Busy\r\nRetry-After: "+c.value+"\r\n\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := r.RetryAfter(now); got != c.want || ok != c.ok {
			t.Errorf("RetryAfter %q = %v, %v, want %v, %v", c.value, got, ok, c.want, c.ok)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"120", "+1.5 min", "PT1H2M", `"120", 240`, "Sat, 21 Nov 2026 12:01:00 +0100, 5;6", "2026-11-21T12:01:00.5Z"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		r := Response{Header: http.Header{"Retry-After": {value}}}
		if d, ok := r.RetryAfter(now); d < 0 || d > crawl.MaxWait || !ok && d != 0 {
			t.Errorf("RetryAfter %q = %v, %v", value, d, ok)
		}
	})
}
