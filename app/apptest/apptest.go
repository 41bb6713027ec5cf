// Package apptest has what the tests of package app and of its parts share.
package apptest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// URL parses a URL.
func URL(t testing.TB, s string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Page returns the bytes of an answer with some lines of head.
func Page(body string, head ...string) string {
	length := fmt.Sprintf("Content-Length: %d", len(body))
	lines := append([]string{"HTTP/1.1 200 OK", "Content-Type: text/html", length}, head...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

// Answer makes a response of bytes, as if they had come over the wire.
func Answer(t testing.TB, url, raw string) *fetch.Response {
	t.Helper()
	r, err := fetch.ParseResponse(URL(t, url), []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	r.RequestBytes = []byte("GET / HTTP/1.1\r\n\r\n")
	r.Started = time.Now()
	return r
}

// Packed compresses a text with gzip.
func Packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// OpenDB opens a store that lasts as long as the test.
func OpenDB(t testing.TB) *storage.DB {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "forage.db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// EmptyHome makes the home of a node that has fetched nothing.
func EmptyHome(t *testing.T) config.Paths {
	t.Helper()
	home := t.TempDir()
	p := config.Paths{
		Config: filepath.Join(home, "config.toml"),
		State:  filepath.Join(home, "state"),
		Data:   filepath.Join(home, "data"),
	}
	if err := p.Create(); err != nil {
		t.Fatal(err)
	}
	Roomy(t, p)
	return p
}

// Roomy writes settings by which the archive grows however full the disk of this computer is.
func Roomy(t testing.TB, p config.Paths) {
	t.Helper()
	if err := os.WriteFile(p.Config, []byte("[disk]\nkeep_free = 0\nmax_percent = 100\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Captured returns what the archive of a home holds, by URL.
func Captured(t *testing.T, p config.Paths) map[string]capture.Stored {
	t.Helper()
	list := make(map[string]capture.Stored)
	if err := warcfile.Scan(p.WARC(), capture.Position{}, func(c capture.Stored) error {
		c.Response, c.Request = bytes.Clone(c.Response), bytes.Clone(c.Request)
		list[c.URL] = c
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}
