package overview

import (
	"image"
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/ring"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
)

// ringView shows the Ring. It is drawn when frame is called, never by itself.
type ringView struct {
	widget.BaseWidget
	ring *ring.Ring
	now  func() time.Time
	// label says what it is to who does not see it.
	label string
	// changed is called when the user points elsewhere, chosen when they choose a mode by its number.
	changed func()
	chosen  func(ring.Mode)

	raster  *canvas.Raster
	focused bool
	// wide is how many pixels the picture was drawn with from side to side.
	wide int
	// asked is when a frame was last asked for that was not drawn since; zero if none is on its way.
	asked time.Time
}

var (
	_ fyne.Focusable    = (*ringView)(nil)
	_ fyne.Tappable     = (*ringView)(nil)
	_ desktop.Hoverable = (*ringView)(nil)
	_ fyne.Accessible   = (*ringView)(nil)
)

// Sides of the picture, which is a square.
const (
	leastRing = 240
	mostRing  = 520
)

func newRingView(now func() time.Time, changed func(), chosen func(ring.Mode)) *ringView {
	v := &ringView{
		ring: ring.New(ringFonts()), now: now, changed: changed, chosen: chosen,
	}
	v.raster = canvas.NewRaster(v.draw)
	v.ExtendBaseWidget(v)
	return v
}

// draw paints the picture as it is now. The driver calls it, on the UI goroutine, when a frame was asked for.
func (v *ringView) draw(w, h int) image.Image {
	v.asked, v.wide = time.Time{}, w
	scale := 1.0
	if side := v.raster.Size().Width; side > 0 {
		scale = float64(w) / float64(side)
	}
	img := v.ring.Draw(w, h, scale, v.now())
	// Fyne takes this kind as it is, and copies others. The picture is opaque, so that both kinds say the same.
	return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
}

// stuck is after how long a frame that was not drawn is asked for again: the window may be away, or the
// picture scrolled out of sight.
const stuck = 2 * time.Second

// frame asks for a frame if one is due, and reports whether it did. There is none behind a dialog or a menu: what is
// under a dialog is drawn blurred, which is dear.
func (v *ringView) frame(now time.Time) bool {
	if c := fyne.CurrentApp().Driver().CanvasForObject(v.raster); c == nil || c.Overlays().Top() != nil {
		return false
	}
	due, ok := v.ring.Next(now)
	if !ok || due.After(now) {
		return false
	}
	if since := now.Sub(v.asked); !v.asked.IsZero() && since >= 0 && since < stuck {
		return false
	}
	v.asked = now
	v.raster.Refresh()
	return true
}

// ringFonts are those of the window.
func ringFonts() paint.Fonts {
	return paint.Fonts{Regular: theme.DefaultTextFont().Content(), Bold: theme.DefaultTextBoldFont().Content()}
}

// ringLook is the colours of the picture in the theme that is in force.
func ringLook() palette.Look {
	l := palette.In(look.Dark())
	if back, ok := look.Color(theme.ColorNameBackground).(color.NRGBA); ok {
		l.Back = back
		if _, ok := fyne.CurrentApp().Driver().(desktop.Driver); ok {
			l.Back = cleared(back)
		}
	}
	return l
}

// cleared is what becomes of the window's ground on a screen. Fyne 2.8.1 divides by 255 times 255 there where
// 255 times 257 is meant, so that light ones are lighter; beside it the ground of a picture would be seen as a
// square.
func cleared(c color.NRGBA) color.NRGBA {
	lighter := func(v uint8) uint8 { return uint8(min((int(v)*257+127)/255, 255)) }
	return color.NRGBA{lighter(c.R), lighter(c.G), lighter(c.B), c.A}
}

