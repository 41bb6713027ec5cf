package config

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestAddItem_KeepsTheRest(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"empty list", "[sites]\nnever = [] # none\n", "[sites]\nnever = [\"n.org\"] # none\n"},
		{"one line", "sites.never=['a.org']", "sites.never=['a.org', \"n.org\"]"},
		{"one line with a comma at the end", "sites.never = ['a.org', ]", "sites.never = ['a.org', \"n.org\", ]"},
		{"lines", "[sites]\nnever = [\n  'a.org', # ex\n  # more\n]\n",
			"[sites]\nnever = [\n  'a.org', # ex\n  \"n.org\",\n  # more\n]\n"},
		{"lines without a comma", "[sites]\nnever = [\n\t'a.org' # ex\n]\n",
			"[sites]\nnever = [\n\t'a.org', # ex\n\t\"n.org\",\n]\n"},
		{"comma on the next line: written anew", "[sites]\nnever = [\n'a.org'\n,\n]\n",
			"[sites]\nnever = [\"a.org\", \"n.org\"]\n"},
		{"lines with Windows ends", "[sites]\r\nnever = [\r\n 'a.org',\r\n]\r\n",
			"[sites]\r\nnever = [\r\n 'a.org',\r\n \"n.org\",\r\n]\r\n"},
		{"comment in an empty list", "[sites]\nnever = [ # none\n]\n", "[sites]\nnever = [\"n.org\" # none\n]\n"},
		{"no list yet", "[sites]\n#never = []\n", "[sites]\n#never = []\nnever = [\"n.org\"]\n"},
		{"in braces", "sites = { never = ['a.org'] } # s\n", "sites = { never = ['a.org', \"n.org\"] } # s\n"},
		{"brackets in texts", "sites.never = ['a.org/],']", "sites.never = ['a.org/],', \"n.org\"]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, c.before)
			if err := AddItem(path, "sites.never", "n.org"); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != c.after {
				t.Errorf("file is %q, %v, want %q", got, err, c.after)
			}
		})
	}
}

func TestRemoveItem_KeepsTheRest(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"alone", "sites.never = ['n.org'] # x", "sites.never = [] # x"},
		{"first", "sites.never = ['n.org', 'b.org']", "sites.never = ['b.org']"},
		{"last", "sites.never = ['a.org', 'n.org']", "sites.never = ['a.org']"},
		{"between", "sites.never = ['a.org', 'n.org', 'b.org']", "sites.never = ['a.org', 'b.org']"},
		{"several", "sites.never = ['n.org', \"n.org\", 'b.org', 'n.org']", "sites.never = ['b.org']"},
		{"its line", "[sites]\nnever = [\n  'a.org', # ex\n  'n.org', # why\n  # more\n]\n",
			"[sites]\nnever = [\n  'a.org', # ex\n  # more\n]\n"},
		{"its line, the last", "[sites]\nnever = [\n  'a.org', # ex\n  'n.org' # why\n]\n",
			"[sites]\nnever = [\n  'a.org', # ex\n]\n"},
		{"on a line with others", "[sites]\nnever = [\n  'a.org', 'n.org', # both\n]\n",
			"[sites]\nnever = [\n  'a.org', # both\n]\n"},
		{"Windows line ends", "sites.never = [\r\n'n.org',\r\n'b.org'\r\n]\r\n", "sites.never = [\r\n'b.org'\r\n]\r\n"},
		{"not there", "sites.never = [ 'a.org' ]", "sites.never = [ 'a.org' ]"},
		{"no list", "# nothing\n", "# nothing\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, c.before)
			if err := RemoveItem(path, "sites.never", "n.org"); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != c.after {
				t.Errorf("file is %q, %v, want %q", got, err, c.after)
			}
		})
	}
}

func TestAddItem_Refuses(t *testing.T) {
	for _, c := range []struct{ text, key, item, want string }{
		{"", "sites.never", "a b",
			`sites.never = ["a b"] holds "a b", which is neither a domain (example.org) nor a host with a path (example.org/docs/*): domains and host/path patterns, at most 1000`},
		{"", "sites.nevr", "a.org", `sites.nevr is not a setting; did you mean "sites.never"?`},
		{"x\n", "sites.never", "a.org", `PATH:1: the line ends where "=" should be`},
	} {
		path := file(t, c.text)
		err := AddItem(path, c.key, c.item)
		var e *Error
		if want := strings.Replace(c.want, "PATH", path, 1); !errors.As(err, &e) || err.Error() != want {
			t.Errorf("AddItem(%q, %q) = %v, want %s", c.key, c.item, err, want)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != c.text {
			t.Errorf("AddItem(%q, %q) left %q, %v", c.key, c.item, got, err)
		}
	}
}

func TestAddItem_NewFile(t *testing.T) {
	path := t.TempDir() + "/config.toml"
	for _, item := range []string{"a.org", "b.org"} {
		if err := AddItem(path, "sites.never", item); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := Load(path); err != nil || !slices.Equal(c.Sites.Never, []string{"a.org", "b.org"}) {
		t.Errorf("sites.never is %q, %v", c.Sites.Never, err)
	}
}

func FuzzItems(f *testing.F) {
	for _, seed := range []string{
		"sites.never = ['a.org', 'n.org',]", "[sites]\nnever = [\n 'n.org' # x\n , 'b.org'\n]",
		"sites = {never = [\"n.org\"\n]}",
		"sites.never = [ # c\n\n'n.org','n.org'\n # d\n]\r\n", "\ufeffsites.never = ['n.org'# '\n]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, errs := read(text)
		if len(errs) > 0 || len(text) > 1<<12 {
			return
		}
		added, err := assignList(text, "sites.never", func(l []string) []string { return append(l, "x.org") })
		if err != nil {
			return // as Set, see FuzzLoad
		}
		want := append(slices.Clone(c.Sites.Never), "x.org")
		if got, errs := read(added); len(errs) > 0 || !slices.Equal(got.Sites.Never, want) {
			t.Fatalf("adding to %q gives %q: %q, %v", text, added, got.Sites.Never, errs)
		}
		isN := func(s string) bool { return s == "n.org" }
		removed, err := assignList(added, "sites.never", func(l []string) []string { return slices.DeleteFunc(l, isN) })
		if got, errs := read(removed); err != nil || len(errs) > 0 ||
			!slices.Equal(got.Sites.Never, slices.DeleteFunc(want, isN)) {
			t.Fatalf("removing from %q gives %q: %q, %v, %v", added, removed, got.Sites.Never, errs, err)
		}
	})
}
