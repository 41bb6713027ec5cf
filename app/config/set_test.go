package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/assets/words"
)

func TestSet_KeepsTheRest(t *testing.T) {
	for _, c := range []struct{ name, before, key, value, after string }{
		{"replace", "# top\n\n[crawl]\n  depth   =  3   # deep\nscope=['a']\n", "crawl.depth", "4",
			"# top\n\n[crawl]\n  depth   =  4   # deep\nscope=['a']\n"},
		{"replace a list of lines", "[crawl]\nscope = [\n 'a', # one\n]\n# end\n", "crawl.scope", "x, y",
			"[crawl]\nscope = [\"x\", \"y\"]\n# end\n"},
		{"replace dotted", "crawl.depth=3", "crawl.depth", "4", "crawl.depth=4"},
		{"replace in braces", "disk = { max = 1, keep_free = 2 }\n", "disk.max", "7 MB",
			"disk = { max = \"7 MB\", keep_free = 2 }\n"},
		{"empty file", "", "crawl.depth", "4", "[crawl]\ndepth = 4\n"},
		{"new table", "[net]\nname = 'x'", "crawl.depth", "4", "[net]\nname = 'x'\n\n[crawl]\ndepth = 4\n"},
		{"after the last of its table", "[disk]\n  max = 1 # m\n\n# about net\n[net]\n", "disk.keep_free", "0",
			"[disk]\n  max = 1 # m\n  keep_free = 0\n\n# about net\n[net]\n"},
		{"empty table", "[disk] # d\n[net]\n", "disk.max", "0", "[disk] # d\nmax = 0\n[net]\n"},
		{"after the line that shows its default", "[disk]\n#keep_free = 1\n# more\nmax = 1\n", "disk.keep_free",
			"0", "[disk]\n#keep_free = 1\nkeep_free = 0\n# more\nmax = 1\n"},
		{"not after a comment in a list", "[crawl]\nscope = [\n# depth = 1\n]\n", "crawl.depth", "2",
			"[crawl]\nscope = [\n# depth = 1\n]\ndepth = 2\n"},
		{"beside a dotted one", "budget.full.sockets = 9\n[net]\n", "budget.full.fetchers", "2",
			"budget.full.sockets = 9\nbudget.full.fetchers = 2\n[net]\n"},
		{"beside a half dotted one", "[budget]\nfull.sockets = 9\n[net]\n", "budget.full.fetchers", "2",
			"[budget]\nfull.sockets = 9\nfull.fetchers = 2\n[net]\n"},
		{"in braces", "[budget]\nfull = { sockets = 9 } # b\n", "budget.full.fetchers", "2",
			"[budget]\nfull = { sockets = 9, fetchers = 2 } # b\n"},
		{"Windows line ends", "[disk]\r\nmax = 1\r\n", "disk.keep_free", "0", "[disk]\r\nmax = 1\r\nkeep_free = 0\r\n"},
		{"byte order mark", "\ufeffcrawl.depth = 1\n", "crawl.depth", "2", "\ufeffcrawl.depth = 2\n"},
		{"last line without end", "[disk]\nmax = 1", "disk.keep_free", "0", "[disk]\nmax = 1\nkeep_free = 0\n"},
		{"repairs a wrong value", "crawl.depth = 999\nnonsense = 1\n", "crawl.depth", "2",
			"crawl.depth = 2\nnonsense = 1\n"},
		{"empty list", "[crawl]\nscope = ['a']\n", "crawl.scope", "", "[crawl]\nscope = []\n"},
		{"list with commas", "[crawl]\nscope = []\n", "crawl.scope", `["a,b", 'c']`,
			"[crawl]\nscope = [\"a,b\", \"c\"]\n"},
		{"text with quotes", "[crawl]\nseeds = []\n", "crawl.seeds", `C:\x "y"`,
			"[crawl]\nseeds = [\"C:\\\\x \\\"y\\\"\"]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, c.before)
			if err := Set(path, c.key, c.value); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != c.after {
				t.Errorf("file is %q, %v, want %q", got, err, c.after)
			}
		})
	}
}

