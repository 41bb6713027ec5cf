package sense

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/bus"
	"github.com/forage-net/forage/app/sense/sensetest"
)

const (
	loginName  = "org.freedesktop.login1"
	loginPath  = "/org/freedesktop/login1"
	mutterName = "org.gnome.Mutter.IdleMonitor"
	mutterPath = "/org/gnome/Mutter/IdleMonitor/Core"
	nmPath     = "/org/freedesktop/NetworkManager"
)

// onBus runs a story on a computer with one bus.
func onBus(t *testing.T, socket string, prepare func(b *fakeBus), story func(c *computer, h *Hub, b *fakeBus)) {
	b := newFakeBus()
	runOn(t, func(c *computer) {
		c.listen(socket, b.serve)
		prepare(b)
	}, func(c *computer, h *Hub) { story(c, h, b) })
}

func TestLogind_TellsOfInput(t *testing.T) {
	onBus(t, systemSocket, func(b *fakeBus) {
		b.set(loginName, loginPath, "IdleHint", false)
	}, func(c *computer, h *Hub, b *fakeBus) {
		is(t, "in use", after(h, time.Second).Input, Input{Active: true}, "logind")
		since := time.Now().Add(-time.Minute)
		b.set(loginName, loginPath, "IdleSinceHint", uint64(since.UnixMicro()))
		b.set(loginName, loginPath, "IdleHint", true)
		b.signal(loginPath, bus.PropertiesChanged)
		got := after(h, time.Second).Input
		if !got.Known || got.Value.Active || got.Value.Last.Sub(since).Abs() > time.Second {
			t.Errorf("idle = %+v, want since %v", got, since)
		}
		b.set(loginName, loginPath, "IdleHint", false) // and the signal is lost
		is(t, "in use again", after(h, backup+time.Second).Input, Input{Active: true}, "logind")
		b.set(loginName, loginPath, "IdleHint", true)
		b.set(loginName, loginPath, "IdleSinceHint", uint64(0))
		b.signal(loginPath, bus.PropertiesChanged)
		noticed := time.Now()
		after(h, time.Minute)
		if got := h.Snapshot().Input; !got.Known || got.Value.IdleFor(time.Now()) < time.Minute ||
			got.Value.Last.Before(noticed) {
			t.Errorf("idle without a date = %+v, want since %v", got, noticed)
		}
		b.set(loginName, loginPath, "IdleSinceHint", uint64(1)) // 1970
		b.signal(loginPath, bus.PropertiesChanged)
		unknown(t, "idle since 1970", after(h, 5*time.Second).Input)
		b.set(loginName, loginPath, "IdleHint", "yes")
		unknown(t, "of another type", after(h, 5*time.Second).Input)
	})
}

// mutter answers as GNOME's compositor.
func mutterOn(b *fakeBus, idle *atomic.Uint64) {
	b.handle(mutterName, mutterPath, "GetIdletime", func() any { return idle.Load() })
	b.on(mutterName, mutterPath, "AddIdleWatch", uint32(1))
	b.on(mutterName, mutterPath, "AddUserActiveWatch", uint32(2))
}

func TestMutter_TellsOfInputByItself(t *testing.T) {
	var idle atomic.Uint64
	idle.Store(100)
	onBus(t, sessionSocket, func(b *fakeBus) { mutterOn(b, &idle) }, func(c *computer, h *Hub, b *fakeBus) {
		is(t, "in use", after(h, time.Second).Input, Input{Active: true}, "Mutter")
		idle.Store(6000)
		b.signal(mutterPath, mutterName+".WatchFired")
		got := after(h, time.Second).Input
		if !got.Known || got.Value.Active || b.count("AddUserActiveWatch") != 1 {
			t.Errorf("idle = %+v with %d watches, want idle, and one", got, b.count("AddUserActiveWatch"))
		}
		before := b.count("GetIdletime")
		for range 60 { // nothing happens but that time passes
			time.Sleep(time.Second)
			idle.Add(1000)
		}
		if n := b.count("GetIdletime") - before; n > 4 {
			t.Errorf("asked %d times within a quiet minute", n)
		}
		idle.Store(10)
		b.signal(mutterPath, mutterName+".WatchFired")
		is(t, "within half a second of the first key", after(h, 500*time.Millisecond).Input, Input{Active: true},
			"Mutter")
		idle.Store(1 << 60)
		b.signal(mutterPath, mutterName+".WatchFired")
		unknown(t, "absurd", after(h, 5*time.Second).Input)
	})
}

