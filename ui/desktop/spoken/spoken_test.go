package spoken

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/hues"
)

// The languages of most sites are named first, each with its colour in the theme that is shown, and of many not all.
func TestRow(t *testing.T) {
	test.NewTempApp(t)
	dark := false
	r := New(layout.NewHBoxLayout(), func(code string) string { return "<" + code + ">" }, func() bool { return dark })
	if r.Tell([]api.RingDomain{{Language: ""}}); r.Box.Visible() {
		t.Error("no language is shown")
	}
	sites := []api.RingDomain{{Language: "fi"}, {Language: ""}, {Language: "en"}, {Language: "fi"}, {Language: "de"}}
	r.Tell(sites)
	texts, points := read(r.Box)
	if !r.Box.Visible() || !slices.Equal(texts, []string{"<fi>", "<de>", "<en>"}) {
		t.Errorf("it shows %q", texts)
	}
	if got, want := points[2].circle.FillColor, hues.Light()[hues.Of("en")]; got != want {
		t.Errorf("by day English is %v, want %v", got, want)
	}
	dark = true
	r.Box.Refresh()
	if got, want := points[2].circle.FillColor, hues.Dark()[hues.Of("en")]; got != want {
		t.Errorf("by night English is %v, want %v", got, want)
	}
	for _, code := range []string{"es", "fr", "it", "nl", "pl", "ru"} {
		sites = append(sites, api.RingDomain{Language: code})
	}
	r.Tell(sites)
	seen := map[int]bool{}
	texts, points = read(r.Box)
	for _, p := range points {
		if seen[p.hue] {
			t.Errorf("two points have one colour beside %q", texts)
		}
		seen[p.hue] = true
	}
	if names := strings.Count(strings.Join(texts, ""), "<"); names != most+1 || texts[len(texts)-1] != "<other>" {
		t.Errorf("of nine it shows %q", texts)
	}
}

// read returns the texts and points below a container, in order.
func read(c *fyne.Container) (texts []string, points []*point) {
	for _, o := range c.Objects {
		switch o := o.(type) {
		case *widget.Label:
			texts = append(texts, o.Text)
		case *point:
			points = append(points, o)
		case *fyne.Container:
			more, others := read(o)
			texts, points = append(texts, more...), append(points, others...)
		}
	}
	return texts, points
}
