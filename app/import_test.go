package app

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage/warc"
)

// foreignRecord is a record as another program writes it.
func foreignRecord(kind, id, url, belongs, more, block string) string {
	head := "WARC/1.0\r\nWARC-Type: " + kind + "\r\nWARC-Record-ID: <urn:uuid:" + id + ">\r\nWARC-Date: 2025-03-04T05:06:07Z\r\nWARC-Target-URI: " + url + "\r\n" + more
	if belongs != "" {
		head += "WARC-Concurrent-To: <urn:uuid:" + belongs + ">\r\n"
	}
	if !strings.Contains(more, "Content-Type") {
		head += "Content-Type: application/http; msgtype=" + kind + "\r\n"
	}
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s\r\n\r\n", head, len(block), block)
}

func foreignPage(head, body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
}

// emptyHome makes the home of a node that has fetched nothing.
func emptyHome(t *testing.T) config.Paths {
	t.Helper()
	home := t.TempDir()
	p := config.Paths{Config: filepath.Join(home, "config.toml"), State: filepath.Join(home, "state"), Data: filepath.Join(home, "data")}
	if err := p.Create(); err != nil {
		t.Fatal(err)
	}
	return p
}

func captured(t *testing.T, p config.Paths) map[string]warc.StoredCapture {
	t.Helper()
	list := make(map[string]warc.StoredCapture)
	if err := warc.Scan(p.WARC(), warc.Position{}, func(c warc.StoredCapture) error {
		c.Response, c.Request = bytes.Clone(c.Response), bytes.Clone(c.Request)
		list[c.URL] = c
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// Files of other programs are taken in as they are: without compression, with the request behind the response, and with records that
// are no captures.
func TestImport_OfOtherPrograms(t *testing.T) {
	text := foreignRecord("warcinfo", "1", "", "", "Content-Type: application/warc-fields\r\n", "software: x\r\n") +
		foreignRecord("response", "2", "https://a.example/", "", "", foreignPage("", "<title>First</title>words")) +
		foreignRecord("request", "3", "https://a.example/", "2", "", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n") +
		foreignRecord("request", "4", "https://a.example/same", "5", "", "GET /same HTTP/1.1\r\nHost: a.example\r\n\r\n") +
		foreignRecord("response", "5", "https://a.example/same", "", "", foreignPage("", "<title>First</title>words")) +
		foreignRecord("response", "6", "https://a.example/archive", "", "", foreignPage("X-Robots-Tag: noarchive\r\n", "<title>No</title>")) +
		foreignRecord("response", "7", "https://a.example/meta", "", "", foreignPage("", `<meta name="robots" content="noarchive"><title>No</title>`)) +
		foreignRecord("response", "8", "https://a.example/index", "", "", foreignPage("", `<meta name="robots" content="noindex"><title>Hidden</title>`)) +
		foreignRecord("response", "9", "https://never.example/", "", "", foreignPage("", "<title>Never</title>")) +
		foreignRecord("response", "10", "https://a.example/wrong", "", "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n", foreignPage("", "<title>Wrong</title>")) +
		foreignRecord("resource", "11", "https://a.example/resource", "", "Content-Type: text/html\r\n", "<title>x</title>") +
		foreignRecord("response", "12", "ftp://a.example/", "", "", foreignPage("", "x")) +
		foreignRecord("response", "13", "https://a.example/moved", "", "", "HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "x.warc"), filepath.Join(dir, "x.warc.gz")
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(text))
	w.Close()
	for name, data := range map[string][]byte{plain: []byte(text), packed: z.Bytes()} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{plain, packed} {
		p := emptyHome(t)
		if err := config.Set(p.Config, "sites.never", "never.example"); err != nil {
			t.Fatal(err)
		}
		done, err := Import(t.Context(), p, file)
		if want := (Imported{Captures: 4, Duplicates: 1, LeftOut: 3, Damaged: 2}); err != nil || done != want {
			t.Errorf("%s: %+v, %v, want %+v", file, done, err, want)
		}
		list := captured(t, p)
		if c := list["https://a.example/"]; !strings.Contains(string(c.Request), "GET / ") || !c.Date.Equal(time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)) {
			t.Errorf("the first page is %+v", c)
		}
		if c := list["https://a.example/same"]; c.Revisit == nil || c.Revisit.URL != "https://a.example/" || !strings.Contains(string(c.Request), "/same") {
			t.Errorf("the same page is %+v", c)
		}
		if c := list["https://a.example/index"]; !c.NoIndex {
			t.Errorf("a page that asks for noindex is %+v", c)
		}
		if report, err := warc.Check(t.Context(), p.WARC(), warc.CheckOptions{}); err != nil || report.FaultCount > 0 {
			t.Errorf("%v, %v", report.Faults, err)
		}
		again, err := Import(t.Context(), p, file)
		if want := (Imported{Known: 4, LeftOut: 3, Damaged: 2}); err != nil || again != want {
			t.Errorf("%s again: %+v, %v, want %+v", file, again, err, want)
		}
		if err := os.WriteFile(filepath.Join(dir, "torn"), []byte(text[:len(text)-10]), 0o600); err != nil {
			t.Fatal(err)
		}
		if torn, err := Import(t.Context(), emptyHome(t), filepath.Join(dir, "torn")); !errors.Is(err, warc.ErrTorn) || torn.Captures < 4 {
			t.Errorf("a torn file: %+v, %v", torn, err)
		}
	}
}

// What one node exports, another takes in; it then finds it, and neither visits nor counts it.
func TestImport_OfOurs(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	n := newNode(t, o)
	serveUntilIdle(t, n)
	closeNode(t, n)
	from := captured(t, o.Paths)
	out := t.TempDir()
	if _, err := ExportWACZ(t.Context(), o.Paths, out, "", time.Now(), true); err != nil {
		t.Fatal(err)
	}
	if _, err := warc.ExportWARCContext(t.Context(), o.Paths.WARC(), out, warc.WithNoIndex); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(out, "*"))
	if len(files) < 2 {
		t.Fatalf("there are %q", files)
	}
	for _, file := range files {
		to := labOptions(t, t.TempDir(), newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) { t.Error("a page was asked for") }).hosts)
		if err := to.Paths.Create(); err != nil {
			t.Fatal(err)
		}
		done, err := Import(t.Context(), to.Paths, file)
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
		if s := again.indexStatus(); s.Pages == 0 {
			t.Errorf("%s: nothing is in the search index", file)
		}
		closeNode(t, again)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, ".wacz") {
			continue
		}
		if done, err := Import(t.Context(), emptyHome(t), otherDigest(t, file)); err == nil || !strings.Contains(err.Error(), "digest") || done.Captures > 0 {
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

// A file that is another than its user meant is not quoted.
func TestImport_QuotesNothing(t *testing.T) {
	p := emptyHome(t)
	for _, text := range []string{"secret-token\n", "secret-token", "WARC/1.0\r\nsecret-token\r\n\r\n", "WARC/1.0\r\nWARC-Type: secret\r\nContent-Length: token\r\n\r\n", "PK\x03\x04secret-token"} {
		file := filepath.Join(t.TempDir(), "x.warc")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if done, err := Import(t.Context(), p, file); err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "token") || done.Captures > 0 {
			t.Errorf("import of %q: %+v, %v", text, done, err)
		}
	}
}
