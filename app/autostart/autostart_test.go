package autostart

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/config"
)

// awkward are words that each format has something to say about.
var awkward = []string{
	"", " ", "a b", `a"b`, `a'b`, `a\b`, `a\\`, `a\"`, "50%", "%f %u", "%%h", "$HOME", "${HOME}", "$$", "`id`", "a=b", ";", "a;b", "&&", "<b>&amp;]]>", "#",
	"*?", "~", "Übung", "日本語", "😀", "-x", "--", "@", ":", "!", "+", "\u00a0", "[x]", "|", "(", ")", ">", `\s\n`, "%", `"`, `\`, `'`,
}

// places makes the options of a user with a directory of their own.
func places(t *testing.T, goos string) (Options, string) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "the node's 100% \"home\"")
	env := map[string]string{"HOME": home}
	return Options{
		GOOS: goos, Env: func(name string) string { return env[name] },
		Paths:    config.Paths{Config: filepath.Join(dir, "config.toml"), State: filepath.Join(dir, "state"), Data: filepath.Join(dir, "data")},
		Registry: fakeRegistry{},
	}, home
}

func open(t *testing.T, o Options) *Autostart {
	t.Helper()
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func status(t *testing.T, a *Autostart) State {
	t.Helper()
	s, err := a.Status()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// files returns what is in a user's directory, but the node's own.
func files(t *testing.T, home string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(home, path)
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

const (
	desktopFile = ".config/autostart/forage.desktop"
	unitFile    = ".config/systemd/user/forage.service"
	wantsFile   = ".config/systemd/user/default.target.wants/forage.service"
	agentFile   = "Library/LaunchAgents/io.github.forage-net.forage.plist"
)

func TestEnable_WritesOneOfThem(t *testing.T) {
	for _, c := range []struct {
		goos  string
		kind  Kind
		files []string
	}{
		{"linux", Session, []string{desktopFile}},
		{"linux", Service, []string{wantsFile, unitFile}},
		{"freebsd", Session, []string{desktopFile}},
		{"darwin", Session, []string{agentFile}},
		{"darwin", Service, []string{agentFile}},
	} {
		t.Run(c.goos+" "+c.kind.String(), func(t *testing.T) {
			o, home := places(t, c.goos)
			a := open(t, o)
			if s := status(t, a); s.Kind != Off || len(s.Foreign) > 0 {
				t.Errorf("before all: %+v", s)
			}
			if err := a.Disable(); err != nil {
				t.Errorf("Disable of nothing: %v", err)
			}
			if got := files(t, home); len(got) > 0 {
				t.Errorf("asking made %q", got)
			}
			for _, other := range []Kind{Service, Session, c.kind, c.kind} {
				if err := a.Enable(other, []string{"/opt/forage", "run"}); err != nil && !errors.Is(err, ErrUnsupported) {
					t.Fatal(err)
				}
			}
			command := append([]string{"/opt/for age/forage"}, awkward...)
			if err := a.Enable(c.kind, command); err != nil {
				t.Fatal(err)
			}
			got := status(t, a)
			if got.Kind != c.kind || !slices.Equal(got.Command, command) || got.Disabled || len(got.Foreign) > 0 || !filepath.IsAbs(got.Place) {
				t.Errorf("status is %+v", got)
			}
			if got := files(t, home); !slices.Equal(got, c.files) {
				t.Errorf("files are %q, want %q", got, c.files)
			}
			if err := a.Disable(); err != nil {
				t.Fatal(err)
			}
			if got := files(t, home); len(got) > 0 {
				t.Errorf("left over: %q", got)
			}
		})
	}
}

// What somebody else wrote is neither replaced nor removed.
func TestForeignFilesAreLeftAlone(t *testing.T) {
	for _, c := range []struct {
		goos, file string
		kind       Kind
	}{
		{"linux", desktopFile, Session}, {"linux", unitFile, Service}, {"darwin", agentFile, Session},
	} {
		t.Run(c.file, func(t *testing.T) {
			o, home := places(t, c.goos)
			a := open(t, o)
			path := filepath.Join(home, c.file)
			const text = "[Desktop Entry]\nExec=mine\nX-Comment=X-Forage-Autostart=true\n"
			write(t, path, text)
			if err := a.Enable(c.kind, []string{"/opt/forage"}); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), path) {
				t.Errorf("Enable: %v", err)
			}
			if err := a.Disable(); !errors.Is(err, ErrForeign) {
				t.Errorf("Disable: %v", err)
			}
			if s := status(t, a); s.Kind != Off || !slices.Equal(s.Foreign, []string{path}) {
				t.Errorf("status is %+v", s)
			}
			if got, _ := os.ReadFile(path); string(got) != text || len(files(t, home)) != 1 {
				t.Errorf("it is now %q beside %q", got, files(t, home))
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			// A unit that is forbidden is a link to nothing.
			if err := os.Symlink(os.DevNull, path); err != nil {
				t.Fatal(err)
			}
			if err := a.Enable(c.kind, []string{"/opt/forage"}); !errors.Is(err, ErrForeign) {
				t.Errorf("Enable over a link: %v", err)
			}
			if target, _ := os.Readlink(path); target != os.DevNull {
				t.Errorf("the link leads to %q", target)
			}
		})
	}
}

// One that is foreign does not stand in the way of the other.
func TestForeignFileOfTheOtherKind(t *testing.T) {
	o, home := places(t, "linux")
	a := open(t, o)
	write(t, filepath.Join(home, unitFile), "[Service]\n")
	if err := a.Enable(Session, []string{"/opt/forage"}); err != nil {
		t.Fatal(err)
	}
	if s := status(t, a); s.Kind != Session || len(s.Foreign) != 1 {
		t.Errorf("status is %+v", s)
	}
	if err := a.Disable(); !errors.Is(err, ErrForeign) {
		t.Errorf("Disable: %v", err)
	}
	if got := files(t, home); !slices.Equal(got, []string{unitFile}) {
		t.Errorf("files are %q", got)
	}
}

func TestStatus_SwitchedOffElsewhere(t *testing.T) {
	o, home := places(t, "linux")
	a := open(t, o)
	command := []string{"/opt/forage", "run"}
	if err := a.Enable(Session, command); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, desktopFile)
	text, _ := os.ReadFile(path)
	for _, edited := range []string{
		strings.Replace(string(text), "X-GNOME-Autostart-enabled=true", "X-GNOME-Autostart-enabled=false", 1),
		string(text) + "Hidden=true\n",
	} {
		write(t, path, edited)
		if s := status(t, a); s.Kind != Session || !s.Disabled {
			t.Errorf("status is %+v", s)
		}
	}
	write(t, path, strings.Replace(string(text), "\nExec=/opt/forage", "\nExec=\"/opt/forage", 1))
	if s := status(t, a); s.Kind != Session || s.Command != nil {
		t.Errorf("of what cannot be read status is %+v", s)
	}
	if err := a.Enable(Service, command); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(home, wantsFile)
	if err := os.Remove(link); err != nil { // systemctl --user disable
		t.Fatal(err)
	}
	if s := status(t, a); s.Kind != Service || !s.Disabled {
		t.Errorf("without its link status is %+v", s)
	}
	if err := os.Symlink(filepath.Join(home, unitFile), link); err != nil { // systemctl --user enable
		t.Fatal(err)
	}
	if s := status(t, a); s.Disabled {
		t.Errorf("with systemd's link status is %+v", s)
	}
	if err := a.Disable(); err != nil || len(files(t, home)) > 0 {
		t.Errorf("Disable: %v, %q", err, files(t, home))
	}
}

func TestEnable_RefusesWhatCannotBeWritten(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		o, home := places(t, goos)
		a := open(t, o)
		program := "/opt/forage"
		if goos == "windows" {
			program = `C:\forage.exe`
		}
		for _, command := range [][]string{
			nil, {"forage"}, {"./forage", "run"}, {program + "\nExecStart=/bin/evil"}, {program, "a\x00b"}, {program, "\xff"}, {program, "a\rb"},
			{program, "\u2028"}, {program, "\uffff"}, {program, strings.Repeat("x", maxWord+1)}, append([]string{program}, make([]string, maxWords)...),
		} {
			for _, kind := range []Kind{Session, Service} {
				if err := a.Enable(kind, command); !errors.Is(err, ErrUnwritable) {
					t.Errorf("%s: Enable(%s, %.60q) = %v", goos, kind, command, err)
				}
			}
		}
		if got := files(t, home); len(got) > 0 {
			t.Errorf("%s: files are %q", goos, got)
		}
	}
	o, home := places(t, "linux")
	o.Paths.Data = filepath.Join(home, "a\nExecStart=b")
	if err := open(t, o).Enable(Service, []string{"/opt/forage"}); !errors.Is(err, ErrUnwritable) {
		t.Errorf("with a directory of two lines: %v", err)
	}
}

