package library

import (
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
)

// A revisit whose original was erased says so.
func TestLibrary_RevisitWithoutOriginal(t *testing.T) {
	paths := emptyHome(t)
	a, err := warc.Open(warc.Config{Dir: paths.WARC(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	_, err = a.Append(capture.Capture{
		URL: "http://a.test/", Date: time.Now(), Response: []byte(head), HeadLen: len(head), PayloadDigest: [20]byte{1},
		Revisit: &capture.Refers{URL: "http://a.test/", Date: time.Now().Add(-time.Hour)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	lib := Open(paths)
	found, err := lib.Captures(t.Context(), "http://a.test/", "", 10)
	if err != nil || len(found.Captures) != 1 || !found.Captures[0].Revisit {
		t.Fatal(found, err)
	}
	page, err := lib.ReadCapture(t.Context(), found.Captures[0].ID, "de")
	if err != nil || len(page.Paragraphs) != 1 || !strings.HasPrefix(page.Paragraphs[0].Text, "Die Seite war") {
		t.Errorf("ReadCapture = %+v, %v", page, err)
	}
}
