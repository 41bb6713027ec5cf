package autostart

import (
	"slices"
	"testing"
)

func TestProgram_Starts(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		o, _ := places(t, goos)
		p := Program{Options: o, Home: "/srv/forage"}
		starts := func(want bool) {
			t.Helper()
			if on, err := p.Starts(); err != nil || on != want {
				t.Fatalf("%s: it starts: %t, %v, want %t", goos, on, err, want)
			}
		}
		set := func(on bool) {
			t.Helper()
			if err := p.Start(on); err != nil {
				t.Fatalf("%s: Start(%t): %v", goos, on, err)
			}
			starts(on)
		}
		starts(false)
		set(false)
		if goos == "windows" {
			continue // the name of this test's program is none there
		}
		set(true)
		if s := status(t, open(t, o)); s.Kind != Session || !slices.Equal(s.Command[1:], []string{"run", "--home", "/srv/forage"}) {
			t.Errorf("%s: it starts %+v", goos, s)
		}
		set(false)
		if err := p.Enable(Service); err != nil {
			t.Fatal(err)
		}
		set(true)
		if s := status(t, open(t, o)); s.Kind != Service {
			t.Errorf("%s: a service became %+v", goos, s)
		}
		set(false)
	}
}
