package check

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// vectors holds WARC files of other programs; tests of them are skipped where it is absent.
const vectors = "../../../../shared/vectors/warc"

// TestArchive_Vectors checks files of other programs under a name of ours.
func TestArchive_Vectors(t *testing.T) {
	entries, err := os.ReadDir(vectors)
	if err != nil {
		t.Skip(err)
	}
	type outcome struct {
		captures, revisits int
		faults             []Kind
	}
	tests := map[string]outcome{
		"cc_whirlwind.warc.gz":   {1, 0, []Kind{NoIndex}},
		"jwarc_cc.warc.gz":       {1, 0, []Kind{NoIndex}},
		"warcio_example.warc.gz": {2, 1, []Kind{NoIndex}},
		"iipc_20141129-heritrix-revisit-with-http-headers-and-new-warc-headers.warc.gz": {1, 1, []Kind{NoIndex, NoOriginal}},
		// Requests alone; one of their payload digests is wrong.
		"warcio_example-digest.warc": {0, 0, []Kind{PayloadDigest, Empty}},
		// Its Content-Length is two bytes too small.
		"warcio_example-trunc.warc":                {0, 0, []Kind{BlockDigest, PayloadDigest, Torn}},
		"gowarc_good.warc.gz.open":                 {50, 0, []Kind{NoIndex}},
		"gowarc_corrupted-mid-record.warc.gz.open": {12, 0, []Kind{NoIndex, Torn}},
	}
	ran := 0
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(vectors, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		name := "forage-20260131120000-00001-1a2b3c4d.warc.gz"
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := Archive(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := outcome{captures: report.Captures, revisits: report.Revisits}
		for _, f := range report.Faults {
			got.faults = append(got.faults, f.Kind)
		}
		want, ok := tests[e.Name()]
		if report.RepairableCount != 0 && !slices.Contains(got.faults, NoIndex) || report.RepairableCount > 1 {
			t.Errorf("%s: %d faults are repairable, want none but that of the index", e.Name(), report.RepairableCount)
		}
		if !ok || got.captures != want.captures || got.revisits != want.revisits || !slices.Equal(got.faults, want.faults) {
			t.Errorf("%s: Archive found %+v %v, want %+v", e.Name(), got, report.Faults, want)
		}
		ran++
	}
	if ran != len(tests) {
		t.Errorf("%d files checked, want %d", ran, len(tests))
	}
}
