package app

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/ledger"
)

// A node whose files are taken away ends and says so, rather than fetch pages
// that nobody will ever see.
func TestNode_EndsWhenItsFilesAreTakenAway(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files in use cannot be removed here")
	}
	for _, c := range []struct {
		name, says string
		remove     func(o *Options) error
	}{
		{"the store", "forage.db was removed", func(o *Options) error { return os.Remove(o.Paths.Store()) }},
		{"the store is another", "forage.db was removed or replaced", func(o *Options) error {
			path := o.Paths.Store()
			data, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path+".copy", data, 0o600), os.Rename(path+".copy", path))
		}},
		{"the archive", "was removed or replaced while the node ran", func(o *Options) error { return os.RemoveAll(o.Paths.WARC()) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o Options
			removed := make(chan error, 1)
			s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				if r.URL.Path == "/next" { // by then the first page is archived
					select {
					case removed <- c.remove(&o):
					default:
					}
				}
				fmt.Fprint(w, `<a href="/next">next</a>`)
			})
			o = labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
			o.ExitWhenIdle = 0
			n := newNode(t, o)
			err := n.Serve(t.Context())
			if e := <-removed; e != nil {
				t.Fatal(e)
			}
			if !errors.Is(err, ledger.ErrTakenAway) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Serve = %v", err)
			}
			n.Close() // may fail for the same reason
		})
	}
}
