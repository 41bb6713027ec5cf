package sense

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func onX(t *testing.T, story func(c *computer, h *Hub, x *fakeX)) {
	x := newFakeX()
	runOn(t, func(c *computer) {
		c.env["DISPLAY"] = ":7"
		c.listen(xSocket, x.serve)
	}, func(c *computer, h *Hub) { story(c, h, x) })
}

func TestX11_TellsOfInput(t *testing.T) {
	onX(t, func(c *computer, h *Hub, x *fakeX) {
		is(t, "in use", after(h, time.Second).Input, Input{Active: true}, "X11")
		x.idleFor(time.Hour)
		got := after(h, activeFor).Input
		if !got.Known || got.Value.Active || got.Value.IdleFor(time.Now()) < time.Hour {
			t.Errorf("idle = %+v", got)
		}
		x.idleFor(10 * time.Millisecond)
		is(t, "a second after the first key", after(h, watchEvery).Input, Input{Active: true}, "X11")
		before := x.count()
		after(h, time.Minute)
		if n := x.count() - before; n > 30 {
			t.Errorf("asked %d times within a minute of use", n)
		}
		c.vanish(xSocket)
		x.die()
		unknown(t, "without the display", after(h, 5*time.Second).Input)
		c.listen(xSocket, x.serve)
		is(t, "with it again", after(h, 2*retryMost).Input, Input{Active: true}, "X11")
	})
}

func TestX11_BeneathWaylandIsNotAsked(t *testing.T) {
	for name, prepare := range map[string]func(c *computer, x *fakeX){
		"by name of the session": func(c *computer, x *fakeX) { c.env["XDG_SESSION_TYPE"] = "wayland" },
		"by the display":         func(c *computer, x *fakeX) { x.extensions["XWAYLAND"] = 150 },
		"by the other display":   func(c *computer, x *fakeX) { c.env["WAYLAND_DISPLAY"] = "wayland-5" },
	} {
		t.Run(name, func(t *testing.T) {
			x := newFakeX()
			runOn(t, func(c *computer) {
				c.env["DISPLAY"] = ":7"
				c.listen(xSocket, x.serve)
				prepare(c, x)
			}, func(c *computer, h *Hub) {
				s := after(h, time.Minute)
				unknown(t, "input", s.Input)
				unknown(t, "full screen", s.FullScreen)
				if !strings.Contains(fmt.Sprint(s.FullScreen.Why), "Wayland") {
					t.Errorf("Why = %q", s.FullScreen.Why)
				}
			})
		})
	}
}

func TestX11_TellsOfFullScreen(t *testing.T) {
	onX(t, func(c *computer, h *Hub, x *fakeX) {
		unknown(t, "without a window manager", after(h, 10*time.Second).FullScreen)
		x.set(fakeRoot, "_NET_SUPPORTED", 1, 2)
		is(t, "without a window", after(h, 2*retryMost).FullScreen, false, "X11")
		x.set(fakeRoot, "_NET_ACTIVE_WINDOW", 0)
		is(t, "with the desktop", after(h, time.Second).FullScreen, false, "X11")
		x.set(5, "_NET_WM_STATE", x.atom("_NET_WM_STATE_ABOVE"), x.atom("_NET_WM_STATE_FULLSCREEN"))
		x.set(fakeRoot, "_NET_ACTIVE_WINDOW", 5)
		is(t, "with a film", after(h, time.Second).FullScreen, true, "X11")
		x.set(5, "_NET_WM_STATE")
		is(t, "with the film in a window", after(h, time.Second).FullScreen, false, "X11")
		x.set(fakeRoot, "_NET_ACTIVE_WINDOW", 0xdead) // it has gone already
		is(t, "with a window that is gone", after(h, time.Second).FullScreen, false, "X11")
		x.set(5, "_NET_WM_STATE", x.atom("_NET_WM_STATE_FULLSCREEN"))
		x.set(fakeRoot, "_NET_ACTIVE_WINDOW", 5)
		is(t, "with a film after that", after(h, time.Second).FullScreen, true, "X11")
		x.set(5, "_NET_WM_STATE", 0)
		is(t, "at its end", after(h, time.Second).FullScreen, false, "X11")
	})
}

func TestX11_HostileDisplaysAreLeft(t *testing.T) {
	setup := func(b ...byte) func(net.Conn) {
		return func(c net.Conn) { go io.Copy(io.Discard, c); c.Write(b); time.Sleep(time.Hour) }
	}
	ok := fakeSetup()
	welcome := append([]byte{1, 0, 11, 0, 0, 0, byte(len(ok) / 4), 0}, ok...)
	for name, serve := range map[string]func(net.Conn){
		"nothing":      func(c net.Conn) { time.Sleep(time.Hour) },
		"closes":       func(c net.Conn) {},
		"refuses":      setup(append([]byte{0, 9, 11, 0, 0, 0, 3, 0}, "No!\x1b[31m\x00\x00\x00\x00"...)...),
		"short":        setup(1, 0, 11, 0, 0, 0, 0, 0),
		"huge":         setup(append([]byte{1, 0, 11, 0, 0, 0, 0xff, 0xff}, make([]byte, 4*0xffff)...)...),
		"only welcome": setup(welcome...),
		"huge reply": setup(append(bytes.Clone(welcome),
			append([]byte{1, 0, 1, 0, 0xff, 0xff, 0xff, 0xff}, make([]byte, 24)...)...)...),
		"events always": setup(append(bytes.Clone(welcome),
			bytes.Repeat(append([]byte{28}, make([]byte, 31)...), 5000)...)...),
		"errors always": setup(append(bytes.Clone(welcome),
			bytes.Repeat(append([]byte{0, 0, 1}, make([]byte, 29)...), 5000)...)...),
	} {
		t.Run(name, func(t *testing.T) {
			runOn(t, func(c *computer) {
				c.env["DISPLAY"] = ":7"
				c.listen(xSocket, serve)
			}, func(c *computer, h *Hub) {
				s := after(h, 5*time.Minute)
				unknown(t, "input", s.Input)
				unknown(t, "full screen", s.FullScreen)
				if strings.Contains(fmt.Sprint(s.Input.Why), "\x1b") {
					t.Errorf("Why = %q", s.Input.Why)
				}
			})
		})
	}
}
