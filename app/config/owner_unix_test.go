//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPaths_CreateRefusesWhatOthersCanWrite(t *testing.T) {
	for _, c := range []struct {
		mode os.FileMode
		uid  int
		want string
	}{
		{0o700, -1, ""}, {0o755, -1, ""}, {0o777, -1, "other users can write to"},
		{0o777 | os.ModeSticky, -1, "take that away with \"chmod go-w '"}, {0o702, -1, "other users can write to"},
		{0o700, 12345, "belongs to another user"},
	} {
		for _, part := range []string{".", "state", "data", "data/warc"} {
			home := filepath.Join(t.TempDir(), "home")
			dir := filepath.Join(home, part)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, c.mode); err != nil {
				t.Fatal(err)
			}
			if c.uid >= 0 {
				if err := os.Chown(dir, c.uid, -1); err != nil {
					continue // who is not root cannot
				}
			}
			p := Paths{Config: filepath.Join(home, "config.toml"), State: filepath.Join(home, "state"),
				Data: filepath.Join(home, "data")}
			err := p.Create()
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s with %v of %d: %v, want %q", part, c.mode, c.uid, err, c.want)
			}
		}
	}
}
