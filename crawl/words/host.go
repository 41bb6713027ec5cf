package words

import (
	"bytes"

	"github.com/forage-net/forage/crawl"
)

// AppendHost appends the host of a URL in the letters of its language, nothing if these are ASCII.
func AppendHost(dst, url []byte) []byte {
	_, rest, _ := bytes.Cut(url, []byte("://"))
	if i := bytes.IndexAny(rest, "/:?"); i >= 0 {
		rest = rest[:i]
	}
	if !bytes.Contains(rest, []byte("xn--")) {
		return dst
	}
	return append(dst, crawl.ReadableHost(string(rest))...)
}
