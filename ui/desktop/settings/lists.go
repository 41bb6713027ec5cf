package settings

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// ticksEditor is a list of which each item is one of a few.
type ticksEditor struct {
	f     holder
	boxes []*controls.TickBox
	row   *fyne.Container
}

func newTicksEditor(f holder) settingEditor {
	e := &ticksEditor{f: f, row: container.New(&layouts.Flow{Gap: 8})}
	for _, name := range f.setting().ChoiceNames {
		box := controls.NewTickBox(name, func(bool) { f.saveSoon(e.list()) })
		e.boxes = append(e.boxes, box)
		e.row.Add(box)
	}
	return e
}

func (e *ticksEditor) list() []string {
	list := []string{}
	for i, box := range e.boxes {
		if box.Checked && i < len(e.f.setting().Choices) {
			list = append(list, e.f.setting().Choices[i])
		}
	}
	return list
}

func (e *ticksEditor) object() fyne.CanvasObject { return e.row }
func (e *ticksEditor) named() bool               { return false }

func (e *ticksEditor) put(s api.Setting) {
	list := listOf(s.Value)
	for i, box := range e.boxes {
		box.Put(i < len(s.Choices) && slices.Contains(list, s.Choices[i]))
	}
}

// listEditor is a list of anything.
type listEditor struct {
	f     holder
	items []string
	rows  *fyne.Container
	field *textField
	add   *controls.EnterButton
	box   *fyne.Container
}

func newListEditor(f holder) settingEditor {
	d := f.desk()
	e := &listEditor{f: f, rows: container.New(layout.NewCustomPaddedVBoxLayout(-2))}
	e.field = newTextField(func(string) {}, func(string) { e.more() }, func() { e.field.fill(""); f.drop() }, func() {})
	e.add = controls.NewEnterButton(d.T("set.list.add"), widget.MediumImportance, e.more)
	e.box = container.NewVBox(e.rows, container.NewBorder(nil, nil, nil, e.add, e.field))
	return e
}

func (e *listEditor) object() fyne.CanvasObject { return e.box }
func (e *listEditor) named() bool               { return false }

// more adds what was typed.
func (e *listEditor) more() {
	item := strings.TrimSpace(e.field.Text)
	if item == "" || slices.Contains(e.items, item) {
		return
	}
	list := append(slices.Clone(e.items), item)
	e.field.fill("")
	e.show(list)
	e.f.save(list)
}

func (e *listEditor) put(s api.Setting) { e.show(listOf(s.Value)) }

func (e *listEditor) show(list []string) {
	if slices.Equal(e.items, list) {
		return
	}
	e.items = list
	e.rows.Objects = nil
	for _, item := range list {
		away := controls.NewEnterButton("", widget.LowImportance, func() { e.less(item) })
		away.Icon = theme.CancelIcon()
		e.rows.Add(container.NewBorder(nil, nil, nil, away, texts.Line(item)))
	}
	e.rows.Refresh()
}

func (e *listEditor) less(item string) {
	list := slices.DeleteFunc(slices.Clone(e.items), func(is string) bool { return is == item })
	e.show(list)
	e.f.save(append([]string{}, list...))
}

// listOf reads the value of a list.
func listOf(value any) (list []string) {
	switch is := value.(type) {
	case []string:
		return slices.Clone(is)
	case []any:
		for _, item := range is {
			if text, ok := item.(string); ok {
				list = append(list, text)
			}
		}
	}
	return list
}
