package never

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
)

// writeList writes a blocklist that was saved a while ago.
func writeList(t *testing.T, path, text string, ago time.Duration) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-ago)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestBlocklists_AreReadAnewWhenTheyChange(t *testing.T) {
	opts := neverOptions(t, "safety.blocklists = ['list.txt']\n")
	dir := filepath.Dir(opts.File)
	path, other := filepath.Join(dir, "list.txt"), filepath.Join(dir, "other.txt")
	if _, err := New(opts); err == nil || !strings.Contains(err.Error(), "safety.blocklists: read blocklist "+path+": ") {
		t.Errorf("without the file: %v", err)
	}
	writeList(t, path, "one.example\n", 3*time.Hour)
	writeList(t, other, "other.example\n", 3*time.Hour)
	r, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	holds := func(what string, domains ...string) {
		t.Helper()
		for _, d := range []string{"one.example", "two.example", "other.example"} {
			want := strings.Contains(strings.Join(domains, " "), d)
			if got := r.Refusals().Domain(crawl.Domain(d)) != nil; got != want {
				t.Errorf("%s: %s is refused: %t, want %t", what, d, got, want)
			}
		}
	}
	refresh := func(what string, read, wrong bool) {
		t.Helper()
		if got, err := r.Refresh(); got != read || (err != nil) != wrong {
			t.Errorf("%s: read anew: %t, %v", what, got, err)
		}
	}
	holds("at first", "one.example")
	refresh("unchanged", false, false)
	writeList(t, path, "two.example\n", 0)
	refresh("while it is written", false, false)
	writeList(t, path, "two.example\n", time.Hour)
	refresh("changed", true, false)
	holds("changed", "two.example")
	writeList(t, path, "<title>404 Not Found</title>\n", time.Minute)
	refresh("an error page in its place", false, true)
	holds("an error page in its place", "two.example")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refresh("gone", false, false)
	holds("gone", "two.example")

	settings := func(files ...string) error {
		_, err := r.Take(func() (config.Config, error) {
			c := opts.Settings
			c.Safety.Blocklists = files
			return c, nil
		})
		return err
	}
	if err := settings(path, other); err == nil {
		t.Error("a list that is not there was taken")
	}
	holds("the settings name a file that is not there", "two.example")
	if err := settings(other); err != nil {
		t.Error(err)
	}
	holds("another list", "other.example")
	if err := settings(); err != nil {
		t.Error(err)
	}
	holds("no list")
	if err := CheckBlocklists([]string{"other.txt"}, dir); err != nil {
		t.Error(err)
	}
	if err := CheckBlocklists([]string{"."}, dir); err == nil {
		t.Error("a directory is a list")
	}
}
