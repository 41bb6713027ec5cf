package settings

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/texts"
	"github.com/forage-net/forage/ui/desktop/week"
)

// holder is what an editor says what is done to: the field of a setting.
type holder interface {
	desk() *desk.Desk
	setting() api.Setting
	// label is what the setting is called here.
	label() string
	typed(value any)
	save(value any)
	saveSoon(value any)
	left(stays func() bool)
	drop()
}

// readOnly shows a setting that is changed elsewhere.
type readOnly struct{ *widget.Label }

func newReadOnly(holder) settingEditor { return readOnly{texts.Prose("")} }

func (e readOnly) object() fyne.CanvasObject { return e.Label }
func (e readOnly) named() bool               { return false }
func (e readOnly) put(s api.Setting)         { texts.Set(e.Label, s.Words) }

// yesNo is a box to tick, with the name beside it.
type yesNo struct{ *controls.TickBox }

func newYesNo(f holder) settingEditor {
	return yesNo{controls.NewTickBox(f.label(), func(on bool) {
		if on {
			f.save("yes")
		} else {
			f.save("no")
		}
	})}
}

func (e yesNo) object() fyne.CanvasObject { return e.TickBox }
func (e yesNo) named() bool               { return true }
func (e yesNo) put(s api.Setting)         { e.TickBox.Put(s.Value == true) }

// picker is a list to choose from that tells only of what its user chose.
type picker struct {
	widget.Select
	values  []string
	filling bool
	lost    func()
}

func newPicker(chosen func(value string)) *picker {
	p := &picker{}
	p.OnChanged = func(string) {
		if i := p.SelectedIndex(); !p.filling && i >= 0 && i < len(p.values) {
			chosen(p.values[i])
		}
	}
	p.ExtendBaseWidget(p)
	return p
}

// framed puts a line around it, without which it is not to be told from its ground.
func (p *picker) framed(width float32) fyne.CanvasObject {
	return boxes.NewSurface(theme.ColorNameInputBackground, theme.ColorNameInputBorder, theme.InputRadiusSize(),
		boxes.Pad(1, container.NewGridWrap(fyne.NewSize(width, p.MinSize().Height), p)))
}

// FocusGained implements fyne.Focusable.
func (p *picker) FocusGained() { p.Select.FocusGained(); controls.Reveal(p) }

// FocusLost implements fyne.Focusable.
func (p *picker) FocusLost() {
	p.Select.FocusLost()
	if p.lost != nil {
		p.lost()
	}
}

// fill shows values, by their names, and the one that is chosen.
func (p *picker) fill(values, names []string, is string) {
	i := slices.Index(values, is)
	if i < 0 || i >= len(names) || slices.Equal(p.values, values) && slices.Equal(p.Options, names) &&
		p.Selected == names[i] {
		return
	}
	p.filling = true
	p.values = slices.Clone(values)
	p.Options = slices.Clone(names)
	p.SetSelectedIndex(i)
	p.filling = false
}

// choiceEditor is one of a few.
type choiceEditor struct{ picker *picker }

func newChoiceEditor(f holder) settingEditor {
	return choiceEditor{newPicker(func(value string) { f.saveSoon(value) })}
}

func (e choiceEditor) object() fyne.CanvasObject {
	return container.NewHBox(e.picker.framed(280))
}

func (e choiceEditor) named() bool { return false }

func (e choiceEditor) put(s api.Setting) {
	choices, names := s.Choices, s.ChoiceNames
	if !slices.Contains(choices, s.Text) {
		choices, names = append(slices.Clone(choices), s.Text), append(slices.Clone(names), s.Text)
	}
	e.picker.fill(choices, names, s.Text)
}

// textField is a line to type in. Enter keeps it, Escape goes back, and leaving it keeps it too.
type textField struct {
	widget.Entry
	filling   bool
	cancelled func()
	lost      func()
}

func newTextField(typed, entered func(string), cancelled, lost func()) *textField {
	t := &textField{cancelled: cancelled, lost: lost}
	t.OnChanged = func(text string) {
		if !t.filling {
			typed(text)
		}
	}
	t.OnSubmitted = entered
	t.ExtendBaseWidget(t)
	return t
}

// TypedKey implements fyne.Focusable.
func (t *textField) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeyEscape {
		t.cancelled()
		return
	}
	t.Entry.TypedKey(e)
}

// FocusGained implements fyne.Focusable.
func (t *textField) FocusGained() { t.Entry.FocusGained(); controls.Reveal(t) }

// FocusLost implements fyne.Focusable.
func (t *textField) FocusLost() { t.Entry.FocusLost(); t.lost() }

// fill shows a text without telling anybody.
func (t *textField) fill(text string) {
	if t.Text != text {
		t.filling = true
		t.SetText(text)
		t.filling = false
	}
}

// textEditor is free text.
type textEditor struct{ field *textField }

func newTextEditor(f holder) settingEditor {
	return textEditor{newTextField(func(text string) { f.typed(text) }, func(text string) { f.save(text) }, f.drop,
		func() { f.left(never) })}
}

func never() bool { return false }

func (e textEditor) object() fyne.CanvasObject { return e.field }
func (e textEditor) named() bool               { return false }
func (e textEditor) put(s api.Setting)         { e.field.fill(s.Text) }

// weekEditor is a week to paint; it may be the same as another.
type weekEditor struct {
	f       holder
	same    *controls.TickBox // nil where there is no other
	painter *week.Painter
	box     *fyne.Container
}

func newWeekEditor(f holder) settingEditor {
	e := &weekEditor{f: f}
	e.painter = week.NewPainter(f.desk(), func(w week.Week) { f.saveSoon(w.Rows()) })
	e.box = container.NewVBox(e.painter.Box)
	if f.setting().SameAs != "" {
		e.same = controls.NewTickBox(f.desk().T("set.week.same"), e.turn)
		e.box = container.NewVBox(e.same, e.painter.Box)
	}
	return e
}

func (e *weekEditor) object() fyne.CanvasObject { return e.box }
func (e *weekEditor) named() bool               { return false }

// turn makes the week the same as the other, or gives it one of its own, which begins as that.
func (e *weekEditor) turn(same bool) {
	if same {
		e.f.save(e.f.setting().SameAs)
		return
	}
	w := e.painter.Painted()
	e.f.save(w.Rows())
}

func (e *weekEditor) put(s api.Setting) {
	if w, ok := week.Of(s.Levels); ok {
		e.painter.Put(w, s.Words+".")
	}
	if e.same != nil {
		e.same.Put(s.Text == s.SameAs)
		boxes.Show(e.painter.Box, s.Text != s.SameAs)
	}
}
