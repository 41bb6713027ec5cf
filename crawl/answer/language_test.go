package answer

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/scope"
)

// A page that does not name its language is in the one that its head names.
func TestRead_Language(t *testing.T) {
	s, err := scope.New(scope.Config{Depth: crawl.MaxDepth, Everywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	u := urlOf(t, "http://a.test/")
	for _, c := range []struct{ head, page, want string }{
		{"Content-Language: de-AT, en\r\n", "<p>a", "de"},
		{"Content-Language: de\r\n", "<html lang=fr-CA><p>a", "fr-CA"},
		{"Content-Language: <script>\r\n", "<p>a", ""},
		{"", "<p>a", ""},
	} {
		r, err := fetch.ParseResponse(u, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+c.head+"\r\n"+c.page))
		if err != nil {
			t.Fatal(err)
		}
		o, page := Read(crawl.Task{URL: u}, r, s, time.Now(), nil)
		if page.Language != c.want || o.Language != c.want {
			t.Errorf("%q, %q: %q and %q, want %q", c.head, c.page, page.Language, o.Language, c.want)
		}
		r.Release()
	}
}
