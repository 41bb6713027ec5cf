package settings

import (
	"slices"
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

// amountEditor is a number, with its unit where there are several, a slider for shares, and a box for no limit.
type amountEditor struct {
	f     holder
	field *textField
	unit  *picker // nil where there is one unit
	units []string
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
	switch f.setting().Type {
	case typeSize:
		e.units = sizeUnits
	case typeTime:
		e.units = timeUnits
	}
	switch {
	case e.units != nil:
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
	if s.Type != typeWhole || s.Unit != "%" || s.Min == nil || s.Max == nil || *s.Max <= *s.Min {
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
	return amount{e.field.Text, unit}.String()
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
	s := e.f.setting()
	switch {
	case none:
		e.f.save(noLimit)
	case s.Text != noLimit:
		e.f.save(s.Text)
	case s.DefaultText != noLimit:
		e.f.save(s.DefaultText)
	case s.Type == typeSize:
		e.f.save("10 GB")
	case s.Max != nil:
		e.f.save(strconv.FormatInt(*s.Max, 10))
	default:
		e.f.save("100")
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
	a := amount{s.Text, ""}
	switch s.Type {
	case typeSize:
		a = splitSize(s.Text)
	case typeTime:
		a = splitTime(s.Text)
	}
	e.field.fill(a.number)
	if n, err := strconv.ParseFloat(a.number, 64); err == nil {
		e.slideTo(n)
	}
	if e.unit == nil {
		return
	}
	units := e.units
	if !slices.Contains(units, a.unit) {
		units = append([]string{a.unit}, units...)
	}
	names := slices.Clone(units)
	for i, unit := range units {
		if s.Type == typeTime {
			names[i] = e.f.desk().T("set.time." + unit)
		}
	}
	e.unit.fill(units, names, a.unit)
}
