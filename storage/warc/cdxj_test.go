package warc

import (
	"bytes"
	"encoding/base32"
	"fmt"
	"testing"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warctest"
)

func TestAppend_IndexLine(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir})
	first := warctest.Append(t, a, warctest.Page(1))
	c := warctest.Page(2)
	c.Revisit = &capture.Refers{URL: warctest.Page(1).URL, Date: warctest.Page(1).Date}
	c.URL, c.Status, c.MIME = `http://example.com/"\`, 0, ""
	second := warctest.Append(t, a, c)
	warctest.Close(t, a)
	var out bytes.Buffer
	if err := exportedCDXJ(t, dir, &out); err != nil {
		t.Fatal(err)
	}
	digest := warctest.Page(1).PayloadDigest
	want := fmt.Sprintf("com,example)/\"\\ 20260131120000 {\"url\":\"http://example.com/\\\"\\\\\",\"mime\":\"warc/revisit\",\"status\":\"200\",\"digest\":\"%s\",\"length\":\"%d\",\"offset\":\"%d\",\"filename\":\"%s\"}\n"+
		"com,example)/page/1?a=1&b=2 20260131120000 {\"url\":\"https://www.example.com/page/1?b=2&a=1\",\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"%s\",\"length\":\"%d\",\"offset\":\"%d\",\"filename\":\"%s\"}\n",
		base32.StdEncoding.EncodeToString(c.PayloadDigest[:]), second.RecordLength, second.RecordOffset, second.File,
		base32.StdEncoding.EncodeToString(digest[:]), first.RecordLength, first.RecordOffset, first.File)
	if out.String() != want {
		t.Errorf("index is\n%s, want\n%s", &out, want)
	}
}
