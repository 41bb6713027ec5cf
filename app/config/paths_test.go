package config

import (
	"os"
	"path/filepath"
	"runtime"
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
		{"home", "/h", "linux", map[string]string{"FORAGE_HOME": "/other"}, Paths{"/h/config.toml", "/h/state", "/h/data"}},
		{"FORAGE_HOME", "", "linux", map[string]string{"FORAGE_HOME": "/h/"}, Paths{"/h/config.toml", "/h/state", "/h/data"}},
		{"relative home", "x", "linux", nil, Paths{here + "/config.toml", here + "/state", here + "/data"}},
		{"XDG defaults", "", "freebsd", map[string]string{"HOME": "/u/"}, Paths{"/u/.config/forage/config.toml", "/u/.local/state/forage", "/u/.local/share/forage"}},
		{"XDG variables", "", "linux", map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s/", "XDG_DATA_HOME": "/d"}, Paths{"/c/forage/config.toml", "/s/forage", "/d/forage"}},
		{"relative variables do not count", "", "linux", map[string]string{"HOME": "/u", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "~/s", "XDG_DATA_HOME": "/d"},
			Paths{"/u/.config/forage/config.toml", "/u/.local/state/forage", "/d/forage"}},
		{"macOS", "", "darwin", map[string]string{"HOME": "/Users/u", "XDG_DATA_HOME": "/d"}, Paths{"/Users/u/Library/Application Support/forage/config.toml",
			"/Users/u/Library/Application Support/forage/state", "/Users/u/Library/Application Support/forage/data"}},
		{"Windows", "", "windows", map[string]string{"LOCALAPPDATA": `C:\U\AppData\Local`}, Paths{`C:\U\AppData\Local\forage\config.toml`,
			`C:\U\AppData\Local\forage\state`, `C:\U\AppData\Local\forage\data`}},
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
