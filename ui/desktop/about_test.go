package desktop

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/ui/desktop/desk"
)

func aNode(s *standIn) desk.Live {
	s.status.Version, s.status.Network, s.status.Started = config.Version, "main", noon.Add(-50*time.Hour)
	s.status.ArchiveDir, s.status.ArchiveFiles, s.status.ArchiveBytes = "/home/ada/.local/share/forage/warc", 7,
		1_310_000_000
	s.settings.File, s.ring.Self = "/home/ada/.config/forage/config.toml",
		"12D3KooWQ5MvH7s1m3xJ2uVvYjXc8zqf4nTgB6kLrD9pWAeSyUtR"
	return desk.Live{Status: s.status, Known: true, Reachable: true}
}

func TestAbout_Looks(t *testing.T) {
	for _, c := range []struct {
		name, lang, theme, stored string
		w, h                      float32
		open                      int
	}{
		{"light", "en", "light", "about", 640, 920, -1},
		{"dark-de", "de", "dark", "", 920, 860, -1},
		{"narrow-de", "de", "light", "", 540, 1500, 2},
		{"sources", "en", "light", "", 540, 1500, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c.lang, c.theme)
			l := aNode(b.node)
			p := newAbout(b.Desk, b.node)
			win := newPageWindow(t, p, c.w, c.h)
			p.told(l)
			p.shown(true)
			b.until(t, "the answer", func() bool { return p.self != "" })
			if c.open >= 0 {
				accordion(p.content()).Open(c.open)
			}
			for range 2 { // what wraps knows its height only then
				win.Content().Refresh()
			}
			pictureOf(t, c.stored, win.Canvas(), c.theme == "dark")
		})
	}
}

func accordion(in fyne.CanvasObject) *widget.Accordion {
	for _, o := range within(in) {
		if a, ok := o.(*widget.Accordion); ok {
			return a
		}
	}
	return nil
}

func TestAbout_SaysWhatItKnows(t *testing.T) {
	home := t.TempDir()
	paths, err := config.Resolve(home, os.Getenv, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, "en", "light")
	l := aNode(b.node)
	b.node.err = api.ErrNotRunning
	b.node.settings.File = paths.Config
	l.Status.Home, l.Status.Version, l.Status.Lab = home, "0.0.9", true
	p := newAbout(b.Desk, b.node)
	p.shown(true)
	b.until(t, "the failure", func() bool { return !p.asking })
	if got := p.facts["node"].Text + p.facts["network"].Text; got != "––" {
		t.Errorf("without a node it says %q", got)
	}
	b.node.change(func(s *standIn) { s.err = nil })
	p.shown(true)
	b.until(t, "the answer", func() bool { return p.self != "" })
	p.told(l)
	for name, want := range map[string]string{
		"network": "main. This is a closed test network. It visits only its own sites.",
		"node":    "12D3KooWQ5MvH7s1m3xJ2uVvYjXc8zqf4nTgB6kLrD9pWAeSyUtR",
		"since":   b.Date(l.Status.Started, noon) + ", " + b.Clock(l.Status.Started),
		"archive": "/home/ada/.local/share/forage/warc\n7 files, 1.3\u00a0GB", "settings": paths.Config,
		"state": paths.State,
	} {
		if got := p.facts[name].Text; got != want || !p.rows[name].Visible() {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !p.differs.Visible() || !strings.Contains(p.differs.Text, config.Version) ||
		!strings.Contains(p.version.Text, "0.0.9") {
		t.Errorf("of versions it says %q, %q", p.version.Text, p.differs.Text)
	}
	// Where the node's files are elsewhere, the place of its state is not guessed.
	l.Status.Home = "/elsewhere"
	p.told(l)
	if p.rows["state"].Visible() {
		t.Errorf("it says that the state is at %q", p.facts["state"].Text)
	}
}

func TestAbout_Links(t *testing.T) {
	b := newBench(t, "en", "light")
	p := newAbout(b.Desk, b.node)
	accordion(p.content()).OpenAll()
	var pages []string
	for _, o := range within(p.content()) {
		l, ok := o.(*widget.Hyperlink)
		switch {
		case ok && l.OnTapped != nil:
			l.OnTapped()
		case ok:
			pages = append(pages, l.URL.String())
		}
	}
	if want := []string{projectPage + "#readme", webmasterPage}; !slices.Equal(pages, want) &&
		!slices.Equal(pages, append(want, licencePage)) {
		t.Errorf("it leads to %q, want %q", pages, want)
	}
	if !slices.Contains(b.routes, "") {
		t.Errorf("the dashboard opens at %q", b.routes)
	}
}

// All that is built in by choice is named.
func TestLicences_AreWhole(t *testing.T) {
	data, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, l := range licences {
		for name := range strings.SplitSeq(l.works, ", ") {
			named = append(named, name)
		}
	}
	seen := 0
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 2 || !strings.HasPrefix(line, "\t") || !strings.HasPrefix(f[1], "v") {
			continue
		}
		seen++
		if !slices.Contains(named, f[0]) {
			t.Errorf("%s is not named", f[0])
		}
	}
	if seen < 10 {
		t.Errorf("go.mod has %d modules", seen)
	}
}
