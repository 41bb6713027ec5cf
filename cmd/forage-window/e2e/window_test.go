//go:build linux

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/ui/open"
)

// window is a window on the screen, as its user has it.
type window struct {
	*lab
	t   *testing.T
	pid int
	p   *process // nil if the test did not start it itself
	id  string   // of the X server
}

// spot is a widget in the window, as ui/desktop/map.go writes it.
type spot struct {
	Kind, Text                  string
	X, Y, W, H                  int
	Live, On, Disabled, Focused bool
}

func (s spot) middle() image.Point { return image.Pt(s.X+s.W/2, s.Y+s.H/2) }

// window starts the window's program, and waits until something is to be seen.
func (l *lab) window(args ...string) *window {
	l.t.Helper()
	p := l.launchDrawn(args...)
	w := &window{lab: l, t: l.t, pid: p.cmd.Process.Pid, p: p}
	l.t.Cleanup(func() {
		if l.t.Failed() {
			l.keepScreen()
		}
		p.kill()
		if l.t.Failed() {
			l.t.Logf("the window said:\n%s", tail(p.out.String()))
		}
	})
	w.appears()
	return w
}

// launchDrawn starts the window's program until it has drawn something, or ends: on a busy computer its first frame
// may come so late that it takes OpenGL for missing.
func (l *lab) launchDrawn(args ...string) (p *process) {
	l.t.Helper()
	for range 3 {
		var err error
		if p, err = l.launchWindow(args...); err != nil {
			l.t.Fatal(err)
		}
		await(l.t, "the window is drawn", func() bool {
			_, err := os.Stat(l.mapFile())
			return err == nil || p.gone()
		})
		if !p.gone() || p.exit() != open.ExitNoWindow {
			break
		}
	}
	return p
}

// keepScreen keeps a picture of the screen as a failed test leaves it.
func (l *lab) keepScreen() {
	img, err := l.screen()
	path := filepath.Join(os.TempDir(), "forage-"+filepath.Base(l.t.Name())+".png")
	if err == nil && writePNG(path, img) == nil {
		l.t.Logf("the screen is in %s", path)
	}
}

func (l *lab) launchWindow(args ...string) (*process, error) {
	os.Remove(l.mapFile())
	p, err := launch(l.env, filepath.Join(programs, "forage-window"), append([]string{"--home", l.home}, args...)...)
	if err == nil {
		l.t.Cleanup(func() { l.inOrder(p.out.String()) })
	}
	return p, err
}

// windows lists the processes of windows of this lab.
func (l *lab) windows() []int { return living("FORAGE_PROGRAM="+l.starter(), "forage-window") }

// appeared waits for the window that another program has started.
func (l *lab) appeared() *window {
	l.t.Helper()
	w := &window{lab: l, t: l.t}
	await(l.t, "a window is started", func() bool {
		for _, pid := range l.windows() {
			w.pid = pid
		}
		return w.pid != 0
	})
	l.t.Cleanup(func() {
		if l.t.Failed() {
			l.keepScreen()
		}
		syscall.Kill(w.pid, syscall.SIGKILL)
	})
	w.appears()
	return w
}

func (l *lab) mapFile() string { return filepath.Join(filepath.Dir(l.home), "map") }

func (w *window) appears() {
	w.t.Helper()
	await(w.t, "the window is on the screen", func() bool {
		if w.p != nil && w.p.gone() {
			w.t.Fatalf("the window ended with %d:\n%s", w.p.exit(), w.p.out.String())
		}
		out, _ := w.do("xdotool", "search", "--onlyvisible", "--pid", strconv.Itoa(w.pid))
		ids := strings.Fields(out)
		if len(ids) > 0 {
			w.id = ids[len(ids)-1]
		}
		return len(ids) > 0 && len(w.spots()) > 0
	})
}

// spots lists what is in the window.
func (w *window) spots() []spot {
	text, err := os.ReadFile(w.mapFile())
	if err != nil {
		return nil
	}
	var spots []spot
	if err := json.Unmarshal(text, &spots); err != nil {
		w.t.Fatal(err)
	}
	return spots
}

// find returns the smallest widget of a kind ("" for any that can be used) that says just that, or else one whose text
// has it in it.
func (w *window) find(kind, text string) (spot, bool) {
	var all []spot
	for _, s := range w.spots() {
		if (s.Kind == kind || kind == "" && s.Live) && !s.Disabled && strings.Contains(s.Text, text) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return spot{}, false
	}
	return slices.MinFunc(all, func(a, b spot) int {
		return cmp.Or(cmp.Compare(len(a.Text), len(b.Text)), cmp.Compare(a.W*a.H, b.W*b.H))
	}), true
}

// has reports whether a text is to be seen.
func (w *window) has(text string) bool {
	return slices.ContainsFunc(w.spots(), func(s spot) bool { return strings.Contains(s.Text, text) })
}

// on reports whether the page of that name in the list at the side is shown.
func (w *window) on(page string) bool {
	return slices.ContainsFunc(w.spots(), func(s spot) bool { return s.Kind == "navItem" && s.On && s.Text == page })
}

// see waits for a text.
func (w *window) see(text string) {
	w.t.Helper()
	await(w.t, fmt.Sprintf("the window shows %q", text), func() bool { return w.has(text) })
}

