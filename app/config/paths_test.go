package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	here, err := filepath.Abs("x")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, home, goos string
		env              map[string]string
		want             Paths
	}{
		{"home", "/h", "linux", map[string]string{"FORAGE_HOME": "/other"},
			Paths{Config: "/h/config.toml", State: "/h/state", Data: "/h/data"}},
		{"FORAGE_HOME", "", "linux", map[string]string{"FORAGE_HOME": "/h/"},
			Paths{Config: "/h/config.toml", State: "/h/state", Data: "/h/data"}},
		{"relative home", "x", "linux", nil, Paths{Config: here + "/config.toml", State: here + "/state",
			Data: here + "/data"}},
		{"XDG defaults", "", "freebsd", map[string]string{"HOME": "/u/"},
			Paths{Config: "/u/.config/forage/config.toml", State: "/u/.local/state/forage",
				Data: "/u/.local/share/forage"}},
		{"XDG variables", "", "linux", map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s/",
			"XDG_DATA_HOME": "/d"}, Paths{Config: "/c/forage/config.toml", State: "/s/forage", Data: "/d/forage"}},
		{"relative variables do not count", "", "linux",
			map[string]string{"HOME": "/u", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "~/s", "XDG_DATA_HOME": "/d"},
			Paths{Config: "/u/.config/forage/config.toml", State: "/u/.local/state/forage", Data: "/d/forage"}},
		{"macOS", "", "darwin", map[string]string{"HOME": "/Users/u", "XDG_DATA_HOME": "/d"},
			Paths{Config: "/Users/u/Library/Application Support/forage/config.toml",
				State: "/Users/u/Library/Application Support/forage/state",
				Data:  "/Users/u/Library/Application Support/forage/data"}},
		{"Windows", "", "windows", map[string]string{"LOCALAPPDATA": `C:\U\AppData\Local`},
			Paths{Config: `C:\U\AppData\Local\forage\config.toml`, State: `C:\U\AppData\Local\forage\state`,
				Data: `C:\U\AppData\Local\forage\data`}},
		{"no home", "", "linux", nil, Paths{}},
		{"relative HOME", "", "linux", map[string]string{"HOME": "u"}, Paths{}},
		{"macOS without home", "", "darwin", nil, Paths{}},
		{"Windows without home", "", "windows", map[string]string{"LOCALAPPDATA": "Local", "HOME": "/u"}, Paths{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && c.goos != "windows" {
				t.Skip("absolute paths of another system")
			}
			got, err := Resolve(c.home, func(name string) string { return c.env[name] }, c.goos)
			if got != c.want || (err == nil) != (c.want != Paths{}) {
				t.Errorf("Resolve = %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestPaths_Create(t *testing.T) {
	home := filepath.Join(t.TempDir(), "h")
	p, err := Resolve(home, os.Getenv, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Create(); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{home, p.State, p.Data, p.WARC()} {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v, want a directory with mode 0700", dir, info, err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.State = filepath.Join(home, "file", "state")
	if err := p.Create(); err == nil {
		t.Error("Create below a file succeeded")
	}
}

// The directory that the user has chosen for the archive is used as it is: it is not made, since its disk may
// not be connected.
func TestPaths_Archive(t *testing.T) {
	home := t.TempDir()
	p, err := Resolve(home, func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	if p.Chosen() != p || p.CheckArchive() != nil || p.WARC() != filepath.Join(home, "data", "warc") {
		t.Errorf("without a choice: %+v, %s", p.Chosen(), p.WARC())
	}
	disk := filepath.Join(t.TempDir(), "disk", "forage")
	if err := Set(p.Config, "archive.dir", disk); err != nil {
		t.Fatal(err)
	}
	p = p.Chosen()
	if p.WARC() != disk {
		t.Errorf("the archive is in %s, want %s", p.WARC(), disk)
	}
	var bad *Error
	if err := p.Create(); err != nil {
		t.Error(err)
	}
	if err := p.CheckArchive(); !errors.As(err, &bad) || bad.Key != "archive.dir" ||
		!strings.Contains(bad.Error(), "connect the disk") {
		t.Errorf("a disk that is not there: %v", err)
	}
	if err := os.MkdirAll(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckArchive(); err != nil {
		t.Error(err)
	}
}
