package settings

import (
	"errors"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/texts"
)

const (
	// checkRest is how long typing rests before the node is asked whether it is right.
	checkRest = 350 * time.Millisecond
	// saveRest is how long choosing and painting rest before they are saved.
	saveRest = 500 * time.Millisecond
	// leaveRest is how long a field waits after it was left, in case its unit is chosen next.
	leaveRest = 400 * time.Millisecond
	// shortDefault is the longest default that a button tells, in runes.
	shortDefault = 28
)

// settingField is a setting with its editor. What is being done to it is a draft until the node has answered; nothing
// else takes its place meanwhile.
type settingField struct {
	d *desk.Desk
	// after is that of the page.
	after func(time.Duration, func())
	saver saver
	name  string
	is    api.Setting
	// draft is what was typed, chosen or painted and is not saved, nil if nothing is.
	draft any
	// wrong is what the node found wrong with it, nil if nothing.
	wrong error
	// again says that it was to be saved when the node was away.
	again bool
	// turn grows with all that is done, so that what was asked before is known as old.
	turn int

	editor  settingEditor
	box     *fyne.Container
	badge   *widget.Label
	reset   *controls.EnterButton
	problem *widget.Label
}

// saver keeps what was done to settings, or only checks it.
type saver interface {
	save(c change)
	check(key string, value any, then func(error))
}

// settingEditor is what a setting is changed with.
type settingEditor interface {
	object() fyne.CanvasObject
	// put shows the value of the node.
	put(api.Setting)
	// named reports whether it shows the name of the setting itself.
	named() bool
}

func newSettingField(p *Page, s api.Setting, row api.SettingsRow) *settingField {
	f := &settingField{d: p.d, after: p.after, saver: p, name: row.Label, is: s, problem: controls.NewFault()}
	f.badge = widget.NewLabel("")
	f.badge.SizeName, f.badge.Importance = theme.SizeNameCaptionText, widget.WarningImportance
	f.reset = controls.NewEnterButton("", widget.LowImportance, f.goBack)
	f.reset.Icon = controls.LineIcon{Shape: "M12 9a3 3 0 0 1 3 3a3 3 0 0 1-3 3a3 3 0 0 1-3-3a3 3 0 0 1 3-3z",
		Width: 4, Tint: theme.ColorNamePrimary}
	f.editor = newSettingEditor(f)
	right := container.NewHBox(f.badge, f.reset)
	if f.editor.named() {
		f.box = container.New(layout.NewCustomPaddedVBoxLayout(0),
			container.NewBorder(nil, nil, nil, container.NewCenter(right), f.editor.object()), f.problem)
	} else {
		head := container.NewBorder(nil, nil, nil, container.NewCenter(right), texts.Prose(f.name))
		f.box = container.New(layout.NewCustomPaddedVBoxLayout(0), head, boxes.Edge(f.editor.object()), f.problem)
	}
	if row.Note != "" {
		f.box.Add(texts.Fine(row.Note))
	}
	f.put(s)
	return f
}

// put takes what the node says. What is being typed stays.
func (f *settingField) put(s api.Setting) {
	f.is = s
	d := f.d
	badge := ""
	switch {
	case s.ReadOnly || s.Applies != api.AppliesRestart:
	case s.Pending:
		badge = d.T("set.pending")
	default:
		badge = d.T("set.restart")
	}
	texts.Set(f.badge, badge)
	boxes.Show(f.badge, badge != "")
	back := d.T("set.reset", "value", s.DefaultWords)
	// the name needs room beside them
	if badge != "" || utf8.RuneCountInString(s.DefaultWords) > shortDefault {
		back = d.T("set.reset.short")
	}
	if f.reset.Text != back {
		f.reset.SetText(back)
	}
	boxes.Show(f.reset, s.Set && !s.ReadOnly)
	if f.draft == nil {
		f.editor.put(s)
	}
	f.say(f.wrong)
}

