package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"golang.org/x/sys/unix"
)

// desk is what is made up of a computer: its power supplies, a bus with the services of a desktop, and a screen. Nobody has touched
// it for an hour.
type desk struct {
	t        *testing.T
	bus      *dbus.Conn
	env      []string // for a node
	supplies string   // a directory that takes the place of the kernel's
	display  string
	apps     string // a directory

	mu      sync.Mutex
	metered uint32 // as NetworkManager has it: 1 yes, 2 no
	film    bool
}

const (
	nmName     = "org.freedesktop.NetworkManager"
	loginName  = "org.freedesktop.login1"
	mutterName = "org.gnome.Mutter.IdleMonitor"
	properties = "org.freedesktop.DBus.Properties"
)

// newDesk starts what is needed, and skips the test, aloud, where it is missing.
func newDesk(t *testing.T) *desk {
	t.Helper()
	for _, name := range []string{"dbus-daemon", "xmessage", "xprop"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("NOT CHECKED: no %s here", name)
		}
	}
	if out, err := exec.Command("unshare", "--mount", "mount", "--bind", t.TempDir(), "/sys/class/power_supply").CombinedOutput(); err != nil {
		t.Skipf("NOT CHECKED: power supplies cannot be made up: %v %s", err, out)
	}
	d := &desk{t: t, supplies: t.TempDir(), apps: t.TempDir(), display: startDisplay(t), metered: 2}
	address := d.startBus()
	d.env = []string{"DBUS_SYSTEM_BUS_ADDRESS=" + address, "DBUS_SESSION_BUS_ADDRESS=" + address, "DISPLAY=" + d.display}
	d.supply("AC", map[string]string{"type": "Mains", "online": "1"})
	d.supply("BAT0", map[string]string{"type": "Battery", "capacity": "80", "status": "Full"})
	d.fill(false)
	return d
}

// startBus starts a bus for the test alone, with the services on it.
func (d *desk) startBus() (address string) {
	d.t.Helper()
	tell, told, err := os.Pipe()
	if err != nil {
		d.t.Fatal(err)
	}
	defer tell.Close()
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=3", "--address=unix:path="+filepath.Join(d.t.TempDir(), "bus"))
	cmd.ExtraFiles = []*os.File{told}
	startWith(d.t, cmd)
	told.Close()
	line, err := bufio.NewReader(tell).ReadString('\n')
	if err != nil {
		d.t.Fatalf("no bus: %v", err)
	}
	address = strings.TrimSpace(line)
	if d.bus, err = dbus.Connect(address); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { d.bus.Close() })
	d.serve("/org/freedesktop/NetworkManager", nmName, map[string]any{}, map[string]func() any{
		"State": func() any { return uint32(70) }, "PrimaryConnectionType": func() any { return "802-3-ethernet" },
		"PrimaryConnection": func() any { return dbus.ObjectPath("/connection") }, "Metered": func() any { return d.is().metered },
	})
	d.serve("/org/freedesktop/login1", loginName, map[string]any{"ListInhibitors": d.inhibitors}, map[string]func() any{
		"PreparingForSleep": func() any { return false },
	})
	d.serve("/org/gnome/Mutter/IdleMonitor/Core", mutterName, map[string]any{
		"GetIdletime":        func() (uint64, *dbus.Error) { return uint64(time.Hour.Milliseconds()), nil },
		"AddIdleWatch":       func(uint64) (uint32, *dbus.Error) { return 1, nil },
		"AddUserActiveWatch": func() (uint32, *dbus.Error) { return 2, nil },
		"RemoveWatch":        func(uint32) *dbus.Error { return nil },
	}, nil)
	return address
}

// serve offers an object of a service. The interface of logind's has another name than the service.
func (d *desk) serve(path dbus.ObjectPath, name string, methods map[string]any, values map[string]func() any) {
	d.t.Helper()
	get := func(_, property string) (dbus.Variant, *dbus.Error) {
		if v, ok := values[property]; ok {
			return dbus.MakeVariant(v()), nil
		}
		return dbus.Variant{}, dbus.NewError("org.freedesktop.DBus.Error.UnknownProperty", nil)
	}
	iface := name
	if name == loginName {
		iface += ".Manager"
	}
	for _, err := range []error{
		d.bus.ExportMethodTable(methods, path, iface), d.bus.ExportMethodTable(map[string]any{"Get": get}, path, properties),
	} {
		if err != nil {
			d.t.Fatal(err)
		}
	}
	if _, err := d.bus.RequestName(name, dbus.NameFlagDoNotQueue); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) is() (is struct {
	metered uint32
	film    bool
}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	is.metered, is.film = d.metered, d.film
	return is
}

