package ledger

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage/warc/check"
	"github.com/forage-net/forage/storage/warc/record"
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
		if report, err := check.Archive(t.Context(), p.WARC(), check.Options{}); err != nil || report.FaultCount > 0 {
			t.Errorf("%v, %v", report.Faults, err)
		}
		again, err := Import(t.Context(), p, file)
		if want := (Imported{Known: 4, LeftOut: 3, Damaged: 2}); err != nil || again != want {
			t.Errorf("%s again: %+v, %v, want %+v", file, again, err, want)
		}
		if err := os.WriteFile(filepath.Join(dir, "torn"), []byte(text[:len(text)-10]), 0o600); err != nil {
			t.Fatal(err)
		}
		if torn, err := Import(t.Context(), emptyHome(t), filepath.Join(dir, "torn")); !errors.Is(err, record.ErrTorn) || torn.Captures < 4 {
			t.Errorf("a torn file: %+v, %v", torn, err)
		}
	}
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
