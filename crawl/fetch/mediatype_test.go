package fetch

import (
	"net/http"
	"testing"

	"github.com/forage-net/forage/crawl/fetch/content"
)

func FuzzContentType(f *testing.F) {
	f.Add(`text/html; x="a,b"; charset=big5, */*`, "text/plain")
	f.Fuzz(func(t *testing.T, a, b string) {
		mediaType, charset := content.Type(http.Header{"Content-Type": {a, b}})
		again, label := content.Type(http.Header{"Content-Type": {(&Response{MediaType: mediaType, Charset: charset}).ContentType()}})
		if mediaType != "" && (again != mediaType || label != charset) {
			t.Errorf("%q, %q: %q, %q is read back as %q, %q", a, b, mediaType, charset, again, label)
		}
	})
}
