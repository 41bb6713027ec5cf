package about

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
	"github.com/forage-net/forage/ui/desktop/desktest"
)

func aNode(s *desktest.StandIn) desk.Live {
	s.Is.Status.Version, s.Is.Status.Network, s.Is.Status.Started = config.Version, "main", desktest.Noon.Add(-50*time.Hour)
	s.Is.Status.ArchiveDir, s.Is.Status.ArchiveFiles, s.Is.Status.ArchiveBytes = "/home/ada/.local/share/forage/warc", 7,
		1_310_000_000
	s.Is.Settings.File, s.Is.Ring.Self = "/home/ada/.config/forage/config.toml",
		"12D3KooWQ5MvH7s1m3xJ2uVvYjXc8zqf4nTgB6kLrD9pWAeSyUtR"
	return desk.Live{Status: s.Is.Status, Known: true, Reachable: true}
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
			b := desktest.NewBench(t, c.lang, c.theme)
			l := aNode(b.Node)
			p := New(b.Desk, b.Node)
			win := desktest.NewPageWindow(t, p, c.w, c.h)
			p.Told(l)
			p.Shown(true)
			b.Until(t, "the answer", func() bool { return p.self != "" })
			if c.open >= 0 {
				accordion(p.Content()).Open(c.open)
			}
			for range 2 { // what wraps knows its height only then
				win.Content().Refresh()
			}
			desktest.PictureOf(t, c.stored, win.Canvas(), c.theme == "dark")
		})
	}
}

func accordion(in fyne.CanvasObject) *widget.Accordion {
	for _, o := range desktest.Within(in) {
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
	b := desktest.NewBench(t, "en", "light")
	l := aNode(b.Node)
	b.Node.Err = api.ErrNotRunning
	b.Node.Is.Settings.File = paths.Config
	l.Status.Home, l.Status.Version, l.Status.Lab = home, "0.0.9", true
	p := New(b.Desk, b.Node)
	p.Shown(true)
	b.Until(t, "the failure", func() bool { return !p.asking })
	if got := p.facts["node"].Text + p.facts["network"].Text; got != "––" {
		t.Errorf("without a node it says %q", got)
	}
	b.Node.Change(func(s *desktest.StandIn) { s.Err = nil })
	p.Shown(true)
	b.Until(t, "the answer", func() bool { return p.self != "" })
	p.Told(l)
	for name, want := range map[string]string{
		"network": "main. This is a closed test network. It visits only its own sites.",
		"node":    "12D3KooWQ5MvH7s1m3xJ2uVvYjXc8zqf4nTgB6kLrD9pWAeSyUtR",
		"since":   b.Date(l.Status.Started, desktest.Noon) + ", " + b.Clock(l.Status.Started),
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
	p.Told(l)
	if p.rows["state"].Visible() {
		t.Errorf("it says that the state is at %q", p.facts["state"].Text)
	}
}

func TestAbout_Links(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	p := New(b.Desk, b.Node)
	accordion(p.Content()).OpenAll()
	var pages []string
	for _, o := range desktest.Within(p.Content()) {
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
	if !slices.Contains(b.Routes, "") {
		t.Errorf("the dashboard opens at %q", b.Routes)
	}
}

// All that is built in by choice is named.
func TestLicences_AreWhole(t *testing.T) {
	data, err := os.ReadFile("../../../go.mod")
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