// point points to what is at a place of the view.
func (v *ringView) point(at fyne.Position) {
	side := v.raster.Size().Width
	if side <= 0 {
		return
	}
	at = at.Subtract(v.raster.Position())
	pixels := float64(v.wide) / float64(side)
	if spot, ok := v.ring.Hit(float64(at.X)*pixels, float64(at.Y)*pixels); ok {
		v.ring.Point(spot)
	} else {
		v.ring.Unpoint()
	}
	v.changed()
}

func (v *ringView) unpoint() {
	v.ring.Unpoint()
	v.changed()
}

// Tapped implements fyne.Tappable: who taps goes on with the keys.
func (v *ringView) Tapped(e *fyne.PointEvent) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil {
		c.Focus(v)
	}
	v.point(e.Position)
}

// MouseIn implements desktop.Hoverable, as do MouseMoved and MouseOut.
func (v *ringView) MouseIn(e *desktop.MouseEvent) { v.point(e.Position) }

// MouseMoved implements desktop.Hoverable.
func (v *ringView) MouseMoved(e *desktop.MouseEvent) { v.point(e.Position) }

// MouseOut implements desktop.Hoverable.
func (v *ringView) MouseOut() { v.unpoint() }

// FocusGained implements fyne.Focusable.
func (v *ringView) FocusGained() { v.focused = true; v.Refresh() }

// FocusLost implements fyne.Focusable.
func (v *ringView) FocusLost() {
	v.focused = false
	v.Refresh()
	v.unpoint()
}

// TypedRune implements fyne.Focusable: numbers choose what is shown.
func (v *ringView) TypedRune(r rune) {
	switch r {
	case '1':
		v.chosen(ring.ModeRing)
	case '2':
		v.chosen(ring.ModeSwarm)
	}
}

// steps are where keys lead.
var steps = map[fyne.KeyName]ring.Step{
	fyne.KeyRight: ring.Next, fyne.KeyUp: ring.Next,
	fyne.KeyLeft: ring.Previous, fyne.KeyDown: ring.Previous,
	fyne.KeyPageUp: ring.NextPart, fyne.KeyPageDown: ring.PreviousPart,
	fyne.KeyHome: ring.First, fyne.KeyEnd: ring.Last,
}

// TypedKey implements fyne.Focusable.
func (v *ringView) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeyEscape {
		v.unpoint()
		return
	}
	if step, ok := steps[e.Name]; ok {
		v.ring.Step(step)
		v.changed()
	}
}

// AccessibilityLabel implements fyne.Accessible.
func (v *ringView) AccessibilityLabel() string { return v.label }

// AccessibilityRole implements fyne.Accessible.
func (v *ringView) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// CreateRenderer implements fyne.Widget.
func (v *ringView) CreateRenderer() fyne.WidgetRenderer {
	r := &ringRenderer{v: v, edge: canvas.NewRectangle(color.Transparent)}
	r.edge.CornerRadius = 8
	r.style()
	return r
}

type ringRenderer struct {
	v    *ringView
	edge *canvas.Rectangle
}

func (r *ringRenderer) Layout(size fyne.Size) {
	side := min(size.Width, size.Height, mostRing)
	square := fyne.NewSquareSize(side)
	at := fyne.NewPos((size.Width-side)/2, 0)
	r.v.raster.Resize(square)
	r.v.raster.Move(at)
	r.edge.Resize(square)
	r.edge.Move(at)
}

func (r *ringRenderer) MinSize() fyne.Size {
	return fyne.NewSize(leastRing, max(leastRing, min(mostRing, r.v.Size().Width)))
}

func (r *ringRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.v.raster, r.edge}
}

func (r *ringRenderer) Destroy() {}

func (r *ringRenderer) Refresh() {
	r.style()
	r.edge.Refresh()
	r.v.raster.Refresh()
}

func (r *ringRenderer) style() {
	r.v.ring.SetLook(ringLook())
	r.edge.StrokeWidth = 0
	if r.v.focused {
		r.edge.StrokeColor, r.edge.StrokeWidth = look.Color(theme.ColorNamePrimary), 2
	}
}
