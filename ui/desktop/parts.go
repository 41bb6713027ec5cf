package desktop

import (
	"image/color"
	"net/url"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/look"
)

// surface is a ground of a colour of the theme, with round corners and a thin line around.
type surface struct {
	widget.BaseWidget
	ground, line fyne.ThemeColorName // line is "" for none
	radius       float32
	inside       fyne.CanvasObject
}

func newSurface(ground, line fyne.ThemeColorName, radius float32, inside fyne.CanvasObject) *surface {
	s := &surface{ground: ground, line: line, radius: radius, inside: inside}
	s.ExtendBaseWidget(s)
	return s
}

// paint changes its ground.
func (s *surface) paint(ground fyne.ThemeColorName) {
	if s.ground != ground {
		s.ground = ground
		s.Refresh()
	}
}

// CreateRenderer implements fyne.Widget.
func (s *surface) CreateRenderer() fyne.WidgetRenderer {
	r := &surfaceRenderer{s: s, back: canvas.NewRectangle(color.Transparent)}
	r.Refresh()
	return r
}

type surfaceRenderer struct {
	s    *surface
	back *canvas.Rectangle
}

func (r *surfaceRenderer) Layout(size fyne.Size) {
	r.back.Resize(size)
	r.s.inside.Resize(size)
}
func (r *surfaceRenderer) MinSize() fyne.Size { return r.s.inside.MinSize() }
func (r *surfaceRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.back, r.s.inside}
}
func (r *surfaceRenderer) Destroy() {}
func (r *surfaceRenderer) Refresh() {
	r.back.FillColor = look.Color(r.s.ground)
	r.back.CornerRadius = r.s.radius
	r.back.StrokeWidth = 0
	if r.s.line != "" {
		r.back.StrokeColor, r.back.StrokeWidth = look.Color(r.s.line), 1
	}
	r.back.Refresh()
	r.s.inside.Refresh()
}

// pad puts an even margin around something.
func pad(by float32, inside fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(by, by, by, by), inside)
}

// card is a box with a title and what belongs together in it. note, which may be nil, stands at the
// right of the title.
func card(title string, note fyne.CanvasObject, inside ...fyne.CanvasObject) fyne.CanvasObject {
	var head fyne.CanvasObject = strong(title)
	if note != nil {
		head = container.NewBorder(nil, nil, nil, note, head)
	}
	rows := append([]fyne.CanvasObject{head}, inside...)
	return newSurface(look.Card, theme.ColorNameSeparator, 12, pad(12, container.NewVBox(rows...)))
}

