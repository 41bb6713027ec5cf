package desktop

import (
	"testing"

	"fyne.io/fyne/v2"

	"github.com/forage-net/forage/ui/desktop/look"
)

// The frame of the window in both looks.
func TestWindow_Looks(t *testing.T) {
	for theme, stored := range map[string]string{"light": "window", "dark": ""} {
		t.Run(theme, func(t *testing.T) {
			a := newStrictApp(t)
			a.Settings().SetTheme(look.NewTheme(theme))
			w := newWindow(a, Config{Node: newStandIn(), Lang: "en", Page: pageAbout}, new(uiLoop).do)
			t.Cleanup(w.close)
			w.begin()
			w.d.Offer("fjall.example will not be visited again.", "Undo", func() {})
			w.d.Say("Paused.", false)
			w.win.SetPadded(false)
			w.win.Resize(fyne.NewSize(900, 500))
			pictureOf(t, stored, w.win.Canvas(), theme == "dark")
		})
	}
}
