// Package spoken names the languages of the sites in a picture of the Ring, with the colour that their sites have.
// Languages of one colour stand together.
package spoken

import (
	"cmp"
	"image/color"
	"maps"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/hues"
)

const (
	// most languages are named, those of most sites.
	most = 8
	// side is how large the point beside a name is, inset how far from the edge, as a text is, and near how much nearer
	// the name stands than texts stand apart.
	side, inset, near = 9, 8, -5
)

// Row is the names, in as many lines as they need.
type Row struct {
	Box *fyne.Container

	name func(code string) string
	dark func() bool
	is   []string
}

// New returns a row without names, which is hidden. name says what a language is called, dark which colours are shown.
func New(lines fyne.Layout, name func(code string) string, dark func() bool) *Row {
	r := &Row{Box: container.New(lines), name: name, dark: dark}
	r.Box.Hide()
	return r
}

// Tell takes the sites that are shown.
func (r *Row) Tell(sites []api.RingDomain) {
	codes := languages(sites)
	if slices.Equal(codes, r.is) {
		return
	}
	r.is, r.Box.Objects = codes, nil
	for _, group := range hues.Shared(codes[:min(len(codes), most)]) {
		var names []string
		for _, code := range group {
			names = append(names, r.name(code))
		}
		at := container.New(layout.NewCustomPaddedLayout(0, 0, inset, 0),
			container.NewCenter(newPoint(group[0], r.dark)))
		r.Box.Add(container.New(layout.NewCustomPaddedHBoxLayout(near), at, caption(strings.Join(names, ", "))))
	}
	if len(codes) > most {
		r.Box.Add(caption(r.name(api.OtherLanguages)))
	}
	if r.Box.Hidden = len(codes) == 0; !r.Box.Hidden {
		r.Box.Refresh()
	}
}

func caption(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Importance, l.SizeName = widget.LowImportance, theme.SizeNameCaptionText
	return l
}

// languages are those that sites are in, those of most sites first.
func languages(sites []api.RingDomain) []string {
	count := make(map[string]int)
	for _, s := range sites[:min(len(sites), api.MaxRingDomains)] {
		if s.Language != "" {
			count[s.Language]++
		}
	}
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
}

// point is a circle in the colour of a language, in each theme.
type point struct {
	widget.BaseWidget
	circle *canvas.Circle
	hue    int
	dark   func() bool
}

func newPoint(code string, dark func() bool) *point {
	p := &point{circle: canvas.NewCircle(color.Transparent), hue: max(0, hues.Of(code)), dark: dark}
	p.ExtendBaseWidget(p)
	p.Refresh()
	return p
}

// Refresh implements fyne.CanvasObject.
func (p *point) Refresh() {
	colours := hues.Light()
	if p.dark() {
		colours = hues.Dark()
	}
	p.circle.FillColor = colours[p.hue]
	p.circle.Refresh()
}

// MinSize implements fyne.CanvasObject.
func (p *point) MinSize() fyne.Size { return fyne.NewSquareSize(side) }

// CreateRenderer implements fyne.Widget.
func (p *point) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.circle) }
