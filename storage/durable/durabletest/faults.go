package durabletest

import (
	"fmt"
	"slices"
	"testing"
)

// EveryFault calls run with a disk for each operation of a run without faults, each kind of fault, and faults of as
// many operations as spans says. With -short only the first span counts, and under the race detector one fault in
// OneIn. run gets a name of the fault for its messages, makes its directory, has the disk made by prepare, and returns
// that disk.
func EveryFault(t *testing.T, spans []int, run func(t *testing.T, name string, prepare func(dir string) *Disk) *Disk) {
	t.Helper()
	sound := run(t, "no fault", func(dir string) *Disk { return mustNew(t, dir) })
	if sound.Operations() == 0 || t.Failed() {
		t.Fatalf("%d operations went through the disk without fault", sound.Operations())
	}
	if testing.Short() {
		spans = spans[:1]
	}
	faults := 0
	for n := range sound.Operations() {
		for kind, what := range []string{"refused", "half written", "done but failed"} {
			if Kind(kind) == HalfWrite && !slices.Contains(sound.Writes, n) {
				continue // as refused
			}
			for _, span := range spans {
				if faults++; faults%OneIn != 0 {
					continue
				}
				name := fmt.Sprintf("operations %d+%d %s", n, span, what)
				d := run(t, name, func(dir string) *Disk {
					d := mustNew(t, dir)
					d.FailAt, d.Kind, d.Span = n, Kind(kind), span
					return d
				})
				if !d.Failed() {
					t.Errorf("%s: nothing failed", name)
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// mustNew is New for a test.
func mustNew(t *testing.T, dir string) *Disk {
	t.Helper()
	d, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