func TestInput_BusThatDiesAndComesBack(t *testing.T) {
	var idle atomic.Uint64
	idle.Store(100)
	onBus(t, sessionSocket, func(b *fakeBus) { mutterOn(b, &idle) }, func(c *computer, h *Hub, b *fakeBus) {
		system := newFakeBus()
		system.set(loginName, loginPath, "IdleHint", false)
		c.listen(systemSocket, system.serve)
		is(t, "at first", after(h, time.Second).Input, Input{Active: true}, "Mutter")
		c.vanish(sessionSocket)
		b.die()
		is(t, "without the session", after(h, 4*time.Second).Input, Input{Active: true}, "logind")
		c.listen(sessionSocket, b.serve)
		is(t, "with it again", after(h, retryMost).Input, Input{Active: true}, "Mutter")
		b.hush(true)
		is(t, "when it hangs", after(h, time.Minute).Input, Input{Active: true}, "logind")
	})
}

func TestScreenSaver_UnitIsFoundOut(t *testing.T) {
	for _, c := range []struct {
		name string
		per  uint32 // told for each second
		want bool   // known to be idle in the end
	}{{"seconds", 1, true}, {"milliseconds", 1000, true}, {"nothing", 0, false}, {"nonsense", 60, false}} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Time{}
			onBus(t, sessionSocket, func(b *fakeBus) {
				start = time.Now()
				b.handle("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "GetSessionIdleTime",
					func() any {
						return uint32(time.Since(start).Seconds() * float64(c.per))
					})
			}, func(_ *computer, h *Hub, b *fakeBus) {
				is(t, "at first", after(h, 3*time.Second).Input, Input{Active: true}, "ScreenSaver")
				got := after(h, time.Minute).Input
				if got.Value.Active == c.want {
					t.Errorf("after a minute: %+v", got)
				}
				if idle := got.Value.IdleFor(time.Now()); c.want && (idle < 60*time.Second || idle > 65*time.Second) {
					t.Errorf("idle for %v, want 63s", idle)
				}
			})
		})
	}
}

func TestInhibition_OfSystemAndDesktop(t *testing.T) {
	type inhibitor struct {
		What, Who, Why, Mode string
		User, Process        uint32
	}
	lock := func(what, who, why, mode string) inhibitor { return inhibitor{what, who, why, mode, 1000, 1} }
	onBus(t, systemSocket, func(b *fakeBus) {
		b.on(loginName, loginPath, "ListInhibitors", []inhibitor{
			lock("sleep", "NetworkManager", "turns off", "delay"), lock("idle", "polite", "may wait", "delay"),
			lock("handle-lid-switch:sleep", "upower", "", "block"),
		})
	}, func(c *computer, h *Hub, b *fakeBus) {
		is(t, "none", after(h, time.Second).Inhibition, Inhibition{}, "logind")
		b.on(loginName, loginPath, "ListInhibitors",
			[]inhibitor{lock("sleep:idle", "Player\x1b[31m", "plays a film", "block")})
		b.signal(loginPath, bus.PropertiesChanged)
		is(t, "a film", after(h, time.Second).Inhibition, Inhibition{true, "Player[31m: plays a film"}, "logind")
		b.on(loginName, loginPath, "ListInhibitors", []inhibitor{})
		b.signal(loginPath, bus.PropertiesChanged)
		after(h, time.Second)

		gnome := newFakeBus()
		const name, path = "org.gnome.SessionManager", "/org/gnome/SessionManager"
		gnome.on(name, path, "IsInhibited", true)
		gnome.on(name, path, "GetInhibitors", []dbus.ObjectPath{dbus.ObjectPath("/i1"), dbus.ObjectPath("/i2")})
		gnome.on(name, "/i1", "GetFlags", uint32(4))
		gnome.on(name, "/i2", "GetFlags", uint32(12))
		gnome.on(name, "/i2", "GetAppId", "firefox")
		gnome.on(name, "/i2", "GetReason", "video-playing")
		c.listen(sessionSocket, gnome.serve)
		is(t, "a film of the desktop", after(h, 2*retryMost).Inhibition, Inhibition{true, "firefox: video-playing"},
			"SessionManager")
		gnome.on(name, path, "IsInhibited", false)
		gnome.signal(path, name+".InhibitorRemoved")
		is(t, "none again", after(h, time.Second).Inhibition, Inhibition{}, "logind, SessionManager")
		c.vanish(systemSocket) // or somebody connects again meanwhile
		b.die()
		is(t, "without logind", after(h, 5*time.Second).Inhibition, Inhibition{}, "SessionManager")
	})
}

