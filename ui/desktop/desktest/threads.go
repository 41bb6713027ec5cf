package desktest

import (
	"bytes"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// threadError is what Fyne logs when something of the UI was called on another goroutine than the UI's. Its driver for
// windows looks at that; that of the tests does not, so App says the same words for it.
const threadError = "*** Error in Fyne call thread"

// watch passes a log on and counts the errors of threads in it.
type watch struct {
	to     io.Writer
	errors atomic.Int64
}

func (w *watch) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(threadError)) {
		w.errors.Add(1)
	}
	return w.to.Write(p)
}

var logged = &watch{to: os.Stderr}

// App is an app in which whatever is drawn again must be so on the goroutine of its test.
type App struct {
	fyne.App
	driver *strictDriver
}

func (a App) Driver() fyne.Driver { return a.driver }

type strictDriver struct {
	fyne.Driver
	ui uintptr
	// loop has what other goroutines gave to fyne.Do. A test that waits for it runs it.
	loop   *Loop
	mu     sync.Mutex
	broken []string
}

// CanvasForObject is asked for by everything that draws an object again.
func (d *strictDriver) CanvasForObject(o fyne.CanvasObject) fyne.Canvas {
	if goroutine() != d.ui {
		buf := make([]byte, 4096)
		d.mu.Lock()
		d.broken = append(d.broken, threadError+"\n"+string(buf[:runtime.Stack(buf, false)]))
		d.mu.Unlock()
	}
	return d.Driver.CanvasForObject(o)
}

// DoFromGoroutine is fyne.Do.
func (d *strictDriver) DoFromGoroutine(fn func(), _ bool) {
	if goroutine() == d.ui {
		fn()
		return
	}
	d.loop.Do(fn)
}

// goroutine tells by what the calling goroutine began: tests begin in one place, goroutines that they start in others.
// Its number stands only in a printed stack, which is too slow to ask for at each of a million calls.
func goroutine() uintptr {
	var calls [512]uintptr
	n := runtime.Callers(0, calls[:])
	return calls[n-2] // the last is the same in all
}

// NewApp makes the app of a test, which fails if the rule of threads is broken.
func NewApp(t *testing.T) App {
	t.Helper()
	a := test.NewTempApp(t)
	before := logged.errors.Load()
	s := App{a, &strictDriver{Driver: a.Driver(), ui: goroutine(), loop: new(Loop)}}
	fyne.SetCurrentApp(s)
	t.Cleanup(func() {
		s.driver.mu.Lock()
		defer s.driver.mu.Unlock()
		for _, where := range s.driver.broken {
			t.Error(where)
		}
		if n := logged.errors.Load() - before; n > 0 {
			t.Errorf("%d times something was drawn on a goroutine that is not the UI's", n)
		}
	})
	return s
}

// Main runs the tests of a package and ends. They take place where it is UTC. Each test that breaks the rule of threads
// fails, see NewApp; so do those that have no such app.
func Main(m *testing.M) {
	time.Local = time.UTC
	debug.SetGCPercent(400) // widgets are many and live for a moment
	log.SetOutput(logged)
	code := m.Run()
	if code == 0 && logged.errors.Load() > 0 {
		code = 1
	}
	os.Exit(code)
}

// Loop is what waits for the UI goroutine.
func (a App) Loop() *Loop { return a.driver.loop }
