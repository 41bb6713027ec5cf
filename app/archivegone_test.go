package app

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// Whoever moves the archive away is told, and the node goes on.
func TestNode_TellsThatItsArchiveIsGone(t *testing.T) {
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if len(r.URL.Path) < 20 { // one after the other, so that there are several commits
			fmt.Fprintf(w, `<a href="%s/next">next</a>`, r.URL.Path)
		}
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/1")
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	for i, c := range []struct {
		name   string
		damage func(dir string)
		warns  bool
	}{
		{"fresh", func(string) {}, false},
		{"as it was", func(string) {}, false},
		{"the directory is gone", func(dir string) { os.RemoveAll(dir) }, true},
	} {
		c.damage(o.Paths.WARC())
		log.Reset()
		o.Seeds = []crawl.URL{mustURL(t, fmt.Sprintf("http://a.test/%d", i))}
		n := newNode(t, o)
		serveUntilIdle(t, n)
		closeNode(t, n)
		if got := strings.Contains(log.String(), "The archive is not as it was left"); got != c.warns {
			t.Errorf("%s: warned %v, want %v:\n%s", c.name, got, c.warns, log.String())
		}
	}
}