func TestSet_Refuses(t *testing.T) {
	for _, c := range []struct{ text, key, value, want string }{
		{"", "budget.full.fetchers", "40", "budget.full.fetchers = 40 is out of range: a whole number from 1 to 16"},
		{"", "budget.full.fetchers", "six",
			"budget.full.fetchers = six is not a whole number: a whole number from 1 to 16"},
		{"", "budget.full.fetchers", "6\nx = 1",
			"budget.full.fetchers = 6 x = 1 is not allowed: a whole number from 1 to 16"},
		{"", "budget.fetchers", "4", `budget.fetchers is not a setting; did you mean "budget.full.fetchers"?`},
		{"", "", "4", " is not a setting"},
		{"", "crawl.scope", "[1", "crawl.scope = [1 is not allowed: domains and host/path patterns, at most 1000"},
		{"x\n", "crawl.depth", "4", `PATH:1: the line ends where "=" should be`},
		{"crawl.depth = 1\ncrawl.depth = 2\n", "crawl.depth", "4", "PATH:2: the same setting stands in line 1 already"},
		{"disk = {}\n", "disk.max", "0", "PATH:3: this group was written in line 1 in braces: add to it there"},
	} {
		path := file(t, c.text)
		want := strings.TrimSpace(strings.Replace(c.want, "PATH", path, 1))
		if err := Set(path, c.key, c.value); err == nil || err.Error() != want {
			t.Errorf("Set(%q, %q) in %q = %v, want %s", c.key, c.value, c.text, err, want)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != c.text {
			t.Errorf("Set(%q, %q) left %q, %v, want %q", c.key, c.value, got, err, c.text)
		}
	}
}

func TestSet_NewFileShowsTheOtherSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := Set(path, "crawl.depth", "4"); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(defaultFile(), "#depth = 16\n", "#depth = 16\ndepth = 4\n", 1)
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("file is\n%s, %v, want\n%s", got, err, want)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode of the file: %v, %v, want 0600", info.Mode(), err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("directory holds %v, %v, want the file alone", left, err)
	}
}

func TestSet_KeepsSymbolicLinks(t *testing.T) {
	target := file(t, "crawl.depth = 1\n")
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
	if err := Set(path, "crawl.depth", "2"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("link became %v, %v", info.Mode(), err)
	}
	if c, err := Load(target); err != nil || c.Crawl.Depth != 2 {
		t.Errorf("target has depth %d, %v, want 2", c.Crawl.Depth, err)
	}
}

func TestSet_FailedWriteLeavesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "config.toml")
	if err := Set(path, "crawl.depth", "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Set in a directory that is not there = %v, want %v", err, fs.ErrNotExist)
	}
}

func TestWriteDefault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for range 2 {
		if err := WriteDefault(path); err != nil {
			t.Fatal(err)
		}
		if c, err := Load(path); err != nil || !reflect.DeepEqual(c, Defaults()) {
			t.Errorf("default file gives %+v, %v, want the defaults", c, err)
		}
	}
	for line := range strings.Lines(defaultFile()) {
		if n := len(line) - 1; n > 76 {
			t.Errorf("line of %d columns: %s", n, line)
		}
	}
	// With the marks taken away it says the same.
	c, errs := read(uncomment(defaultFile()))
	if len(errs) > 0 || !reflect.DeepEqual(c, Defaults()) {
		t.Errorf("uncommented default file gives %+v, %v, want the defaults", c, errs)
	}
	if err := Set(path, "crawl.depth", "3"); err != nil {
		t.Fatal(err)
	}
	if err := WriteDefault(path); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(path); err != nil || c.Crawl.Depth != 3 {
		t.Errorf("WriteDefault changed a file that was there: depth %d, %v", c.Crawl.Depth, err)
	}
}

// uncomment takes the marks from the settings of the default file.
func uncomment(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "# ") {
			line = line[1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

func TestConsent(t *testing.T) {
	path := file(t, "# mine\n[consent]\n")
	c, err := Load(path)
	if err != nil || Consented(c) {
		t.Fatalf("Consented = %t, %v, want false", Consented(c), err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	if err := Consent(path, now); err != nil {
		t.Fatal(err)
	}
	c, err = Load(path)
	if err != nil || !Consented(c) || !c.Consent.Time.Equal(now.Truncate(time.Second)) {
		t.Errorf("after Consent: %+v, %v", c.Consent, err)
	}
	c.Consent.Version++
	if Consented(c) {
		t.Error("consent to another text counts")
	}
}

func TestConsentText(t *testing.T) {
	text := ConsentText(words.English, Paths{Config: "/c/config.toml", State: "/s", Data: "/d"}, Defaults())
	for _, want := range []string{"Nothing has been sent yet", "internet address", "forage", "/c/config.toml",
		"/s\n", "/d", "60 pages a minute", "2 GB", "forage erase", "robots.txt"} {
		if !strings.Contains(text, want) {
			t.Errorf("text does not say %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(line)) - 1; n > 76 {
			t.Errorf("line of %d columns: %s", n, line)
		}
	}
	want, err := os.ReadFile(fmt.Sprintf("testdata/consent-%d.txt", ConsentVersion))
	if err != nil || text != string(want) {
		t.Errorf("users agreed to\n%s\nand not to\n%s\nA text that says more needs another version (%v)", want,
			text, err)
	}
	for _, lang := range words.Languages() {
		list := ConsentParagraphs(lang, Paths{Config: "/c/config.toml", State: "/s", Data: "/d"}, Defaults())
		if len(list) != 24 || slices.Contains(list, "") || strings.Contains(strings.Join(list, ""), "{") ||
			strings.Contains(strings.Join(list, ""), "consent.") {
			t.Errorf("in %s it is %q", lang, list)
		}
	}
}
