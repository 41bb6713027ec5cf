package check

import (
	"os"
	"slices"
	"testing"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/lines"
	"github.com/forage-net/forage/storage/warc/warctest"
)

func TestReferences_Spill(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := &references{sorter: lines.NewSorterOn(durable.Disk{}, 1000)}
	for n := range 500 {
		c := capture.Stored{Capture: warctest.Page(n), Position: capture.Position{File: "f", RecordOffset: int64(n)}}
		if n%10 == 0 { // refers to a page that comes later, or to none
			c.Revisit, c.PayloadDigest = &capture.Refers{URL: warctest.Page(n + 1).URL, Date: warctest.Page(n + 1).Date}, warctest.Page(n+1).PayloadDigest
		}
		if n == 250 {
			c.Revisit.URL = "http://example.com/none"
		}
		if err := r.add(&c); err != nil {
			t.Fatal(err)
		}
	}
	var got []int64
	if err := r.resolve(func(f Fault) { got = append(got, f.Offset) }); err != nil || !slices.Equal(got, []int64{250}) {
		t.Errorf("revisits without original: %v, %v, want 250", got, err)
	}
	if spilled, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(spilled) == 0 {
		t.Error("nothing was put into temporary files")
	}
	r.close()
}
