package desktop

import (
	"strings"
	"testing"

	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/look"
)

// narrowWindow is a width that every page has room in, half that of a small screen; a page that needs more would make
// the window wider, for good. The settings need narrowSettings.
const narrowWindow, narrowSettings = 640, 700

func TestWindow_NoPageMakesItWider(t *testing.T) {
	for _, lang := range []string{"en", "de"} {
		a := desktest.NewApp(t)
		a.Settings().SetTheme(look.NewTheme("light"))
		loop := a.Loop()
		is := desktest.NewStandIn()
		is.Is.Limits.HelpNow = true // the bar has most buttons then
		is.Is.Settings, _ = desktest.NewKeeper(t, desktest.NewStandIn()).Settings(t.Context(), lang)
		w := newWindow(a, Config{Node: is, Lang: lang}, loop.Do)
		w.begin()
		for i, page := range w.pages {
			w.turn(i)
			for range 3 {
				loop.Step()
			}
			if page.name == desk.PageSettings {
				loop.Until(t, "the settings", func() bool {
					text := desktest.Seen(page.page.Content())
					return strings.Contains(text, is.Is.Settings.Cards[2].Title) && strings.Contains(text, is.Is.Settings.Presets[0].Title)
				})
			}
			most := float32(narrowWindow)
			if page.name == desk.PageSettings {
				most = narrowSettings
			}
			if got := w.win.Content().MinSize().Width; got > most {
				t.Errorf("%s, in %s: the window is %v wide at least, want %v", page.name, lang, got, most)
			}
		}
		w.close()
		w.d.Wait()
	}
}
