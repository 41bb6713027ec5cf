package app

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Each format comes over HTTP from a node that runs, as "forage export" writes it.
func TestNode_Export(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	o.ExitWhenIdle = 0
	n := newNode(t, o)
	c, end := serveInBackground(t, n)
	defer end()
	waitCaptures(t, o, 10)
	fetch := func(format string) (string, []byte) {
		t.Helper()
		ticket, err := c.Export(t.Context(), format)
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		if _, err := c.Download(t.Context(), ticket, &body); err != nil {
			t.Fatal(err)
		}
		return ticket.Name, body.Bytes()
	}

	name, data := fetch("warc")
	dir := t.TempDir()
	for files := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := files.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(files)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, h.Name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var urls []string
	if err := warcfile.Scan(dir, capture.Position{}, func(c capture.Stored) error { urls = append(urls, c.URL); return nil }); err != nil || len(urls) < 10 {
		t.Errorf("%s holds %q, %v", name, urls, err)
	}
	if !strings.HasPrefix(name, "forage-warc-2") || !strings.HasSuffix(name, ".tar") {
		t.Errorf("the name is %s", name)
	}

	name, data = fetch("wacz")
	if z, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err != nil || len(z.File) < 4 || !strings.HasSuffix(name, ".wacz") {
		t.Errorf("%s: %v", name, err)
	}
	name, data = fetch("cdxj")
	if lines := strings.SplitAfter(string(data), "\n"); len(lines) != len(urls)+1 || !slices.IsSorted(lines[:len(urls)]) || !strings.HasSuffix(name, ".cdxj") {
		t.Errorf("%s has %d lines, want %d in order", name, len(lines)-1, len(urls))
	}
	name, data = fetch("links")
	if !strings.Contains(string(data), "http://a.test/\thttp://a.test/old\n") || !strings.HasSuffix(name, ".tsv") {
		t.Errorf("%s is\n%s", name, data)
	}
	name, data = fetch("pages")
	if !strings.Contains(string(data), `"url":"http://a.test/"`) || !strings.HasPrefix(name, "forage-pages-2") || !strings.HasSuffix(name, ".jsonl") {
		t.Errorf("%s is\n%s", name, data)
	}
	name, data = fetch("graph")
	if z, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err != nil || len(z.File) != 2 || z.File[1].Name != "vertices.txt.gz" {
		t.Errorf("%s: %v", name, err)
	}
	name, data = fetch("stats")
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var members []string
	for _, f := range z.File {
		members = append(members, f.Name)
	}
	if !slices.Contains(members, "stats.json") || !slices.Contains(members, "domains.csv") {
		t.Errorf("%s holds %q", name, members)
	}
	if _, err := os.Stat(filepath.Join(o.Paths.Data, "export.tmp")); !errors.Is(err, os.ErrNotExist) {
		t.Error("an export has left files behind")
	}
	if _, err := c.Export(t.Context(), "pdf"); err == nil || !strings.Contains(err.Error(), "there are warc, wacz") {
		t.Errorf("a format that is none: %v", err)
	}
}

func TestNode_ExportEndsWithItsReader(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	n := newNode(t, o)
	defer closeNode(t, n)
	var bad *api.InputError
	if _, err := n.ExportName(t.Context(), "warc"); !errors.As(err, &bad) || !errors.Is(err, export.ErrNothingArchived) {
		t.Errorf("ExportName of nothing = %v", err)
	}
	serveUntilIdle(t, n)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, format := range []string{"warc", "wacz", "cdxj", "links", "pages", "graph", "stats"} {
		if err := n.Export(ctx, format, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("Export of %s for one who left = %v", format, err)
		}
	}
}

// What a crawl itself has archived of a site's tdmrep.json is followed, though of JSON it stores the head alone.
func TestNode_ExportFollowsReservations(t *testing.T) {
	for contentType, want := range map[string]string{"application/json": "", "text/plain": "http://a.test/open"} {
		s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/":
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, "<a href=/open>o</a><a href=/closed>c</a><a href=/.well-known/tdmrep.json>r</a>")
			case "/open", "/closed":
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, "<title>"+r.URL.Path+"</title>")
			case "/.well-known/tdmrep.json":
				w.Header().Set("Content-Type", contentType)
				io.WriteString(w, `[{"location": "/open", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]`)
			default:
				http.NotFound(w, r)
			}
		})
		o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
		n := newNode(t, o)
		serveUntilIdle(t, n)
		var pages bytes.Buffer
		if err := n.Export(t.Context(), "pages", &pages); err != nil {
			t.Fatal(err)
		}
		var urls []string
		for line := range strings.Lines(pages.String()) {
			_, rest, _ := strings.Cut(line, `"url":"`)
			url, _, _ := strings.Cut(rest, `"`)
			urls = append(urls, url)
		}
		if got := strings.Join(urls, " "); got != want {
			t.Errorf("with tdmrep.json as %s there is %q, want %q", contentType, got, want)
		}
		closeNode(t, n)
	}
}
