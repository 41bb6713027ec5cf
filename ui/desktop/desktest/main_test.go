package desktest

import (
	"sync"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"github.com/forage-net/forage/ui/desktop/texts"
)

func TestMain(m *testing.M) { Main(m) }

func TestApp_TellsOfOtherGoroutines(t *testing.T) {
	a := test.NewTempApp(t)
	s := App{a, &strictDriver{Driver: a.Driver(), ui: goroutine(), loop: new(Loop)}}
	fyne.SetCurrentApp(s)
	label := texts.Line("a")
	test.NewTempWindow(t, label)
	label.SetText("b")
	if len(s.driver.broken) != 0 {
		t.Fatalf("on its own goroutine: %s", s.driver.broken)
	}
	var done sync.WaitGroup
	done.Go(func() { fyne.Do(func() { label.SetText("c") }) })
	done.Wait()
	s.driver.loop.Step()
	if len(s.driver.broken) != 0 || label.Text != "c" {
		t.Fatalf("by fyne.Do: %s", s.driver.broken)
	}
	done.Go(func() { label.SetText("d") })
	done.Wait()
	if len(s.driver.broken) == 0 {
		t.Error("on another goroutine it says nothing")
	}
}
