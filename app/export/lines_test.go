package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A damaged file keeps no format from the files beside it, wherever it stands and whatever is wrong with it.
func TestExportLinks_DamagedFiles(t *testing.T) {
	for _, c := range []struct {
		name, file string
		damage     func(whole []byte) []byte
	}{
		{"an older one ends early", "forage-20250301000000-00002-abcdef03.warc.gz", func(b []byte) []byte { return b[:len(b)-300] }},
		{"a later one ends early", "forage-20991231000000-00002-abcdef03.warc.gz", func(b []byte) []byte { return b[:len(b)/2] }},
		{"one byte", "forage-20250301000000-00002-abcdef03.warc.gz", func(b []byte) []byte { return b[:1] }},
		{"no archive at all", "forage-20250301000000-00002-abcdef03.warc.gz", func([]byte) []byte { return []byte("<html>not an archive</html>") }},
		{"zeros behind a record", "forage-20250301000000-00002-abcdef03.warc.gz", func(b []byte) []byte { return append(b[:len(b)/3:len(b)/3], make([]byte, 5000)...) }},
		{"changed within", "forage-20250301000000-00002-abcdef03.warc.gz", func(b []byte) []byte {
			b[len(b)*2/3] ^= 0xff
			return b
		}},
	} {
		page := captureAt("https://a.example/", 1, "0")
		page.Response = []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=https://b.example/>b</a>")
		page.HeadLen = strings.Index(string(page.Response), "\r\n\r\n") + 4
		paths := homeWith(t, page)
		found, err := filepath.Glob(filepath.Join(paths.WARC(), "*.warc.gz"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		whole, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		bad := filepath.Join(paths.WARC(), c.file)
		if err := os.WriteFile(bad, c.damage(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "links.tsv")
		done, err := AsLinks(t.Context(), paths, out, false)
		if err != nil || done.Lines < 1 || len(done.Damaged) != 1 || !strings.Contains(done.Damaged[0].Error(), c.file) {
			t.Errorf("%s: AsLinks = %+v, %v", c.name, done, err)
		}
		if text, err := os.ReadFile(out); err != nil || !strings.Contains(string(text), "https://a.example/\thttps://b.example/\n") {
			t.Errorf("%s: links are %q, %v", c.name, text, err)
		}
	}
}
