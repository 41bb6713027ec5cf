package index

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/durable/durabletest"
)

// eightSegments makes an index whose next Merge merges eight segments.
func eightSegments(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	x := open(t, dir)
	for n := range mergeFrom {
		for k := range 5 {
			add(t, x, linked(n*5+k))
		}
		commit(t, x)
	}
	x.Close()
	return dir
}

// fill opens a copy of that, removes some pages, and adds others.
func fill(t *testing.T, from string) (x *Index, pages int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	x = open(t, dir)
	for n := range 3 {
		x.RemovePage(uint64(n*7)+1, day.AddDate(1, 0, 0))
	}
	for n := range 4 {
		add(t, x, linked(100+n))
	}
	return x, mergeFrom*5 - 3 + 4
}

// linked returns a page with words and a link.
func linked(n int) *Doc {
	words := []string{"all"}
	for k := range 60 { // so many that the dictionary is written in several pieces
		words = append(words, fmt.Sprintf("%dw%d", n*n*7919%1000, k*k))
	}
	d := page(n, words...)
	d.Links = []Link{{"target.test", fmt.Sprint("http://target.test/", n%3), 55, "label"}}
	return d
}

// On a disk that is full at any step nothing is lost, no file is left over, and the same works once there is room.
func TestIndex_FullDisk(t *testing.T) {
	t.Parallel()
	from := eightSegments(t)
	for _, work := range []struct {
		name string
		do   func(x *Index) error
	}{
		{"commit", func(x *Index) error { return x.Commit(Place{"a.warc.gz", 9}) }},
		{"merge", func(x *Index) error { _, err := x.Merge(t.Context(), nil); return err }},
	} {
		for _, stays := range []bool{false, true} {
			t.Run(fmt.Sprint(work.name, stays), func(t *testing.T) {
				t.Parallel()
				for step, failed := 0, true; failed; step++ {
					failed = testFullDisk(t, from, work.do, step, stays)
					if step > 500 {
						t.Fatal("it does not come to an end")
					}
				}
			})
		}
	}
}

func testFullDisk(t *testing.T, from string, do func(x *Index) error, step int, stays bool) (failed bool) {
	x, pages := fill(t, from)
	d, err := durabletest.New(x.dir)
	if err != nil {
		t.Fatal(err)
	}
	d.FailAt, d.Span, d.Kind = step, 1, durabletest.HalfWrite
	if stays {
		d.Span = durabletest.Lasts
	}
	x.disk = d
	err = do(x)
	if failed = d.Failed(); failed != (err != nil) || failed && !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("step %d of %d: %v", step, d.Operations(), err)
	}
	checkPages(t, x, pages, fmt.Sprintf("step %d, after the error", step))
	if failed {
		checkFiles(t, x, step)
	}
	checkReopened(t, x.dir, step)
	x.disk = durable.Disk{}
	if err := do(x); err != nil {
		t.Fatalf("step %d, when there is room: %v", step, err)
	}
	commit(t, x)
	x.Close()
	x = open(t, x.dir)
	checkPages(t, x, pages, fmt.Sprintf("step %d, in the end", step))
	checkFiles(t, x, step)
	if err := x.Check(); err != nil {
		t.Error(err)
	}
	return failed
}

func checkPages(t *testing.T, x *Index, pages int, when string) {
	t.Helper()
	if got := find(t, x, "all"); len(got) != pages || len(slices.Compact(got)) != pages {
		t.Fatalf("%s: %d pages are found, want %d", when, len(got), pages)
	}
	if links, err := x.Inlinks(t.Context(), "target.test", ""); err != nil || len(links) != 3 {
		t.Fatalf("%s: %d links, %v", when, len(links), err)
	}
}

// checkFiles reports files that are no part of the index. One that lists deleted pages may be left over until
// the next start.
func checkFiles(t *testing.T, x *Index, step int) {
	t.Helper()
	entries, err := os.ReadDir(x.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		used := slices.ContainsFunc(x.segments, func(s *segment) bool { return s.name == name })
		if !used && name != manifestName && !strings.HasSuffix(name, deletionsSuffix) {
			t.Errorf("step %d: %s is left over", step, name)
		}
	}
}

// checkReopened looks at what a crash would leave: what was committed is there.
func checkReopened(t *testing.T, dir string, step int) {
	t.Helper()
	x, err := Open(dir, true)
	if err != nil {
		t.Fatalf("step %d: %v", step, err)
	}
	defer x.Close()
	if n := len(find(t, x, "all")); n < mergeFrom*5-3 {
		t.Errorf("step %d: %d pages after a crash", step, n)
	}
	if err := x.Check(); err != nil {
		t.Errorf("step %d: %v", step, err)
	}
}
