package capture

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

func TestWarcinfo_HasEachFieldOnce(t *testing.T) {
	for _, info := range [][][2]string{
		nil,
		{{"software", "forage/1"}, {"isPartOf", "net"}},
		{{"software", "forage/1"}, {"Software", "forage/2"}},
		{{"format", "WARC File Format 1.0"}},
		{{"CONFORMSTO", "x"}, {"conformsto", "y"}, {"format", "z"}},
		{{"robots", "obey"}, {"robots", "obey"}, {"robots", "classic"}},
	} {
		r, err := gzip.NewReader(bytes.NewReader(Warcinfo("a.warc.gz", time.Unix(0, 0), info)))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		_, block, _ := strings.Cut(text.String(), "\r\n\r\n")
		seen := make(map[string]bool)
		for line := range strings.SplitSeq(strings.TrimSpace(block), "\r\n") {
			name, value, _ := strings.Cut(line, ": ")
			if name = strings.ToLower(name); seen[name] {
				t.Errorf("%v: %s is there more than once", info, name)
			}
			seen[name] = true
			if name == "format" && value != "WARC File Format 1.1" || name == "robots" && value != "obey" || name == "software" && value != "forage/1" {
				t.Errorf("%v: %s is %q", info, name, value)
			}
		}
		if !seen["format"] || !seen["conformsto"] {
			t.Errorf("%v: there is %v", info, seen)
		}
	}
}
