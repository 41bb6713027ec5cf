package settings

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
)

// noLimit is the text of a number that is none.
const noLimit = "-1"

// amountEditor is a number, with its unit where there are several, a slider for shares, and a box for no limit.
type amountEditor struct {
	f     holder
	field *textField
	unit  *picker        // nil where there is one unit
	slide *widget.Slider // nil where there is none
	track fyne.CanvasObject
	none  *controls.TickBox // nil where there must be a limit
	row   *fyne.Container
	box   *fyne.Container
	// sliding is while the slider is set by what is typed.
	sliding bool
}

func newAmountEditor(f holder) settingEditor {
	e := &amountEditor{f: f}
	e.field = newTextField(func(string) { e.typed() }, func(string) { f.save(e.text()) }, f.drop,
		func() { f.left(e.stays) })
	e.row = container.NewHBox(container.NewGridWrap(fyne.NewSize(92, e.field.MinSize().Height), e.field))
	switch {
	case len(f.setting().Units) > 0:
		e.unit = newPicker(func(string) { f.save(e.text()) })
		e.unit.lost = func() { f.left(e.stays) }
		e.row.Add(e.unit.framed(112))
	case f.setting().Unit != "":
		e.row.Add(widget.NewLabel(f.setting().Unit))
	}
	rest := e.slider()
	e.track = rest
	if f.setting().NoLimit {
		e.none = controls.NewTickBox(f.desk().T("set.nolimit"), e.turn)
		e.box = container.NewHBox(e.row, e.none)
		if rest != nil {
			e.box = container.NewBorder(nil, nil, e.row, e.none, rest)
		}
	} else {
		e.box = container.NewBorder(nil, nil, e.row, nil, rest)
	}
	return e
}

// slider makes one for a share of 100.
func (e *amountEditor) slider() fyne.CanvasObject {
	s := e.f.setting()
	if s.Control != api.ControlShare || s.Min == nil || s.Max == nil {
		return nil
	}
	e.slide = widget.NewSlider(float64(*s.Min), float64(*s.Max))
	e.slide.OnChanged = func(v float64) {
		if !e.sliding {
			text := strconv.FormatInt(int64(v), 10)
			e.field.fill(text)
			e.f.saveSoon(text)
		}
	}
	track := boxes.NewSurface(theme.ColorNameSeparator, "", 2, container.NewGridWrap(fyne.NewSize(1, 4)))
	return container.NewStack(container.NewVBox(layout.NewSpacer(), boxes.Edge(track), layout.NewSpacer()), e.slide)
}

func (e *amountEditor) object() fyne.CanvasObject { return e.box }
func (e *amountEditor) named() bool               { return false }

// text is what the field and the unit say together.
func (e *amountEditor) text() string {
	if e.unit == nil {
		return strings.TrimSpace(e.field.Text)
	}
	unit := ""
	if i := e.unit.SelectedIndex(); i >= 0 {
		unit = e.unit.values[i]
	}
	return strings.TrimSpace(strings.TrimSpace(e.field.Text) + " " + unit)
}

func (e *amountEditor) typed() {
	e.f.typed(e.text())
	if n, err := strconv.ParseFloat(strings.TrimSpace(e.field.Text), 64); err == nil {
		e.slideTo(n)
	}
}

func (e *amountEditor) slideTo(n float64) {
	if e.slide != nil && e.slide.Value != n {
		e.sliding = true
		e.slide.SetValue(n)
		e.sliding = false
	}
}

// stays reports whether the focus is still in this field, or a list of its hangs open.
func (e *amountEditor) stays() bool {
	c := fyne.CurrentApp().Driver().CanvasForObject(e.field)
	if c == nil {
		return false
	}
	is := c.Focused()
	return is == fyne.Focusable(e.field) || e.unit != nil && (is == fyne.Focusable(e.unit) || c.Overlays().Top() != nil)
}

// turn takes a limit away, or sets one again.
func (e *amountEditor) turn(none bool) {
	if none {
		e.f.save(noLimit)
	} else {
		e.f.save(e.f.setting().Limit)
	}
}

func (e *amountEditor) put(s api.Setting) {
	none := s.NoLimit && s.Text == noLimit
	if e.none != nil {
		e.none.Put(none)
	}
	boxes.Show(e.row, !none)
	if e.track != nil {
		boxes.Show(e.track, !none)
	}
	if none {
		return
	}
	e.field.fill(s.Number)
	if n, err := strconv.ParseFloat(s.Number, 64); err == nil {
		e.slideTo(n)
	}
	if e.unit == nil {
		return
	}
	var units, names []string
	for _, unit := range s.Units {
		units, names = append(units, unit.Text), append(names, unit.Name)
	}
	e.unit.fill(units, names, s.NumberUnit)
}
