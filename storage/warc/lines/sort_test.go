package lines

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/durable"
)

func TestSorter_Spills(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := NewSorterOn(durable.Disk{}, 100)
	var want []string
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3000 { // more runs than are merged at a time, twice
		line := fmt.Sprintf("%0*d\n", 1+rng.IntN(30), rng.IntN(1000))
		want = append(want, line)
		if err := s.Add([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.runs) < 2 {
		t.Errorf("%d runs, want several", len(s.runs))
	}
	slices.Sort(want)
	var out bytes.Buffer
	if err := s.Write(&out); err != nil {
		t.Fatal(err)
	}
	if out.String() != strings.Join(want, "") {
		t.Errorf("%d bytes out of order", out.Len())
	}
	s.Close()
	if files, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(files) != 0 {
		t.Errorf("temporary files %v are left, %v", files, err)
	}
}

func TestSorter_KeepsItsFilesInItsDirectory(t *testing.T) {
	dir := t.TempDir()
	s := NewSorter(dir)
	var want [][]byte
	for n := range 3 * Memory / 1000 {
		line := append(bytes.Repeat([]byte{byte('a' + n%26)}, 1000), byte('\n'))
		want = append(want, line)
		if err := s.Add(line); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
		t.Errorf("%d lines of a kilobyte are in %v, %v, want files", len(want), files, err)
	}
	slices.SortFunc(want, bytes.Compare)
	var out bytes.Buffer
	if err := s.Write(&out); err != nil || !bytes.Equal(out.Bytes(), bytes.Join(want, nil)) {
		t.Errorf("the lines are not in order, %v", err)
	}
	s.Close()
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("Close left %v, %v", files, err)
	}
	if err := NewSorter(filepath.Join(dir, "none")).spill(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory: %v, want os.ErrNotExist", err)
	}
}
