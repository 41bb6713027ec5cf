package app

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/apptest"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/ledger"
	warcexport "github.com/forage-net/forage/storage/warc/export"
)

// What one node exports, another takes in; it then finds it, and neither visits nor counts it.
func TestImport_OfOurs(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	n := newNode(t, o)
	serveUntilIdle(t, n)
	closeNode(t, n)
	from := captured(t, o.Paths)
	out := t.TempDir()
	if _, err := export.AsWACZ(t.Context(), o.Paths, out, "", time.Now(), true); err != nil {
		t.Fatal(err)
	}
	if _, err := warcexport.WARC(t.Context(), o.Paths.WARC(), out, warcexport.WithNoIndex); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(out, "*"))
	if len(files) < 2 {
		t.Fatalf("there are %q", files)
	}
	for _, file := range files {
		to := labOptions(t, t.TempDir(), newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) { t.Error("a page was asked for") }).hosts)
		apptest.Roomy(t, to.Paths)
		done, err := ledger.Import(t.Context(), to.Paths, file)
		if err != nil || done.Captures < len(from)-1 || done.Damaged > 0 {
			t.Errorf("%s: %+v, %v, want about %d captures", file, done, err, len(from))
		}
		for url, c := range captured(t, to.Paths) {
			if c.PayloadDigest != from[url].PayloadDigest || c.Status != from[url].Status {
				t.Errorf("%s: %s differs", file, url)
			}
		}
		again := newNode(t, to)
		serveUntilIdle(t, again)
		if status, err := again.Status(t.Context()); err != nil || status.Pages != 0 || status.Known != 0 || status.Queued != 0 {
			t.Errorf("%s: %d pages, %d known, %d queued, %v", file, status.Pages, status.Known, status.Queued, err)
		}
		if err := again.finder.CatchUp(t.Context()); err != nil {
			t.Error(err)
		}
		if s := again.finder.Status(); s.Pages == 0 {
			t.Errorf("%s: nothing is in the search index", file)
		}
		closeNode(t, again)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, ".wacz") {
			continue
		}
		if done, err := ledger.Import(t.Context(), emptyHome(t), otherDigest(t, file)); err == nil || !strings.Contains(err.Error(), "digest") || done.Captures > 0 {
			t.Errorf("a package whose files are not what it states: %+v, %v", done, err)
		}
	}
}

// otherDigest returns a package that states other digests.
func otherDigest(t *testing.T, file string) string {
	t.Helper()
	from, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(filepath.Join(t.TempDir(), "bad.wacz"))
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	w := zip.NewWriter(to)
	for _, f := range from.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(r)
		if f.Name == "datapackage.json" {
			i := bytes.Index(data, []byte("sha256:")) // the lists of resources may begin with any file
			for i >= 0 && i < len(data) {
				data[i+len("sha256:")] = "01"[data[i+len("sha256:")]&1^1]
				next := bytes.Index(data[i+1:], []byte("sha256:"))
				if next < 0 {
					break
				}
				i += 1 + next
			}
		}
		part, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		part.Write(data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return to.Name()
}
