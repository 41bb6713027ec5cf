//go:build linux

package e2e

import (
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// mostBytes is how large a picture of the guide may be.
const mostBytes = 150_000

// album is where the pictures of the guide are written to.
type album struct {
	t    *testing.T
	dir  string
	look string // "light" or "dark"
}

// The pictures of the user guide, of real programs on the practice web: FORAGE_PICTURES names the directory to write
// them to.
func TestPictures(t *testing.T) {
	dir := os.Getenv("FORAGE_PICTURES")
	if dir == "" {
		t.Skip("set FORAGE_PICTURES to have the pictures made")
	}
	for _, look := range []string{"light", "dark"} {
		t.Run(look, func(t *testing.T) {
			a := &album{t: t, dir: dir, look: look}
			a.firstRun()
			l := a.grown()
			if look == "light" { // the panel looks as the desktop does, not as the window
				a.tray(l)
			}
			a.dashboard(l)
			a.window(l)
		})
	}
}

// lab is one whose programs look as the album does. Its practice web answers without haste, so that something is
// under way in the pictures.
func (a *album) lab() *lab {
	a.t.Helper()
	l := newLabOf(a.t, onDesktop(a.t), demo.Options{Sites: 40, Pages: 4000, Latency: 300 * time.Millisecond})
	l.env = append(l.env, "FYNE_THEME="+a.look)
	return l
}

// take writes what is in an area of the screen, when it has come to rest or after a while.
func (a *album) take(d *display, name string, area image.Rectangle) {
	a.t.Helper()
	now, err := d.screen()
	for range 10 {
		if err != nil {
			a.t.Fatal(err)
		}
		was := now
		time.Sleep(300 * time.Millisecond)
		if now, err = d.screen(); err == nil && !differs(was, now, area) {
			break
		}
	}
	a.write(name, now.SubImage(area).(*image.RGBA))
}

func (a *album) write(name string, img *image.RGBA) {
	a.t.Helper()
	path := filepath.Join(a.dir, name+"-"+a.look+".png")
	if err := writePNG(path, img); err != nil {
		a.t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > mostBytes {
		a.t.Errorf("%s: %d bytes, want %d at most, %v", path, info.Size(), mostBytes, err)
	}
}

// of takes a picture of a window, with the mouse out of the way.
func (a *album) of(w *window, name string) {
	a.t.Helper()
	area := w.area()
	w.mustDo("xdotool", "mousemove", "1279", "859")
	time.Sleep(500 * time.Millisecond)
	a.take(w.display, name, area)
}

func (a *album) firstRun() {
	l := a.lab()
	l.start("--await-consent", "--no-tray")
	w := l.window()
	defer w.p.kill()
	defer l.stop()
	w.see("Lend your quiet hours")
	a.of(w, "first-1")
	w.click("", "Continue")
	w.see("What others see")
	w.click("", "This is my connection")
	a.of(w, "first-2")
	w.click("", "I agree")
	w.see("When may Forage work?")
	w.see("Forage can tell when you are away")
	a.of(w, "first-3")
	w.click("", "Continue")
	w.see("Ready.")
	a.of(w, "first-4")
	w.click("", "Start helping now")
	w.see("Your first page")
	w.await("", "Watch it now")
	a.of(w, "first-5")
}

// grown is a lab whose node has pages and sites to show, and is at work.
func (a *album) grown() *lab {
	a.t.Helper()
	l := a.lab()
	for _, s := range append(freeHand, "budget.full.pages_per_min=240", "budget.full.fetchers=8", "budget.full.cpu_percent=60") {
		l.forage("set", s)
	}
	l.start("--accept", "--no-tray", "--lab-limits=false", "--no-limits", "--fetchers", "40", "--gap", "20ms")
	await(a.t, "there is something to look at", func() bool { return l.status().Pages > 500 })
	l.stop()
	l.start("--gap", "200ms")
	l.works()
	return l
}

// window takes the pages of the window. It ends with the node killed.
func (a *album) window(l *lab) {
	w := l.window()
	defer w.p.kill()
	w.see("Overview")
	w.see("Last: ")
	time.Sleep(4 * time.Second) // until the Ring has something to tell
	a.of(w, "overview")
	w.wheel(30)
	a.of(w, "overview-2")
	for _, page := range []struct{ key, name, shows string }{
		{"ctrl+3", "sites", "being visited"}, {"ctrl+4", "statistics", "Received from sites"}, {"ctrl+6", "about", "Name in the network"}, {"ctrl+5", "settings", "Away after"},
	} {
		w.press(page.key)
		w.see(page.shows)
		time.Sleep(time.Second)
		a.of(w, page.name)
	}
	a.week(w)
	w.press("ctrl+1")
	w.click("Button", "Pause")
	w.await("", "For 1 hour")
	a.of(w, "pause")
	w.click("", "For 1 hour")
	w.see("Paused by you")
	await(a.t, "the message is gone", func() bool { return !w.has("Paused.") })
	a.of(w, "paused")
	l.node.kill()
	w.see("Start")
	time.Sleep(3 * time.Second) // until the Ring says so, too
	a.of(w, "lost")
}

// week paints a week with the mouse: gently on working days.
func (a *album) week(w *window) {
	a.t.Helper()
	grid := w.wholeWeek()
	at := func(day, hour int) image.Point { // the middle of a cell
		return image.Pt(grid.X+gridLeft+(grid.W-gridLeft)*(2*hour+1)/48, grid.Y+gridTop+(grid.H-gridTop)*(2*day+1)/14)
	}
	w.click("ChoiceCard", "Gently")
	w.drag(at(0, 8), at(4, 17))
	w.see("Saved")
	w.gone("Saved")
	a.of(w, "settings-week")
}

// tray takes the menu of the icon, opened by a real click in the panel.
func (a *album) tray(l *lab) {
	l.icon()
	time.Sleep(2 * time.Second)
	if out, err := l.do("xdotool", "mousemove", "1262", "16", "click", "3"); err != nil {
		a.t.Fatal(err, out)
	}
	time.Sleep(500 * time.Millisecond)
	l.do("xdotool", "mousemove", "1150", "150") // off the icon, whose words would lie over the menu
	time.Sleep(time.Second)
	a.take(l.display, "tray", image.Rect(screenWidth-520, 0, screenWidth, 300))
	l.do("xdotool", "key", "Escape")
}

// dashboard takes the dashboard in a browser, if there is one.
func (a *album) dashboard(l *lab) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		a.t.Log("no browser: there is no picture of the dashboard")
		return
	}
	link := strings.TrimSpace(l.forage("dashboard", "--print"))
	flags := []string{
		"--no-sandbox", "--test-type", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir=" + a.t.TempDir(), "--window-position=0,0", "--window-size=1180,800", "--app=" + link,
	}
	if a.look == "dark" {
		flags = append(flags, "--force-dark-mode")
	}
	p, err := launch(l.env, browser, flags...)
	if err != nil {
		a.t.Fatal(err)
	}
	defer p.stop()
	time.Sleep(12 * time.Second)
	w := &window{lab: l, t: a.t}
	out, _ := l.do("xdotool", "search", "--onlyvisible", "--class", "chromium")
	for _, id := range strings.Fields(out) {
		w.id = id
	}
	if w.id == "" {
		a.t.Fatalf("the browser shows nothing:\n%s", p.out.String())
	}
	a.of(w, "dashboard")
}