func TestNew_FollowsTheUsersDirectories(t *testing.T) {
	o, home := places(t, "linux")
	for _, c := range []struct{ home, xdg, want string }{
		{home, "", filepath.Join(home, desktopFile)},
		{home, "relative", filepath.Join(home, desktopFile)},
		{"", filepath.Join(home, "x"), filepath.Join(home, "x/autostart/forage.desktop")},
	} {
		o.Env = func(name string) string {
			return map[string]string{"HOME": c.home, "XDG_CONFIG_HOME": c.xdg}[name]
		}
		a := open(t, o)
		if err := a.Enable(Session, []string{"/opt/forage"}); err != nil {
			t.Fatal(err)
		}
		if s := status(t, a); s.Place != c.want {
			t.Errorf("with %+v the place is %s", c, s.Place)
		}
	}
	o.Env = func(string) string { return "" }
	for _, goos := range []string{"linux", "darwin"} {
		o.GOOS = goos
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error without HOME", goos)
		}
	}
	o.GOOS, o.Registry = "windows", nil
	if _, err := New(o); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without a registry: %v", err)
	}
}

// A service may write to where linked settings really are.
func TestUnit_LinkedSettings(t *testing.T) {
	o, home := places(t, "linux")
	real := filepath.Join(home, "dotfiles", "forage.toml")
	write(t, real, "")
	if err := o.Paths.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, o.Paths.Config); err != nil {
		t.Fatal(err)
	}
	text, err := unitText([]string{"/opt/forage"}, open(t, o).o)
	if err != nil {
		t.Fatal(err)
	}
	want := unitWord("-" + filepath.Dir(real))
	if got := valueOf(text, "ReadWritePaths"); !strings.Contains(got, want) {
		t.Errorf("ReadWritePaths=%s lacks %s", got, want)
	}
}

func TestUnit_KeepsThePlacesOfTheShell(t *testing.T) {
	o, _ := places(t, "linux")
	o.Env = func(name string) string {
		return map[string]string{"XDG_STATE_HOME": `/srv/50% "x"`, "XDG_DATA_HOME": "relative"}[name]
	}
	text, err := unitText([]string{"/opt/forage"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := `Environment="XDG_STATE_HOME=/srv/50%% \"x\""` + "\n"; !strings.Contains(text, want) || strings.Contains(text, "XDG_DATA_HOME") {
		t.Errorf("the unit is\n%s\nwant %s", text, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