// inhibitor is one of logind's list.
type inhibitor struct {
	What, Who, Why, Mode string
	UID, PID             uint32
}

func (d *desk) inhibitors() ([]inhibitor, *dbus.Error) {
	list := []inhibitor{}
	if d.is().film {
		list = append(list, inhibitor{"idle", "player", "shows a film", "block", 1000, 4711})
	}
	return list, nil
}

// tell tells that properties of an object have changed.
func (d *desk) tell(path dbus.ObjectPath, iface string) {
	d.t.Helper()
	if err := d.bus.Emit(path, properties+".PropertiesChanged", iface, map[string]dbus.Variant{}, []string{}); err != nil {
		d.t.Error(err)
	}
}

// pay says whether the network costs by the byte.
func (d *desk) pay(metered bool) {
	d.mu.Lock()
	d.metered = 2
	if metered {
		d.metered = 1
	}
	d.mu.Unlock()
	d.tell("/org/freedesktop/NetworkManager", nmName)
}

// play shows a film, or ends it.
func (d *desk) play(film bool) {
	d.mu.Lock()
	d.film = film
	d.mu.Unlock()
	d.tell("/org/freedesktop/login1", loginName+".Manager")
}

// supply writes what the kernel says of a power supply.
func (d *desk) supply(name string, values map[string]string) {
	d.t.Helper()
	dir := filepath.Join(d.supplies, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		d.t.Fatal(err)
	}
	for k, v := range values {
		if err := os.WriteFile(filepath.Join(dir, k), []byte(v+"\n"), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
}

// power puts the computer on mains or on battery, and tells of it as the kernel does.
func (d *desk) power(mains bool) {
	d.t.Helper()
	online, status := "1", "Full"
	if !mains {
		online, status = "0", "Discharging"
	}
	d.supply("BAT0", map[string]string{"status": status})
	d.supply("AC", map[string]string{"online": online})
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		d.t.Fatal(err)
	}
	defer unix.Close(fd)
	const message = "change@/devices/made/up/AC\x00ACTION=change\x00DEVPATH=/devices/made/up/AC\x00SUBSYSTEM=power_supply\x00SEQNUM=1\x00"
	if err := unix.Sendto(fd, []byte(message), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: 1}); err != nil {
		d.t.Fatalf("tell of a power supply: %v", err)
	}
}

// x runs a program that draws or asks on the screen, and returns what it says.
func (d *desk) x(args ...string) string {
	d.t.Helper()
	return startWith(d.t, exec.Command(args[0], args[1:]...), "DISPLAY="+d.display).succeed().stdout.String()
}

// fill has a window fill the screen as window managers say it, until it is called again with false. It returns when
// they did.
func (d *desk) fill(screen bool) (at time.Time) {
	d.t.Helper()
	if !screen {
		d.x("xprop", "-root", "-f", "_NET_ACTIVE_WINDOW", "32x", "-set", "_NET_ACTIVE_WINDOW", "0x0")
		return at
	}
	startWith(d.t, exec.Command("xmessage", "-geometry", "640x480+0+0", "-title", "film", "x"), "DISPLAY="+d.display)
	window := ""
	until(d.t, "a window", func() bool {
		p := startWith(d.t, exec.Command("xdotool", "search", "--name", "^film$"), "DISPLAY="+d.display)
		p.wait()
		window, _, _ = strings.Cut(strings.TrimSpace(p.stdout.String()), "\n")
		return window != ""
	})
	d.x("xprop", "-id", window, "-f", "_NET_WM_STATE", "32a", "-set", "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN")
	at = time.Now()
	d.x("xprop", "-root", "-f", "_NET_ACTIVE_WINDOW", "32x", "-set", "_NET_ACTIVE_WINDOW", window)
	return at
}

// program runs a program with a name of its own, until end is called.
func (d *desk) program(name string) (end func()) {
	d.t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		d.t.Fatal(err)
	}
	b, err := os.ReadFile(sleep)
	if err != nil {
		d.t.Fatal(err)
	}
	path := filepath.Join(d.apps, name)
	if err := os.WriteFile(path, b, 0o755); err != nil {
		d.t.Fatal(err)
	}
	p := startWith(d.t, exec.Command(path, "3600"))
	return func() {
		p.signal(unix.SIGKILL)
		<-p.ended
	}
}

// run is the command of a program that finds this desk's power supplies in place of the kernel's. The process is that of the program.
func (d *desk) run(args ...string) *exec.Cmd {
	const script = `mount --bind "$1" /sys/class/power_supply && shift && exec "$@"`
	return exec.Command("unshare", append([]string{"--mount", "sh", "-c", script, "sh", d.supplies}, args...)...)
}
