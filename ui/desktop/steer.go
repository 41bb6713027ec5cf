package desktop

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
)

// runModes says when the node works, and changes it: one button for each mode.
type runModes struct {
	box     fyne.CanvasObject
	buttons map[api.RunMode]*widget.Button
}

func newRunModes(d *desk.Desk, node Node) *runModes {
	m := &runModes{buttons: map[api.RunMode]*widget.Button{}}
	var row []fyne.CanvasObject
	for _, mode := range []api.RunMode{api.RunAlways, api.RunAway, api.RunOff} {
		b := widget.NewButton(d.T("run."+string(mode)), func() { setRun(d, node, mode) })
		b.Importance = widget.LowImportance
		m.buttons[mode], row = b, append(row, b)
	}
	m.box = container.New(layout.NewCustomPaddedHBoxLayout(0), row...)
	return m
}

// setRun has the node take a mode.
func setRun(d *desk.Desk, node Node, mode api.RunMode) {
	set := func(ctx context.Context) error { return node.SetRun(ctx, mode) }
	d.Command(d.T("run."+string(mode)+".done"), set, nil)
}

// show shows which mode holds. Where nobody is watched, nobody is away.
func (m *runModes) show(l desk.Live) {
	for mode, b := range m.buttons {
		importance := widget.LowImportance
		if mode == l.Limits.Run {
			importance = widget.HighImportance
		}
		if b.Importance != importance {
			b.Importance = importance
			b.Refresh()
		}
	}
	if away := m.buttons[api.RunAway]; away.Disabled() != (len(l.Limits.Sensors) == 0) {
		if away.Disabled() {
			away.Enable()
		} else {
			away.Disable()
		}
	}
}

// newKeepGoing offers to work although the user is there: by buttons, and where these have no room, by a menu.
func newKeepGoing(d *desk.Desk, node Node) fyne.CanvasObject {
	work := func(length time.Duration) func() {
		return func() {
			d.Command(d.T("keep.done"), func(ctx context.Context) error { return node.Work(ctx, length) }, nil)
		}
	}
	label := widget.NewLabel(d.T("keep.menu"))
	label.TextStyle.Bold = true
	wide, items := container.NewHBox(layout.NewSpacer(), label), []*fyne.MenuItem{}
	for _, one := range []struct {
		key string
		do  func()
	}{
		{"keep.15m", work(15 * time.Minute)}, {"keep.1h", work(time.Hour)},
		{"run.always", func() { setRun(d, node, api.RunAlways) }},
	} {
		b := widget.NewButton(d.T(one.key), one.do)
		b.Importance = widget.HighImportance
		wide.Add(b)
		items = append(items, fyne.NewMenuItem(d.T(one.key), one.do))
	}
	narrow := controls.NewMenuButton(d.T("keep.menu"), func() []*fyne.MenuItem { return items })
	narrow.Importance = widget.HighImportance
	return container.New(widest{}, wide, container.NewHBox(layout.NewSpacer(), narrow))
}

// widest shows the first of some things that there is room for, else the last.
type widest struct{}

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
		boxes.Show(o, fits)
	}
}
