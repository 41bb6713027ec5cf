package autostart

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The unit that packages install says what the one written here says, except for where things are.
func TestUnit_PackagedIsTheSame(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "assets", "linux", "forage.service"))
	if err != nil {
		t.Fatal(err)
	}
	o, _ := places(t, "linux")
	o.MemoryHigh = DefaultMemoryHigh
	text, err := unitText([]string{"/usr/bin/forage", "run", "--no-tray"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := alike(string(data)), alike(text); !slices.Equal(got, want) {
		t.Errorf("the packaged unit says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// alike returns the lines of a unit that do not depend on where things are.
func alike(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, _, _ := strings.Cut(line, "=")
		if line == "" || line[0] == '#' || slices.Contains([]string{"Documentation", "ExecStartPre", "ReadWritePaths"}, key) {
			continue
		}
		if key == "ExecStart" {
			line = strings.NewReplacer(":", "", `"`, "").Replace(line)
		}
		lines = append(lines, line)
	}
	return lines
}
