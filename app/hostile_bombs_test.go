package app

import (
	"bytes"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// bombSize is what each bomb unfolds to, in bytes.
const bombSize = 48 << 20

// bomb is a short body that unfolds to a long one.
type bomb struct{ name, coding, body string }

// bombs returns one for each coding, and some stacked.
func bombs(t testing.TB) []bomb {
	t.Helper()
	zeros := bytes.Repeat([]byte("0"), 1<<20)
	pack := func(open func(io.Writer) io.WriteCloser, content []byte, times int) []byte {
		var b bytes.Buffer
		w := open(&b)
		for range times {
			if _, err := w.Write(content); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	gz := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	br := func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 3) }
	zst := func(w io.Writer) io.WriteCloser {
		enc, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		return enc
	}
	deflate := func(w io.Writer) io.WriteCloser {
		enc, err := flate.NewWriter(w, flate.DefaultCompression)
		if err != nil {
			t.Fatal(err)
		}
		return enc
	}
	const times = bombSize >> 20
	inGzip := pack(gz, zeros, times)
	twice := pack(gz, inGzip, 1)
	return []bomb{
		{"gzip", "gzip", string(inGzip)},
		{"br", "br", string(pack(br, zeros, times))},
		{"zstd", "zstd", string(pack(zst, zeros, times))},
		{"deflate", "deflate", string(pack(deflate, zeros, times))},
		{"twice", "gzip, gzip", string(twice)},
		{"mixed", "gzip, br", string(pack(br, inGzip, 1))},
		{"thrice", "gzip, gzip, gzip", string(pack(gz, twice, 1))},
		{"members", "gzip", string(bytes.Repeat(pack(gz, zeros, 1), times))},
	}
}
