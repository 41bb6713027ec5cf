package desktop

import (
	"testing"

	"fyne.io/fyne/v2"

	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/look"
)

// The frame of the window in both looks.
func TestWindow_Looks(t *testing.T) {
	for theme, stored := range map[string]string{"light": "window", "dark": ""} {
		t.Run(theme, func(t *testing.T) {
			a := desktest.NewApp(t)
			a.Settings().SetTheme(look.NewTheme(theme))
			w := newWindow(a, Config{Node: desktest.NewStandIn(), Lang: "en", Page: desk.PageAbout}, new(desktest.Loop).Do)
			t.Cleanup(w.close)
			w.begin()
			w.d.Offer("fjall.example will not be visited again.", "Undo", func() {})
			w.d.Say("Paused.", false)
			w.win.SetPadded(false)
			w.win.Resize(fyne.NewSize(900, 500))
			desktest.PictureOf(t, stored, w.win.Canvas(), theme == "dark")
		})
	}
}