func TestInhibition_OfKDEAndOthers(t *testing.T) {
	const agent, agentPath = "org.kde.Solid.PowerManagement.PolicyAgent", "/org/kde/Solid/PowerManagement/PolicyAgent"
	onBus(t, sessionSocket, func(b *fakeBus) {
		b.on(agent, agentPath, "HasInhibition", true)
		b.on(agent, agentPath, "ListInhibitions", []struct{ Who, Why string }{{"vlc", "plays"}})
	}, func(c *computer, h *Hub, b *fakeBus) {
		is(t, "KDE", after(h, time.Second).Inhibition, Inhibition{true, "vlc: plays"}, "PowerDevil")
	})
	onBus(t, sessionSocket, func(b *fakeBus) {
		b.on("org.freedesktop.PowerManagement", "/org/freedesktop/PowerManagement/Inhibit", "HasInhibit", true)
	}, func(c *computer, h *Hub, b *fakeBus) {
		is(t, "others", after(h, time.Second).Inhibition, Inhibition{Held: true}, "PowerManagement")
	})
}

func TestNetworkManager_TellsOfCostAndLink(t *testing.T) {
	onBus(t, systemSocket, func(b *fakeBus) {
		b.set(nmName, nmPath, "Metered", uint32(4))
		b.set(nmName, nmPath, "State", uint32(70))
		b.set(nmName, nmPath, "PrimaryConnectionType", "802-11-wireless")
		b.set(nmName, nmPath, "PrimaryConnection", dbus.ObjectPath("/a/1"))
		b.set(nmName, nmPath, "ActiveConnections", []dbus.ObjectPath{dbus.ObjectPath("/a/1"), dbus.ObjectPath("/a/2")})
		b.set(nmName, "/a/1", "Devices", []dbus.ObjectPath{dbus.ObjectPath("/d/1")})
		b.set(nmName, "/a/1", "Vpn", false)
		b.set(nmName, "/a/2", "Vpn", false)
		b.set(nmName, "/d/1", "ActiveAccessPoint", dbus.ObjectPath("/ap/1"))
		b.set(nmName, "/ap/1", "Ssid", []byte("caf\xc3\xa9\n"))
	}, func(c *computer, h *Hub, b *fakeBus) {
		s := after(h, time.Second)
		is(t, "metered", s.Metered, Metered{Guess: true}, "NetworkManager")
		is(t, "link", s.Link, Link{Up: true, Kind: "wifi", SSID: "café"}, "NetworkManager")
		for n, want := range map[uint32]Metered{1: {Yes: true}, 2: {}, 3: {Yes: true, Guess: true}} {
			b.set(nmName, nmPath, "Metered", n)
			b.signal(nmPath, bus.PropertiesChanged)
			is(t, "metered", after(h, time.Second).Metered, want, "NetworkManager")
		}
		b.set(nmName, nmPath, "Metered", uint32(0))
		b.set(nmName, "/a/2", "Vpn", true)
		b.signal(nmPath, bus.PropertiesChanged)
		s = after(h, 5*time.Second)
		unknown(t, "metered", s.Metered)
		is(t, "link", s.Link, Link{Up: true, Kind: "wifi", SSID: "café", VPN: true}, "NetworkManager")
		b.set(nmName, nmPath, "State", uint32(20))
		b.signal(nmPath, bus.PropertiesChanged)
		is(t, "link", after(h, 5*time.Second).Link, Link{}, "NetworkManager")
	})
}

func TestUPower_IsAskedWithoutSysfs(t *testing.T) {
	onBus(t, systemSocket, func(b *fakeBus) {
		b.set("org.freedesktop.UPower", "/org/freedesktop/UPower", "OnBattery", true)
		b.set("org.freedesktop.UPower", "/org/freedesktop/UPower/devices/DisplayDevice", "IsPresent", true)
		b.set("org.freedesktop.UPower", "/org/freedesktop/UPower/devices/DisplayDevice", "Percentage", 41.7)
	}, func(c *computer, h *Hub, b *fakeBus) {
		c.file("sys/class/power_supply/BAT0/type", "Battery\n")
		c.file("sys/class/power_supply/BAT0/status", "Unknown\n")
		is(t, "power", after(h, time.Minute).Power, Power{OnBattery: true, Percent: 41}, "UPower")
	})
}

func TestSleep_IsToldBeforeAndNoticedAfter(t *testing.T) {
	onBus(t, systemSocket, func(b *fakeBus) {
		b.set(loginName, loginPath, "PreparingForSleep", false)
	}, func(c *computer, h *Hub, b *fakeBus) {
		is(t, "awake", after(h, time.Second).Sleep, Sleep{}, "logind")
		b.set(loginName, loginPath, "PreparingForSleep", true)
		b.signal(loginPath, loginName+".Manager.PrepareForSleep")
		is(t, "about to", after(h, time.Second).Sleep, Sleep{Asleep: true}, "logind")
		c.set(func() { c.asleep += 8 * time.Hour })
		b.set(loginName, loginPath, "PreparingForSleep", false)
		b.signal(loginPath, loginName+".Manager.PrepareForSleep")
		woke := time.Now()
		got := after(h, 10*time.Second).Sleep
		if !got.Known || got.Value.Asleep || got.Value.For.Round(time.Minute) != 8*time.Hour ||
			got.Value.Woke.Sub(woke).Abs() > time.Second {
			t.Errorf("woken = %+v, want at %v after 8h", got, woke)
		}
		// Nobody says that it is over, and the computer never slept.
		b.set(loginName, loginPath, "PreparingForSleep", true)
		b.signal(loginPath, loginName+".Manager.PrepareForSleep")
		if got := after(h, 2*drowsy).Sleep; !got.Known || got.Value.Asleep {
			t.Errorf("after two minutes of being about to sleep: %+v", got)
		}
	})
}