// strong is a heading.
func strong(text string) *widget.Label {
	l := widget.NewLabelWithStyle(text, fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	l.SizeName = theme.SizeNameSubHeadingText
	return l
}

// prose is text that wraps.
func prose(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Wrapping = fyne.TextWrapWord
	return l
}

// fine is text that is less important, and small; it wraps.
func fine(text string) *widget.Label {
	l := prose(text)
	l.Importance = widget.LowImportance
	l.SizeName = theme.SizeNameCaptionText
	return l
}

// line is text that is cut with an ellipsis where there is no room.
func line(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

// setText changes a text only where it differs: each change draws the window again.
func setText(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// link is a text to click on.
func link(text string, tapped func()) *widget.Hyperlink {
	l := widget.NewHyperlink(text, nil)
	l.OnTapped = tapped
	return l
}

// figure is a number with what it counts below.
type figure struct {
	*fyne.Container
	value, name *widget.Label
}

func newFigure(name string) *figure {
	value := widget.NewLabelWithStyle("–", fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	value.SizeName = theme.SizeNameHeadingText
	under := fine(name)
	return &figure{container.New(layout.NewCustomPaddedVBoxLayout(-12), value, under), value, under}
}

func (f *figure) set(value string) { setText(f.value, value) }

// show shows or hides an object where that is a change.
func show(o fyne.CanvasObject, on bool) {
	switch {
	case on && !o.Visible():
		o.Show()
		redraw()
	case !on && o.Visible():
		o.Hide()
	}
}

// redraw has the window drawn again. The toolkit does not see to it where an object is shown that was never
// drawn before, nor where a container is.
func redraw() {
	for _, w := range fyne.CurrentApp().Driver().AllWindows() {
		if c, ok := w.Canvas().(interface{ SetDirty() }); ok {
			c.SetDirty()
		}
	}
}

// small is one line of text that is less important, cut where there is no room.
func small(text string) *widget.Label {
	l := line(text)
	l.Importance, l.SizeName = widget.LowImportance, theme.SizeNameCaptionText
	return l
}

// windowOf returns the window that an object is in, nil if it is in none.
func windowOf(o fyne.CanvasObject) fyne.Window {
	driver := fyne.CurrentApp().Driver()
	canvas := driver.CanvasForObject(o)
	for _, w := range driver.AllWindows() {
		if canvas != nil && w.Canvas() == canvas {
			return w
		}
	}
	return nil
}

// sameTexts reports whether two lists of labels, or rows of such, say the same.
func sameTexts(a, b []fyne.CanvasObject) bool {
	return slices.Equal(textsOf(a), textsOf(b))
}

// textsOf are the texts of labels and links, and of those in containers, in order.
func textsOf(objects []fyne.CanvasObject) []string {
	var texts []string
	for _, o := range objects {
		switch o := o.(type) {
		case *widget.Label:
			texts = append(texts, o.Text)
		case *widget.Hyperlink:
			texts = append(texts, o.Text)
		case *fyne.Container:
			texts = append(texts, textsOf(o.Objects)...)
		}
	}
	return texts
}

// web is a link to a page of the web, which opens in the browser.
func web(text, to string) *widget.Hyperlink {
	at, err := url.Parse(to)
	if err != nil {
		at = nil // of a constant
	}
	return widget.NewHyperlink(text, at)
}

// tight puts texts below each other as the lines of one.
func tight(rows ...fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedVBoxLayout(-8), rows...)
}

// marked are sentences with a mark before each.
func marked(texts ...string) []fyne.CanvasObject {
	var rows []fyne.CanvasObject
	for _, text := range texts {
		mark := widget.NewIcon(theme.NewPrimaryThemedResource(theme.ConfirmIcon()))
		at := container.New(layout.NewCustomPaddedLayout(9, 0, 8, 0),
			container.NewVBox(container.NewGridWrap(fyne.NewSquareSize(16), mark)))
		rows = append(rows, container.NewBorder(nil, nil, at, nil, prose(text)))
	}
	return rows
}

// newMenuButton is a button below which a menu opens.
func newMenuButton(text string, items func() []*fyne.MenuItem) *widget.Button {
	var b *widget.Button
	b = widget.NewButtonWithIcon(text, theme.MenuDropDownIcon(), func() {
		driver := fyne.CurrentApp().Driver()
		canvas := driver.CanvasForObject(b)
		if canvas == nil {
			return
		}
		menu := widget.NewPopUpMenu(fyne.NewMenu("", items()...), canvas)
		at := driver.AbsolutePositionForObject(b)
		menu.ShowAtPosition(at.Add(fyne.NewPos(b.Size().Width-menu.MinSize().Width, b.Size().Height)))
	})
	b.IconPlacement = widget.ButtonIconTrailingText
	return b
}

// widest shows the first of some things that there is room for, else the last.
type widest struct{}

// showDialog shows a dialog that the key Escape closes, too.
func showDialog(box dialog.Dialog, win fyne.Window) {
	c := win.Canvas()
	before := c.OnTypedKey()
	c.SetOnTypedKey(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape {
			box.Hide()
		}
	})
	box.SetOnClosed(func() { c.SetOnTypedKey(before) })
	box.Show()
}

// fit cuts a text that is wider than a width, and says so with an ellipsis.
func fit(text string, size float32, style fyne.TextStyle, width float32) string {
	wide := func(s string) bool { return fyne.MeasureText(s, size, style).Width > width }
	if text == "" || !wide(text) {
		return text
	}
	runes := []rune(text)
	low, high := 0, len(runes)
	for low < high {
		mid := (low + high + 1) / 2
		if wide(string(runes[:mid]) + "…") {
			high = mid - 1
		} else {
			low = mid
		}
	}
	if low == 0 {
		return ""
	}
	return string(runes[:low]) + "…"
}

// MinSize implements fyne.Layout.
func (widest) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return objects[len(objects)-1].MinSize()
}

// Layout implements fyne.Layout.
func (widest) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	found := false
	for i, o := range objects {
		fits := !found && (i == len(objects)-1 || o.MinSize().Width <= size.Width)
		if found = found || fits; fits {
			o.Resize(size)
			o.Move(fyne.Position{})
		}
		show(o, fits)
	}
}
