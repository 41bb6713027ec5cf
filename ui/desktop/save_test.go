package desktop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
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

// Of a file that cannot be written whole nothing stays, and none that is there is touched.
func TestNewFile(t *testing.T) {
	dir := t.TempDir()
	if path, err := newFile(dir, "x", ".png", func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, errFull)
	}); !errors.Is(err, errFull) || path != "" {
		t.Errorf("on a full disk: %q, %v", path, err)
	}
	if got := namesIn(t, dir); len(got) > 0 {
		t.Errorf("%q stays", got)
	}
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			path, err := newFile(dir, "x", ".png", func(w io.Writer) error {
				_, err := fmt.Fprint(w, i)
				return err
			})
			if text, readErr := os.ReadFile(path); err != nil || readErr != nil || string(text) != fmt.Sprint(i) {
				t.Errorf("%d: %s holds %q, %v, %v", i, path, text, err, readErr)
			}
		})
	}
	all.Wait()
	want := []string{"x-10.png", "x-2.png", "x-3.png", "x-4.png", "x-5.png", "x-6.png", "x-7.png", "x-8.png", "x-9.png", "x.png"}
	if got := namesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
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
	b := newBench(t, "de", "light")
	b.node.series, b.node.best = aMonth(), aBest()
	p, _ := openStatistics(t, b, 900, 800)
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "forage.png"))
	if err != nil {
		t.Fatal(err)
	}
	p.saveTo(&full{f, 1000}, f.Name())
	b.until(t, "an answer", func() bool { return len(b.said) > 0 })
	if got := namesIn(t, dir); len(got) > 0 || !strings.Contains(b.said[0], errFull.Error()) {
		t.Errorf("%q stays; it says %q", got, b.said[0])
	}
}
