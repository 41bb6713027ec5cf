package warc

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

// What we write is read as what others write, with the records that belong to each capture.
func TestReadForeign_OurOwn(t *testing.T) {
	dir := t.TempDir()
	mixed(t, dir)
	var got []string
	files, _ := warcfile.List(dir)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.String()))
		if err != nil {
			t.Fatal(err)
		}
		if err := capture.ReadForeign(bytes.NewReader(data), func(c *capture.Foreign) error {
			if c.Damaged || c.TooLong || len(c.Request) == 0 || (len(c.Metadata) == 0) != (c.Revisit != nil) {
				t.Errorf("%s is %+v", c.URL, c)
			}
			got = append(got, c.URL)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if want := warctest.URLs(warctest.Captures(t, dir, capture.Position{})); len(got) != len(want) {
		t.Errorf("%d captures, want %d", len(got), len(want))
	}
}

func FuzzReadForeign(f *testing.F) {
	dir := f.TempDir()
	a := mustOpen(f, Config{Dir: dir})
	warctest.Append(f, a, warctest.Page(1))
	warctest.Append(f, a, revisited(warctest.Page(2), warctest.Page(1), false))
	warctest.Close(f, a)
	files, _ := warcfile.List(dir)
	data, err := os.ReadFile(files[0].Path())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <a>\r\nContent-Type: application/http\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n" +
		"WARC/1.0\r\nWARC-Type: request\r\nWARC-Concurrent-To: <a>\r\nContent-Type: application/http\r\nContent-Length: 3\r\n\r\nGET\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		capture.ReadForeign(bytes.NewReader(data), func(c *capture.Foreign) error {
			if len(c.Response) > capture.MaxBlock || len(c.Request) > capture.MaxBlock || c.HeadLen > len(c.Response) || c.HeadLen < 0 {
				t.Errorf("%+v", c)
			}
			return nil
		})
	})
}