// typed takes what is typed, and has the node check it when the typing rests.
func (f *settingField) typed(value any) {
	mine := f.begin(value)
	f.after(checkRest, func() {
		if mine != f.turn {
			return
		}
		if f.same(value) {
			f.say(nil)
			return
		}
		f.saver.check(f.is.Key, value, func(err error) {
			if mine == f.turn {
				f.say(err)
			}
		})
	})
}

// begin notes that something is done to the setting.
func (f *settingField) begin(value any) (turn int) {
	f.turn++
	f.draft, f.again = value, false
	return f.turn
}

// save keeps a value. Where it is wrong it stays to be put right, and what is wrong is said.
func (f *settingField) save(value any) {
	mine := f.begin(value)
	if f.same(value) {
		f.drop()
		return
	}
	f.saver.save(change{set: map[string]any{f.is.Key: value}, then: func(err error) {
		if mine != f.turn {
			return // something newer was done
		}
		f.say(err)
		f.again = errors.Is(err, api.ErrNotRunning)
		if err == nil {
			f.draft = nil
		}
	}})
}

// retry saves what the node was not there for.
func (f *settingField) retry() {
	if f.again {
		f.save(f.draft)
	}
}

// saveSoon keeps a value when nothing follows it for a moment.
func (f *settingField) saveSoon(value any) {
	mine := f.begin(value)
	f.say(nil)
	f.after(saveRest, func() {
		if mine == f.turn {
			f.save(value)
		}
	})
}

// left saves what was typed, unless the typing goes on in another part of the same field.
func (f *settingField) left(stays func() bool) {
	mine := f.turn
	if f.draft == nil {
		return
	}
	f.after(leaveRest, func() {
		if mine == f.turn && f.draft != nil && !stays() {
			f.save(f.draft)
		}
	})
}

// drop goes back to the node's value.
func (f *settingField) drop() {
	f.begin(nil)
	f.say(nil)
	f.editor.put(f.is)
}

// goBack resets the setting to its default.
func (f *settingField) goBack() {
	f.turn++
	f.saver.save(change{reset: []string{f.is.Key}, then: func(err error) {
		if err != nil {
			f.d.Say(f.d.Trouble(err), true)
			return
		}
		f.drop()
	}})
}

// same reports whether a value is that of the node already.
func (f *settingField) same(value any) bool {
	if rows, ok := value.([][]int); ok {
		return reflect.DeepEqual(rows, f.is.Levels) && f.is.Text != f.is.SameAs
	}
	if list, ok := value.([]string); ok {
		return reflect.DeepEqual(append([]string{}, list...), append([]string{}, listOf(f.is.Value)...))
	}
	return value == f.is.Text
}

// say says what is wrong, what would be right, and what holds meanwhile.
func (f *settingField) say(err error) {
	f.wrong = err
	if err == nil {
		controls.SetFault(f.problem, "")
		return
	}
	d := f.d
	text := sentenceOf(d.Trouble(err))
	if bad, ok := errors.AsType[*api.SettingError](err); ok && bad.Range != "" && !strings.Contains(text, bad.Range) {
		text += " " + d.T("set.allowed", "range", bad.Range)
	}
	controls.SetFault(f.problem, text+" "+d.T("set.inforce", "value", f.is.Words))
}

// sentenceOf ends a text as a sentence does.
func sentenceOf(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") ||
		strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

// editors are what settings are changed with, by their controls. What is not here is free text.
var editors = map[api.Control]func(holder) settingEditor{
	api.ControlSaid: newReadOnly, api.ControlSwitch: newYesNo, api.ControlChoice: newChoiceEditor,
	api.ControlTicks: newTicksEditor, api.ControlList: newListEditor, api.ControlAmount: newAmountEditor,
	api.ControlShare: newAmountEditor, api.ControlWeek: newWeekEditor, api.ControlText: newTextEditor,
}

func newSettingEditor(f *settingField) settingEditor {
	if make := editors[f.is.Control]; make != nil {
		return make(f)
	}
	return newTextEditor(f)
}

func (f *settingField) desk() *desk.Desk     { return f.d }
func (f *settingField) setting() api.Setting { return f.is }
func (f *settingField) label() string        { return f.name }
