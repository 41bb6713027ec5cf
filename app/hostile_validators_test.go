package app

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/frontier"
)

// What a site gives as validators comes back to it as it was, or not at all.
func TestHostile_ValidatorsComeBackWithinBounds(t *testing.T) {
	fit := `"` + strings.Repeat("v", crawl.MaxValidator-2) + `"`
	validators := map[string]struct{ etag, modified, wantETag, wantModified string }{
		"/fit":     {etag: fit, wantETag: fit},
		"/beyond":  {etag: fit + "x"},
		"/giant":   {etag: `"` + strings.Repeat("e", 60_000) + `"`, modified: strings.Repeat("m", 60_000)},
		"/control": {etag: "\"a\x01b\x7f\"", modified: "\x00"},
		"/octets":  {etag: "\"\xff\xfe\""},
		"/header":  {etag: "\"a\"\rHost: evil.test", modified: "x\rCookie: y"},
	}
	var mu sync.Mutex
	visits := make(map[string][]http.Header)
	done := make(chan struct{})
	l := &hostileLab{goodDone: make(chan struct{}), ended: make(chan struct{})}
	t.Cleanup(l.close)
	s := l.newSite(t, "a.test")
	s.answer = func(v *visit) bool {
		path := v.URL.Path
		is, ok := validators[path]
		if !ok {
			return v.notFound()
		}
		mu.Lock()
		visits[path] = append(visits[path], v.Header)
		left := len(validators)
		for _, list := range visits {
			if len(list) >= 3 {
				left--
			}
		}
		if left == 0 && len(visits[path]) == 3 {
			close(done)
		}
		mu.Unlock()
		fields := "ETag: " + is.etag + "\r\n"
		if is.modified != "" {
			fields += "Last-Modified: " + is.modified + "\r\n"
		}
		return v.reply(200, htmlType+fields, "page at "+path)
	}
	s.serve()
	o := labOptions(t, t.TempDir(), mustHosts(t, l.hosts()))
	for path := range validators {
		o.Seeds = append(o.Seeds, mustURL(t, s.url(path)))
	}
	o.ExitWhenIdle = 0
	o.Lab.Revisit = frontier.Revisit{First: time.Second, Least: time.Second, Most: time.Second}
	n := newNode(t, o)
	served := make(chan error, 1)
	go func() { served <- n.Serve(t.Context()) }()
	safety, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	select {
	case <-done:
	case <-safety.Done():
		t.Error("the pages were not visited three times")
	}
	n.Stop(t.Context())
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	closeNode(t, n)
	mu.Lock()
	defer mu.Unlock()
	for path, want := range validators {
		for i, h := range visits[path][min(1, len(visits[path])):] {
			etag, modified := h.Get("If-None-Match"), h.Get("If-Modified-Since")
			if etag != want.wantETag || modified != want.wantModified {
				t.Errorf("visit %d of %s came with %.300q and %.300q, want %.300q and %.300q", i+2, path, etag, modified, want.wantETag, want.wantModified)
			}
			for _, name := range []string{"Cookie"} {
				if h.Get(name) != "" {
					t.Errorf("visit %d of %s came with a %s", i+2, path, name)
				}
			}
		}
	}
}

func mustHosts(t testing.TB, text string) *fetch.Hosts {
	t.Helper()
	hosts, err := fetch.ParseHosts(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return hosts
}
