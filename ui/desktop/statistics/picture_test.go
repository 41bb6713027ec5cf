package statistics

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/ui/desktop/desktest"
)

var errFull = errors.New("no space left on device")

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// full is a file on a disk with room for some bytes.
type full struct {
	*os.File
	room int
}

func (f *full) Write(p []byte) (int, error) {
	n, err := f.File.Write(p[:min(len(p), f.room)])
	if f.room -= n; n < len(p) && err == nil {
		err = errFull
	}
	return n, err
}

func TestStatistics_SavesNothingOnAFullDisk(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	b := desktest.NewBench(t, "de", "light")
	b.Node.Is.Series, b.Node.Is.Best = aMonth(), aBest()
	p, _ := openStatistics(t, b, 900, 800)
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "forage.png"))
	if err != nil {
		t.Fatal(err)
	}
	p.saveTo(&full{f, 1000}, f.Name())
	b.Until(t, "an answer", func() bool { return len(b.Said) > 0 })
	if got := namesIn(t, dir); len(got) > 0 || !strings.Contains(b.Said[0], errFull.Error()) {
		t.Errorf("%q stays; it says %q", got, b.Said[0])
	}
}
