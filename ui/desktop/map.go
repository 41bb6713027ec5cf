//go:build windowmap

package desktop

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/controls"
)

// A window built with the tag "windowmap" writes where its widgets are, and what stands on them, to the file named by
// FORAGE_WINDOW_MAP, whenever that changes. Tests find there where to move the mouse, as a person does by looking.
// Programs that are given to users are built without it.

// knowsLab: the program of FORAGE_PROGRAM knows the flags of the tests' lab.
const knowsLab = true

// mapEvery is how often the window is looked at.
const mapEvery = 100 * time.Millisecond

// spot is a widget on the screen. Lengths are pixels from the left upper corner of the window; of what is scrolled
// out of sight only the visible part counts.
type spot struct {
	// Kind is the widget's type, as "Button".
	Kind string `json:"kind"`
	Text string `json:"text"`
	X    int    `json:"x"`
	Y    int    `json:"y"`
	W    int    `json:"w"`
	H    int    `json:"h"`
	// Live says that it answers to the mouse or to keys.
	Live     bool `json:"live,omitempty"`
	On       bool `json:"on,omitempty"`
	Disabled bool `json:"disabled,omitempty"`
	Focused  bool `json:"focused,omitempty"`
}

// chart has the map written until the window is closed.
func (w *Window) chart() {
	path := os.Getenv("FORAGE_WINDOW_MAP")
	if path == "" {
		return
	}
	w.d.Run(func() {
		last := ""
		for {
			select {
			case <-w.d.Ctx.Done():
				return
			case <-time.After(mapEvery):
			}
			spots := make(chan []spot, 1)
			w.d.UI(func() { spots <- survey(w.win.Canvas()) })
			select {
			case <-w.d.Ctx.Done():
				return
			case is := <-spots:
				text, err := json.Marshal(is)
				if err == nil && string(text) != last && os.WriteFile(path+".new", text, 0o600) == nil &&
					os.Rename(path+".new", path) == nil {
					last = string(text)
				}
			}
		}
	})
}

// rect is an area in Fyne's units.
type rect struct{ x, y, w, h float32 }

func (r rect) cut(o rect) rect {
	x, y := max(r.x, o.x), max(r.y, o.y)
	return rect{x, y, min(r.x+r.w, o.x+o.w) - x, min(r.y+r.h, o.y+o.h) - y}
}

// surveyor collects spots.
type surveyor struct {
	canvas fyne.Canvas
	spots  []spot
}

// survey lists what can be seen and reached: what lies over all else, or the content.
func survey(c fyne.Canvas) []spot {
	s := &surveyor{canvas: c}
	root := c.Content()
	if over := c.Overlays().Top(); over != nil {
		root = over
	}
	size := c.Size()
	s.walk(root, fyne.NewPos(0, 0), rect{0, 0, size.Width, size.Height})
	return s.spots
}

func (s *surveyor) walk(o fyne.CanvasObject, at fyne.Position, seen rect) {
	if o == nil || !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	area := rect{at.X, at.Y, o.Size().Width, o.Size().Height}.cut(seen)
	if area.w < 1 || area.h < 1 {
		return
	}
	if _, ok := o.(*container.Scroll); ok {
		seen = area
	}
	if wid, ok := o.(fyne.Widget); ok {
		s.note(wid, area)
	}
	for _, child := range children(o) {
		s.walk(child, at, seen)
	}
}

// note lists a widget that says something or answers to its user.
func (s *surveyor) note(o fyne.Widget, area rect) {
	switch o.(type) {
	case *container.Scroll, *widget.PopUp:
		return // what is in them counts
	}
	_, tappable := o.(fyne.Tappable)
	focusable, isFocusable := o.(fyne.Focusable)
	_, draggable := o.(fyne.Draggable)
	_, label := o.(*widget.Label)
	is := spot{Kind: kind(o), Text: reading(o), Live: tappable || isFocusable || draggable}
	if !is.Live && !label {
		return
	}
	switch o := o.(type) {
	case *widget.Check:
		is.On = o.Checked
		area.w = min(area.w, o.MinSize().Width) // the rest of it does not answer
	case *controls.TickBox:
		is.On = o.Checked
		area.w = min(area.w, o.MinSize().Width)
	case *navItem:
		is.On = o.selected
	}
	if d, ok := o.(fyne.Disableable); ok {
		is.Disabled = d.Disabled()
	}
	is.Focused = isFocusable && s.canvas.Focused() == focusable
	scale := s.canvas.Scale()
	is.X, is.Y, is.W, is.H = int(area.x*scale), int(area.y*scale), int(area.w*scale), int(area.h*scale)
	s.spots = append(s.spots, is)
}

func kind(o fyne.CanvasObject) string {
	name := fmt.Sprintf("%T", o)
	return name[strings.LastIndexByte(name, '.')+1:]
}

func children(o fyne.CanvasObject) []fyne.CanvasObject {
	switch o := o.(type) {
	case *fyne.Container:
		return o.Objects
	case fyne.Widget:
		return test.WidgetRenderer(o).Objects()
	}
	return nil
}

// reading is what stands on a widget.
func reading(o fyne.CanvasObject) string {
	switch o := o.(type) {
	case *widget.Label:
		return o.Text
	case *widget.Button:
		return o.Text
	case *widget.Check:
		return o.Text
	case *widget.Hyperlink:
		return o.Text
	case *widget.RichText:
		return o.String()
	case *widget.Entry:
		return o.Text
	case *widget.Select:
		return o.Selected
	case *canvas.Text:
		return o.Text
	}
	var parts []string
	for _, child := range children(o) {
		if text := reading(child); text != "" && child.Visible() {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}