// await waits for a widget that stays where it is, and scrolls down to it if it must.
func (w *window) await(kind, text string) spot {
	w.t.Helper()
	var is spot
	looked := 0
	await(w.t, fmt.Sprintf("the window has %s %q", kind, text), func() bool {
		s, ok := w.find(kind, text)
		if ok && s == is {
			return true
		}
		is = s
		if looked++; !ok && looked%20 == 0 {
			w.wheel(3)
		}
		time.Sleep(150 * time.Millisecond)
		return false
	})
	return is
}

// wheel turns the wheel of the mouse in the middle of the window, and waits for what comes of it, if anything does.
func (w *window) wheel(by int) {
	w.t.Helper()
	before := w.spots()
	w.point(image.Pt(700, 450))
	w.mustDo("xdotool", "click", "--repeat", strconv.Itoa(by), "--delay", "30", "5")
	w.settles(before)
}

// settles waits until something has changed and stays as it is, but not for ever.
func (w *window) settles(before []spot) {
	end := time.Now().Add(3 * time.Second)
	for slices.Equal(w.spots(), before) && time.Now().Before(end) {
		time.Sleep(50 * time.Millisecond)
	}
	for now := w.spots(); time.Now().Before(end); {
		was := now
		time.Sleep(250 * time.Millisecond)
		if now = w.spots(); slices.Equal(was, now) {
			return
		}
	}
}

func (w *window) mustDo(name string, args ...string) string {
	w.t.Helper()
	out, err := w.do(name, args...)
	if err != nil {
		w.t.Fatalf("%s %v: %v", name, args, err)
	}
	return out
}

// point moves the mouse to a place in the window.
func (w *window) point(at image.Point) {
	w.t.Helper()
	w.mustDo("xdotool", "mousemove", "--window", w.id, strconv.Itoa(at.X), strconv.Itoa(at.Y))
}

// click clicks on a widget.
func (w *window) click(kind, text string) {
	w.t.Helper()
	w.clickAt(w.await(kind, text).middle())
}

func (w *window) clickAt(at image.Point) {
	w.t.Helper()
	w.point(at)
	w.mustDo("xdotool", "click", "1")
}

// drag moves the mouse with its button down from one place to another, by way of many.
func (w *window) drag(from, to image.Point) {
	w.t.Helper()
	const steps = 12
	w.point(from)
	w.mustDo("xdotool", "mousedown", "1")
	for i := 1; i <= steps; i++ {
		w.point(from.Add(to.Sub(from).Mul(i).Div(steps)))
		time.Sleep(20 * time.Millisecond)
	}
	w.mustDo("xdotool", "mouseup", "1")
}

// press presses keys, as "ctrl+4" and "Tab".
func (w *window) press(keys ...string) {
	w.t.Helper()
	w.mustDo("xdotool", append([]string{"key"}, keys...)...)
}

// focused returns the widget that has the keyboard.
func (w *window) focused() spot {
	for _, s := range w.spots() {
		if s.Focused {
			return s
		}
	}
	return spot{}
}

// tabTo presses Tab until the keyboard is at a widget.
func (w *window) tabTo(text string) {
	w.t.Helper()
	var been []string
	for range 40 {
		is := w.focused()
		if strings.Contains(is.Text, text) && is.Kind != "" {
			return
		}
		been = append(been, fmt.Sprintf("%s %q", is.Kind, is.Text))
		w.press("Tab")
		for end := time.Now().Add(5 * time.Second); w.focused() == is && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
	}
	w.t.Fatalf("Tab does not lead to %q, but to\n%s", text, strings.Join(been, "\n"))
}

// close closes the window by the button in its frame, and waits until its program is gone. A key would do the same, but
// for that it must arrive while the window manager holds this window for the one in use, which nobody can wait for.
func (w *window) close() {
	w.t.Helper()
	at := w.area()
	w.mustDo("xdotool", "mousemove", strconv.Itoa(at.Max.X-frameButton), strconv.Itoa(at.Min.Y-frameButton), "click", "1")
	await(w.t, "the window's program ends", func() bool { return len(w.windows()) == 0 })
}

// frameButton is how far the middle of that button, the last in the frame's title, is from the corner of the window.
const frameButton = 10

// area is where the window is on the screen, without its frame.
func (w *window) area() image.Rectangle {
	w.t.Helper()
	at := w.numbers("mousemove", "--window", w.id, "0", "0", "getmouselocation", "--shell")
	size := w.size()
	return image.Rect(at["X"], at["Y"], at["X"]+size.X, at["Y"]+size.Y).Intersect(image.Rect(0, 0, screenWidth, screenHeight))
}

// size is that of the window in pixels.
func (w *window) size() image.Point {
	w.t.Helper()
	is := w.numbers("getwindowgeometry", "--shell", w.id)
	return image.Pt(is["WIDTH"], is["HEIGHT"])
}

// numbers are what xdotool says of places, by their names.
func (w *window) numbers(args ...string) map[string]int {
	w.t.Helper()
	is := make(map[string]int)
	for _, line := range strings.Fields(w.mustDo("xdotool", args...)) {
		name, value, _ := strings.Cut(line, "=")
		is[name], _ = strconv.Atoi(value)
	}
	return is
}

// gone waits until a text is not to be seen any more.
func (w *window) gone(text string) {
	w.t.Helper()
	await(w.t, fmt.Sprintf("the window no longer shows %q", text), func() bool { return !w.has(text) })
}
