package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/ui/cli/env"
)

// archiveWishes adds pages that ask to be left out of exports to the archive of a home.
func archiveWishes(t *testing.T, home string) {
	t.Helper()
	archiveOnePage(t, home)
	e := &env.Env{Home: home}
	if err := e.FindPaths(); err != nil {
		t.Fatal(err)
	}
	a, err := warc.Open(warc.Config{Dir: e.Paths.WARC()})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for i, line := range []string{"X-Robots-Tag: noindex", "X-Robots-Tag: noai", "X-Robots-Tag: noimageai", "TDM-Reservation: 1"} {
		head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + line + "\r\n\r\n"
		c := capture.Capture{
			URL: "https://example.org/asks/" + string(rune('a'+i)), Date: time.Date(2026, 1, 2, 3, 5, i, 0, time.UTC),
			Response: []byte(head + "<title>A page</title>"), HeadLen: len(head), NoIndex: i == 0,
		}
		if _, err := a.Append(c); err != nil {
			t.Fatal(err)
		}
	}
}

// Each format but statistics says how many pages it has left out, and why.
func TestExport_SaysWhatIsLeftOut(t *testing.T) {
	home := t.TempDir()
	archiveWishes(t, home)
	for _, format := range []string{"warc", "wacz", "cdxj", "links", "pages", "graph"} {
		for _, c := range []struct{ flag, lang, want string }{
			{"", "en", "\n4 captures were left out because their pages ask for it: 1 with noindex, 2 with noai, 1 with a TDM reservation.\n"},
			{"", "de", "\n4 Aufnahmen fehlen, weil die Seiten es so wollen: 1 mit noindex, 2 mit noai, 1 mit TDM-Vorbehalt.\n"},
			{"--all ", "en", "\n1 capture was left out because its page asks for it: 1 with noindex.\n"},
			{"--all ", "de", "\n1 Aufnahme fehlt, weil die Seite es so will: 1 mit noindex.\n"},
			{"--json ", "en", `"left_out": 4`},
		} {
			t.Setenv("LC_ALL", c.lang)
			_, out, errs := forage(home, "export --format "+format+" "+c.flag+t.TempDir())
			if !strings.Contains(out, c.want) || errs != "" {
				t.Errorf("%s %sin %s prints\n%s%s", format, c.flag, c.lang, out, errs)
			}
		}
	}
}

// Where nothing is left there is no package, and a reason.
func TestExport_NothingIsLeft(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	archiveWishes(t, home)
	e := &env.Env{Home: home}
	if err := e.FindPaths(); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(e.Paths.WARC(), "*"))
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	for _, path := range found { // the page that asks for nothing is in the oldest
		if strings.HasPrefix(filepath.Base(path), strings.SplitN(filepath.Base(found[0]), ".", 2)[0]) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("LC_ALL", "de")
	code, _, errs := forage(home, "export --format wacz "+dir)
	if code != env.ExitError || !strings.Contains(errs, "jede archivierte Seite bittet darum, ausgelassen zu werden (noindex, noai oder TDM-Vorbehalt)") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// Pages go to the file that is named, or into the directory.
func TestExport_PagesFile(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	archiveOnePage(t, home)
	for arg, want := range map[string]string{
		dir: "pages.jsonl", filepath.Join(dir, "new") + "/": "new/pages.jsonl", filepath.Join(dir, "a.jsonl.gz"): "a.jsonl.gz",
	} {
		if code, out, errs := forage(home, "export --format pages "+arg); code != 0 || !strings.Contains(out, "1 page in ") {
			t.Errorf("export to %s: %d, %s%s", arg, code, out, errs)
		}
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(want))); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", want, err)
		}
	}
}
