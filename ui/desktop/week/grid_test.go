package week

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desktest"
)

// easel is a week to paint in a window, and what was painted.
type easel struct {
	*desktest.Bench
	p       *Painter
	win     fyne.Window
	painted []Week
}

func newEasel(t *testing.T, lang, theme, text string) *easel {
	t.Helper()
	e := &easel{Bench: desktest.NewBench(t, lang, theme)}
	e.Now = desktest.AtNoon
	e.p = NewPainter(e.Desk, func(w Week) { e.painted = append(e.painted, w) })
	e.p.Put(mustWeek(t, text), desktest.Said(t, lang, text)+".")
	e.win = test.NewTempWindow(t, e.p.Box)
	e.win.SetPadded(false)
	e.win.Resize(fyne.NewSize(860, 420))
	desktest.Settle(e.win)
	return e
}

// middle is where a cell is; row -1 are the hours and column -1 the days.
func (e *easel) middle(row, column int) fyne.Position {
	size := e.p.Grid.Size()
	at := fyne.NewPos(gridLeft/2, gridTop/2)
	if column >= 0 {
		at.X = gridLeft + (float32(column)+0.5)*(size.Width-gridLeft)/dayCells
	}
	if row >= 0 {
		at.Y = gridTop + (float32(row)+0.5)*(size.Height-gridTop)/weekDays
	}
	return at
}

func (e *easel) press(at fyne.Position) {
	e.p.Grid.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at},
		Button: desktop.MouseButtonPrimary})
}

func (e *easel) drag(to fyne.Position) {
	e.p.Grid.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: to}})
}

func (e *easel) release() {
	e.p.Grid.MouseUp(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary})
	e.p.Grid.DragEnd()
}

func (e *easel) keys(names ...fyne.KeyName) {
	for _, name := range names {
		e.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
	}
}

func (e *easel) want(t *testing.T, text string) {
	t.Helper()
	if e.p.Grid.week != mustWeek(t, text) {
		w := e.p.Grid.week
		t.Errorf("the week is %v, want %q", w.Rows(), text)
	}
}

func TestWeekGrid_PaintsWithTheMouse(t *testing.T) {
	e := newEasel(t, "en", "light", "all full")
	e.press(e.middle(0, 36))
	e.drag(e.middle(2, 50))
	e.drag(e.middle(4, 69))
	if len(e.painted) != 0 {
		t.Error("a stroke counts before it ends")
	}
	e.p.Put(mustWeek(t, "all gentle"), "Gently.") // what the node says waits for the end of the stroke
	e.release()
	e.want(t, "all full; mon-fri 09:00-17:30 off")
	if len(e.painted) != 1 {
		t.Fatalf("painted %d times", len(e.painted))
	}
	if got := e.p.summary.Text; got != "" {
		t.Errorf("it says %q, which was before", got)
	}
	test.Tap(e.p.brushes[1])
	e.press(e.middle(6, 92))
	e.drag(e.middle(6, 95).AddXY(500, 500)) // beyond the edge is the edge
	e.release()
	e.want(t, "all full; mon-fri 09:00-17:30 off; sun 23:00-24:00 gentle")
	e.press(e.middle(6, 92))
	e.drag(e.middle(0, 0).SubtractXY(500, 500))
	e.p.Grid.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	e.release()
	e.want(t, "all full; mon-fri 09:00-17:30 off; sun 23:00-24:00 gentle")
	e.p.Grid.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: e.middle(0, 0)},
		Button: desktop.MouseButtonSecondary})
	e.release()
	if len(e.painted) != 2 {
		t.Errorf("painted %d times", len(e.painted))
	}
}

func TestWeekGrid_HeadsPaintDaysAndHours(t *testing.T) {
	e := newEasel(t, "en", "light", "all full")
	e.press(e.middle(5, -1))
	e.release()
	e.press(e.middle(-1, 13)) // 03:00
	e.release()
	e.want(t, "all full; sat 00:00-03:00 off; sat 04:00-24:00 off")
	e.press(e.middle(-1, 13))
	e.release()
	e.want(t, "all full; sat off; all 03:00-04:00 off")
	n := len(e.painted)
	e.press(fyne.NewPos(2, 2)) // the corner
	e.release()
	if len(e.painted) != n {
		t.Error("the corner paints")
	}
}