func TestSleep_IsNoticedByClocksAlone(t *testing.T) {
	run(t, func(c *computer, h *Hub) {
		is(t, "awake", after(h, 10*time.Minute).Sleep, Sleep{}, "clocks")
		c.set(func() { c.asleep += 2 * time.Hour })
		got := after(h, sleepEvery+time.Second).Sleep
		if !got.Known || got.Value.For != 2*time.Hour || time.Since(got.Value.Woke) > sleepEvery+time.Second {
			t.Errorf("woken = %+v", got)
		}
		was := got.Value
		is(t, "an hour later", after(h, time.Hour).Sleep, was, "clocks")
	})
}

// Whatever a bus does, the reading is not known and the hub ends.
func TestBus_HostileOnesAreLeft(t *testing.T) {
	hello := sensetest.Encoded(&dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldReplySerial: dbus.MakeVariant(uint32(1)),
	}}, ":1.1")
	after := func(b []byte) func(net.Conn) {
		return func(c net.Conn) {
			r := bufio.NewReader(c)
			if welcome(c, r) != nil {
				return
			}
			go io.Copy(io.Discard, r)
			time.Sleep(time.Millisecond)
			c.Write(hello)
			c.Write(b)
			time.Sleep(time.Hour)
		}
	}
	flood := sensetest.Signal(loginPath, bus.PropertiesChanged)
	for name, serve := range map[string]func(net.Conn){
		"nothing":    func(c net.Conn) { io.Copy(io.Discard, c) },
		"closes":     func(c net.Conn) {},
		"reads not":  func(c net.Conn) { time.Sleep(time.Hour) },
		"garbage":    func(c net.Conn) { go io.Copy(io.Discard, c); c.Write(bytes.Repeat([]byte("x"), 1<<20)) },
		"long line":  func(c net.Conn) { go io.Copy(io.Discard, c); c.Write(bytes.Repeat([]byte("OK "), 1<<20)) },
		"no welcome": func(c net.Conn) { go io.Copy(io.Discard, c); c.Write([]byte("REJECTED\r\n")) },
		"no hello": func(c net.Conn) {
			if r := bufio.NewReader(c); welcome(c, r) == nil {
				io.Copy(io.Discard, r)
			}
		},
		"only hello":  after(nil),
		"huge":        after([]byte{'l', 2, 0, 1, 0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 0, 0, 0, 0, 0}),
		"other order": after([]byte{'x', 2, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}),
		"bad header": after([]byte{'l', 2, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 1, 1, 'a', 0, 0xff, 0xff,
			0xff, 0xff}),
		"endless":      after(bytes.Repeat(flood, 1000)),
		"half a reply": after(hello[:10]),
	} {
		t.Run(name, func(t *testing.T) {
			runOn(t, func(c *computer) {
				c.listen(systemSocket, serve)
				c.listen(sessionSocket, serve)
			}, func(c *computer, h *Hub) {
				time.Sleep(5 * time.Minute)
				s := h.Snapshot()
				unknown(t, "input", s.Input)
				unknown(t, "inhibition", s.Inhibition)
				is(t, "sleep", s.Sleep, Sleep{}, "clocks")
			})
		})
	}
}

// A service that signals without end costs a read from time to time.
func TestBus_SignalsWithoutEndAreSlowedDown(t *testing.T) {
	onBus(t, systemSocket, func(b *fakeBus) {
		b.set(loginName, loginPath, "IdleHint", false)
	}, func(c *computer, h *Hub, b *fakeBus) {
		is(t, "in use", after(h, time.Second).Input, Input{Active: true}, "logind")
		before := b.count("Get")
		start := time.Now()
		for range 4000 {
			b.signal(loginPath, bus.PropertiesChanged)
		}
		passed := time.Since(start).Seconds()
		if passed < 10 {
			t.Errorf("4000 signals were taken in within %.0f s", passed)
		}
		if n := float64(b.count("Get") - before); n > 6*passed*3 { // by three readers
			t.Errorf("they caused %.0f reads within %.0f s", n, passed)
		}
	})
}
