package main

import (
	"syscall"
	"testing"
)

// SIGHUP has the settings read again, but who closes the terminal leaves no node behind.
func TestHangup(t *testing.T) {
	t.Parallel()
	home := roomyHome(t)
	term := startInTerminal(t, "run", "--home", home, "--accept", "--lab", "--api", "127.0.0.1:0", "--no-tray", "--seeds", "http://nowhere.test/")
	term.awaitUp(home)
	c := dial(t, home)
	run(t, home, "set", "disk.max=7 MB")
	term.signal(syscall.SIGHUP)
	until(t, "the settings to be read", func() bool {
		l, err := c.Limits(t.Context(), "en")
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range l.Quotas {
			if q.Name == "disk" && q.Limit == 7_000_000 {
				return true
			}
		}
		return false
	})
	term.keyboard.Close()
	term.succeed()
	if isUp(home) {
		t.Error("the API descriptor is still there")
	}
}
