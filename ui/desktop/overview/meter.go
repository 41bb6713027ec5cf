package overview

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/look"
)

// meter says how much of what is allowed is used, in words and as a bar. One whose limit was not kept is red.
type meter struct {
	widget.BaseWidget
	name, text string
	share      float64 // 0 to 1
	breached   bool
}

func newMeter(name string) *meter {
	m := &meter{name: name, text: "–"}
	m.ExtendBaseWidget(m)
	return m
}

// set draws it again if that is a change. A limit below 0 is none, a use below 0 is not known.
func (m *meter) set(used, limit float64, text string, breached bool) {
	share := 0.0
	if limit > 0 && used > 0 {
		share = math.Min(1, used/limit)
	}
	// A change of less than a two-hundredth of the bar is not seen.
	if text == m.text && breached == m.breached && math.Abs(share-m.share) < 1.0/200 {
		return
	}
	m.text, m.share, m.breached = text, share, breached
	m.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (m *meter) CreateRenderer() fyne.WidgetRenderer {
	r := &meterRenderer{m: m, name: canvas.NewText("", color.Black), text: canvas.NewText("", color.Black),
		track: canvas.NewRectangle(color.Black), bar: canvas.NewRectangle(color.Black)}
	r.track.CornerRadius, r.bar.CornerRadius = meterBar/2, meterBar/2
	r.style()
	return r
}

// meterBar is how thick the bar is.
const meterBar = 6

type meterRenderer struct {
	m          *meter
	name, text *canvas.Text
	track, bar *canvas.Rectangle
}

// tall reports whether the words take two lines in a width.
func (r *meterRenderer) tall(width float32) bool {
	return width > 0 && r.name.MinSize().Width+12+r.text.MinSize().Width > width
}

func (r *meterRenderer) Layout(size fyne.Size) {
	line := r.name.MinSize().Height
	r.name.Resize(fyne.NewSize(size.Width, line))
	r.name.Move(fyne.NewPos(0, 0))
	r.text.Resize(fyne.NewSize(size.Width, line))
	r.text.Move(fyne.NewPos(0, 0))
	r.text.Alignment = fyne.TextAlignTrailing
	below := line
	if r.tall(size.Width) {
		r.text.Alignment = fyne.TextAlignLeading
		r.text.Move(fyne.NewPos(0, line))
		below += line
	}
	r.track.Move(fyne.NewPos(0, below+3))
	r.track.Resize(fyne.NewSize(size.Width, meterBar))
	r.bar.Move(fyne.NewPos(0, below+3))
	r.bar.Hidden = r.m.share == 0
	r.bar.Resize(fyne.NewSize(max(float32(r.m.share)*size.Width, meterBar), meterBar))
}

func (r *meterRenderer) MinSize() fyne.Size {
	name, text := r.name.MinSize(), r.text.MinSize()
	height := name.Height + 3 + meterBar
	if r.tall(r.m.Size().Width) {
		height += text.Height
	}
	return fyne.NewSize(max(name.Width, text.Width), height)
}

func (r *meterRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.name, r.text, r.track, r.bar}
}

func (r *meterRenderer) Destroy() {}

func (r *meterRenderer) Refresh() {
	r.style()
	r.Layout(r.m.Size())
	canvas.Refresh(r.m)
}

func (r *meterRenderer) style() {
	m := r.m
	ink, fill := look.Color(look.Soft), look.Color(theme.ColorNamePrimary)
	if m.breached {
		ink, fill = look.Color(theme.ColorNameError), look.Color(theme.ColorNameError)
	}
	r.name.Text, r.name.Color, r.name.TextSize = m.name, look.Color(theme.ColorNameForeground), theme.TextSize()-1
	r.text.Text, r.text.Color, r.text.TextSize, r.text.TextStyle.Bold = m.text, ink, theme.TextSize()-1, m.breached
	r.track.FillColor, r.bar.FillColor = look.Color(theme.ColorNameButton), fill
}