func TestWeekGrid_PaintsByKeys(t *testing.T) {
	e := newEasel(t, "en", "light", "all full")
	controls.Focus(e.p.Grid)
	e.keys(fyne.KeyDown, fyne.KeyRight, fyne.KeySpace)
	e.want(t, "all full; tue 00:15-00:30 off")
	e.p.Grid.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
	e.keys(fyne.KeyRight, fyne.KeyRight, fyne.KeyDown)
	e.p.Grid.KeyUp(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
	e.want(t, "all full; tue 00:15-01:00 off; wed 00:45-01:00 off")
	if got := e.p.said.Text; got != "Wednesday 00:45 not allowed" {
		t.Errorf("it says %q", got)
	}
	e.keys(fyne.KeyPageDown, fyne.KeyEnd, fyne.KeyReturn)
	e.want(t, "all full; tue 00:15-01:00 off; wed 00:45-01:00 off; sun 23:45-24:00 off")
	e.keys(fyne.KeyHome, fyne.KeyLeft, fyne.KeySpace, fyne.KeySpace) // the head of Sunday
	if got := e.p.said.Text; got != "Sunday: the whole day" {
		t.Errorf("it says %q", got)
	}
	e.want(t, "all full; tue 00:15-01:00 off; wed 00:45-01:00 off; sun off")
	e.keys(fyne.KeyPageUp, fyne.KeyUp, fyne.KeyRight, fyne.KeyRight, fyne.KeySpace, fyne.KeyLeft, fyne.KeyLeft,
		fyne.KeyLeft, fyne.KeyLeft)
	e.want(t, "all full; tue 00:15-01:00 off; wed 00:45-01:00 off; sun 00:00-02:00 off; sun 03:00-24:00 off")
	if p := e.p.Grid.place; p != (weekPlace{-1, 0}) {
		t.Errorf("the keyboard is at %v", p)
	}
	e.keys(fyne.KeyDown, fyne.KeyLeft, fyne.KeyUp)
	if p := e.p.Grid.place; p != (weekPlace{0, -1}) {
		t.Errorf("the keyboard is at %v", p)
	}
}

func TestWeekGrid_SaysWhatIsUnderThePointer(t *testing.T) {
	e := newEasel(t, "de", "light", "all full; tue 14:00-15:00 gentle")
	e.p.Grid.MouseIn(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: e.middle(1, 57)}})
	if got := e.p.said.Text; got != "Dienstag, 14:15 Uhr: sanft erlaubt" {
		t.Errorf("it says %q", got)
	}
	e.p.Grid.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: e.middle(-1, 57)}})
	if e.p.Grid.Cursor() != desktop.PointerCursor || e.p.said.Text != e.T("week.hour", "hour", "14:00") {
		t.Errorf("it says %q", e.p.said.Text)
	}
	e.p.Grid.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(1, 1)}})
	if got := e.p.said.Text; got != "" {
		t.Errorf("it says %q in the corner", got)
	}
}

func TestWeekGrid_Looks(t *testing.T) {
	for theme, stored := range map[string]string{"light": "weekgrid", "dark": ""} {
		e := newEasel(t, "en", theme, "all full; mon-fri 09:00-17:30 off; sat,sun 10:00-22:00 gentle")
		controls.Focus(e.p.Grid)
		e.keys(fyne.KeyDown, fyne.KeyDown, fyne.KeyRight, fyne.KeyRight)
		desktest.PictureOf(t, stored, e.win.Canvas(), theme == "dark")
	}
}

// Where nothing changed, nothing is drawn again.
func TestWeekGrid_DrawsOnce(t *testing.T) {
	e := newEasel(t, "en", "light", "all full")
	r := test.WidgetRenderer(e.p.Grid).(*weekRenderer)
	img := r.draw(700, 200)
	r.img.Pix[0] = 7
	e.p.Grid.Refresh()
	if r.draw(700, 200); r.img != img || r.img.Pix[0] != 7 {
		t.Error("the same week is drawn twice")
	}
	e.p.Put(mustWeek(t, "all off"), "Never.")
	if r.draw(700, 200); r.img.Pix[0] == 7 {
		t.Error("another week is not drawn")
	}
}

// What is painted on stays where it is under the mouse; the keyboard brings it into sight.
func TestWeekGrid_StaysUnderTheMouse(t *testing.T) {
	e := newEasel(t, "en", "light", "all full")
	scroll := container.NewVScroll(e.p.Box)
	e.win.SetContent(scroll)
	e.win.Resize(fyne.NewSize(860, 200))
	desktest.Settle(e.win)
	e.press(e.middle(0, 10))
	if scroll.Offset.Y != 0 {
		t.Errorf("it moves by %v when it is pressed", scroll.Offset.Y)
	}
	e.release()
	e.win.Canvas().Unfocus()
	e.win.Canvas().Focus(e.p.Grid)
	if scroll.Offset.Y == 0 {
		t.Error("the keyboard is at what cannot be seen")
	}
}
