package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
func TestNew(t *testing.T) {
	dir := t.TempDir()
	if path, err := New(dir, "x", ".png", func(w io.Writer) error {
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
			path, err := New(dir, "x", ".png", func(w io.Writer) error {
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

func TestNamedDir(t *testing.T) {
	for content, want := range map[string]string{
		"# comment\nXDG_MUSIC_DIR=\"$HOME/Musik\"\nXDG_PICTURES_DIR=\"$HOME/Bilder\"\n": "/home/x/Bilder",
		"XDG_PICTURES_DIR=\"/data/pictures/\"":                                          "/data/pictures",
		"XDG_PICTURES_DIR=\"pictures\"":                                                 "",
		"":                                                                              "",
	} {
		file := filepath.Join(t.TempDir(), "user-dirs.dirs")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := namedDir(file, "/home/x"); filepath.ToSlash(got) != want {
			t.Errorf("namedDir(%q) = %q, want %q", content, got, want)
		}
	}
}
