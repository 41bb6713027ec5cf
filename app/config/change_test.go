package config

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/durable"
)

func TestApply_Reset(t *testing.T) {
	for _, c := range []struct{ name, before, key, after string }{
		{"a line", "# mine\n[disk]\nmax = \"1 GB\"\nkeep_free = \"1 GB\"\n", "disk.max",
			"# mine\n[disk]\nkeep_free = \"1 GB\"\n"},
		{"a line with a comment", "[disk]\n  max = \"1 GB\"   # enough\n", "disk.max", "[disk]\n# enough\n"},
		{"the last line, without an end", "[disk]\nmax = \"1 GB\"", "disk.max", "[disk]\n"},
		{"lines of Windows", "[disk]\r\nmax = 0\r\nkeep_free = 0\r\n", "disk.max", "[disk]\r\nkeep_free = 0\r\n"},
		{"a long list", "[crawl]\nscope = [\n  \"a.test\", # one\n  \"b.test\",\n]\ndepth = 3\n", "crawl.scope",
			"[crawl]\ndepth = 3\n"},
		{"with dots", "disk.max = 0\ndisk.keep_free = 0\n", "disk.max", "disk.keep_free = 0\n"},
		{"in braces", "disk = { max = \"1 GB\", keep_free = \"1 GB\" }\n", "disk.max",
			"disk = { max = \"2 GB\", keep_free = \"1 GB\" }\n"},
		{"not there", "[disk]\n# max = 1\n", "disk.max", "[disk]\n# max = 1\n"},
	} {
		path := file(t, c.before)
		changed, err := Apply(path, Change{Reset: []string{c.key}})
		text, _ := os.ReadFile(path)
		if err != nil || string(text) != c.after {
			t.Errorf("%s: the file is\n%q, want\n%q, %v", c.name, text, c.after, err)
		}
		if is := slices.Equal(changed, []string{c.key}); is != (c.before != c.after) {
			t.Errorf("%s: changed %v", c.name, changed)
		}
	}
	if _, err := Apply(file(t, ""), Change{Reset: []string{"disk.maxx"}}); err == nil ||
		!strings.Contains(err.Error(), `did you mean "disk.max"?`) {
		t.Errorf("an unknown key: %v", err)
	}
}

// What somebody else writes while a change is made is not lost.
func TestApply_SomebodyElseWritesMeanwhile(t *testing.T) {
	path := file(t, "[disk]\nmax = \"1 GB\"\n")
	times := 0
	err := edit(durable.Disk{}, path, true, func(text string) (string, error) {
		if times++; times < 3 {
			if err := os.WriteFile(path, []byte(text+"# note\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return assign(text, "disk.max", "3 GB")
	})
	text, _ := os.ReadFile(path)
	if want := "[disk]\nmax = \"3 GB\"\n# note\n# note\n"; err != nil || string(text) != want {
		t.Errorf("the file is\n%s, want\n%s, %v", text, want, err)
	}
	// Who never stops is not overwritten.
	err = edit(durable.Disk{}, path, true, func(text string) (string, error) {
		if err := os.WriteFile(path, []byte(text+"#\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return assign(text, "disk.max", "4 GB")
	})
	if text, _ := os.ReadFile(path); !errors.Is(err, errChanged) || strings.Contains(string(text), "4 GB") {
		t.Errorf("%v, and the file is\n%s", err, text)
	}
	// Nor is a file that came into being.
	path += ".new"
	err = edit(durable.Disk{}, path, true, func(text string) (string, error) {
		if _, err := os.Stat(path); err != nil {
			os.WriteFile(path, []byte("# new\n"), 0o600)
		}
		return assign(text, "disk.max", "4 GB")
	})
	if text, _ := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "# new\n") &&
		!strings.HasSuffix(string(text), "# new\n") {
		t.Errorf("%v, and the file is\n%s", err, text)
	}
}

func TestApply_Checks(t *testing.T) {
	path := file(t, "# mine\n")
	wrong := errors.New("cannot be used")
	var asked []string
	check := func(c Config, key string) error {
		asked = append(asked, key)
		if c.Crawl.Depth == 9 {
			return wrong
		}
		return nil
	}
	if _, err := Apply(path, Change{Set: map[string]string{"crawl.depth": "9", "disk.max": "2 GB"},
		Check: check}); !errors.Is(err, wrong) {
		t.Errorf("Apply = %v", err)
	}
	if !slices.Equal(asked, []string{"crawl.depth"}) { // disk.max is as before
		t.Errorf("asked for %v", asked)
	}
	if text, _ := os.ReadFile(path); string(text) != "# mine\n" {
		t.Errorf("the file is %s", text)
	}
}

// Items say of every setting what Get and Set do.
func TestItems(t *testing.T) {
	for _, item := range Defaults().Items() {
		literal, err := Defaults().Get(item.Name)
		if err != nil || Unquoted(literal) != item.Text || item.Text != item.DefaultText {
			t.Errorf("%s is %q and %q, want %s, %v", item.Name, item.Text, item.DefaultText, literal, err)
		}
		if err := Check(item.Name, item.Text); err != nil {
			t.Errorf("%s = %q, as it was read: %v", item.Name, item.Text, err)
		}
		n, number := item.Value.(int64)
		switch item.Type {
		case "whole number", "size", "length of time":
			if !number || item.Lo >= item.Hi || n != item.Lo-1 && (n < item.Lo || n > item.Hi) {
				t.Errorf("%s is %v, of %d to %d", item.Name, item.Value, item.Lo, item.Hi)
			}
		case "choice", "level":
			if !slices.Contains(item.Choices, item.Text) {
				t.Errorf("%s is %q, none of %q", item.Name, item.Text, item.Choices)
			}
		}
	}
}

// FuzzReset makes a file no worse: every other setting stays as it was.
func FuzzReset(f *testing.F) {
	f.Add("[disk]\nmax = 1 # one\nkeep_free = 2\n")
	f.Add("disk = { max = 1, keep_free = 2 }\n")
	f.Add("disk.max = 1\n[crawl]\nscope = [\n\"a\", # a\n]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(parse(text).Errors) > 0 {
			return
		}
		after, err := unassign(text, "disk.max")
		if err != nil {
			return
		}
		was, is := parse(text), parse(after)
		for _, e := range was.Entries {
			if now := is.Find(e.Key); e.Key != "disk.max" && (now == nil || now.Value.Literal() != e.Value.Literal()) {
				t.Errorf("%s is lost from\n%s, which is\n%s", e.Key, text, after)
			}
		}
		if c, _ := read(after); c.Limits.Disk.Max != Defaults().Limits.Disk.Max {
			t.Errorf("disk.max is %d in\n%s", c.Limits.Disk.Max, after)
		}
	})
}
