package sense

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app/sense/local"
)

type supplyFiles map[string]string

func battery(status, now, full, percent string) supplyFiles {
	return supplyFiles{"type": "Battery", "status": status, "energy_now": now, "energy_full": full,
		"capacity": percent, "present": "1"}
}

func mains(online string) supplyFiles { return supplyFiles{"type": "Mains", "online": online} }

func TestReadPower(t *testing.T) {
	for _, c := range []struct {
		name     string
		supplies map[string]supplyFiles
		want     Power
		fails    bool
	}{
		{"desktop", nil, Power{Percent: -1}, false},
		{"desktop with a mouse", map[string]supplyFiles{
			"hidpp_battery_0": {"type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "20",
				"online": "1"},
		}, Power{Percent: -1}, false},
		{"laptop plugged in", map[string]supplyFiles{"AC": mains("1"),
			"BAT0": battery("Charging", "500", "1000", "50")}, Power{false, 50}, false},
		{"laptop on battery", map[string]supplyFiles{"AC": mains("0"),
			"BAT0": battery("Discharging", "500", "1000", "50")}, Power{true, 50}, false},
		{"just unplugged", map[string]supplyFiles{"AC": mains("0"), "BAT0": battery("Full", "1000", "1000", "100")},
			Power{true, 100}, false},
		{"plugged in, yet it discharges", map[string]supplyFiles{"AC": mains("1"),
			"BAT0": battery("Discharging", "500", "1000", "50")}, Power{false, 50}, false},
		{"two batteries of unequal size", map[string]supplyFiles{
			"AC": mains("0"), "BAT0": battery("Not charging", "100", "100", "100"),
			"BAT1": battery("Discharging", "0", "300", "0"),
		}, Power{true, 25}, false},
		{"an empty bay", map[string]supplyFiles{
			"AC": mains("0"), "BAT0": battery("Discharging", "90", "100", "90"),
			"BAT1": {"type": "Battery", "present": "0", "status": "Unknown"},
		}, Power{true, 90}, false},
		{"charged over USB", map[string]supplyFiles{
			"ucsi-source-psy-1": {"type": "USB", "online": "1"}, "BAT0": battery("Charging", "1", "2", "50"),
		}, Power{false, 50}, false},
		{"USB sockets with nothing in them", map[string]supplyFiles{
			"ucsi-source-psy-1": {"type": "USB", "online": "0"}, "BAT0": battery("Discharging", "1", "2", "50"),
		}, Power{true, 50}, false},
		{"tablet without mains", map[string]supplyFiles{"battery": {"type": "Battery", "status": "Discharging",
			"capacity": "77"}}, Power{true, 77}, false},
		{"tablet that is full", map[string]supplyFiles{"battery": {"type": "Battery", "status": "Full",
			"capacity": "100"}}, Power{false, 100}, false},
		{"UPS in use", map[string]supplyFiles{"ups": {"type": "UPS", "status": "Discharging", "capacity": "80"}},
			Power{true, 80}, false},
		{"UPS ready", map[string]supplyFiles{"ups": {"type": "UPS", "status": "Full", "capacity": "100"}},
			Power{false, 100}, false},
		{"battery that does not say", map[string]supplyFiles{"BAT0": {"type": "Battery", "status": "Unknown",
			"capacity": "3"}}, Power{}, true},
		{"broken numbers", map[string]supplyFiles{
			"AC": mains("yes"), "BAT0": battery("Discharging", "-5", "99999999999999999999", "1000"),
		}, Power{true, -1}, false},
		{"more than full", map[string]supplyFiles{"AC": mains("1"), "BAT0": battery("Full", "1200", "1000", "100")},
			Power{false, 100}, false},
		{"full of nothing", map[string]supplyFiles{"AC": mains("1"), "BAT0": battery("Full", "1", "0", "100")},
			Power{false, 100}, false},
		{"empty files", map[string]supplyFiles{"AC": {}, "BAT0": {"type": ""}}, Power{Percent: -1}, false},
		{"huge files", map[string]supplyFiles{"AC": mains(strings.Repeat("1", 1<<20)),
			"BAT0": battery("Charging", "1", "2", "50")}, Power{false, 50}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "power_supply")
			writeFile(t, filepath.Join(dir, "..", "x"), "")
			for supply, files := range c.supplies {
				for name, content := range files {
					writeFile(t, filepath.Join(dir, supply, name), content+"\n")
				}
			}
			got, err := readPower(dir)
			if (err != nil) != c.fails || !c.fails && got != c.want {
				t.Errorf("readPower = %+v, %v, want %+v, failure %v", got, err, c.want, c.fails)
			}
		})
	}
}

func TestReadPower_ThousandsOfSupplies(t *testing.T) {
	dir := t.TempDir()
	for i := range 2000 {
		writeFile(t, filepath.Join(dir, fmt.Sprint("BAT", i), "type"), "Battery\n")
	}
	if _, err := readPower(dir); !errors.Is(err, local.ErrAbsurd) {
		t.Errorf("readPower = %v", err)
	}
	if _, err := readPower("/nowhere/at/all"); err == nil {
		t.Error("without sysfs the power is known")
	}
}

func TestPower_IsReadWhenTheKernelSaysSo(t *testing.T) {
	var k *fakeKernel
	runOn(t, func(c *computer) {
		k = newFakeKernel()
		c.devices = k
		c.file("sys/class/power_supply/AC/type", "Mains")
		c.file("sys/class/power_supply/AC/online", "1")
		c.file("sys/class/power_supply/BAT0/type", "Battery")
		c.file("sys/class/power_supply/BAT0/capacity", "80")
	}, func(c *computer, h *Hub) {
		is(t, "power", after(h, time.Second).Power, Power{false, 80}, "sysfs")
		c.file("sys/class/power_supply/AC/online", "0")
		k.messages <- []byte("add@/devices/usb\x00SUBSYSTEM=usb\x00")
		is(t, "after another event", after(h, time.Second).Power, Power{false, 80}, "sysfs")
		k.messages <- []byte("change@/devices/AC\x00SUBSYSTEM=power_supply\x00SEQNUM=7\x00")
		is(t, "after its event", after(h, time.Second).Power, Power{true, 80}, "sysfs")
		c.file("sys/class/power_supply/AC/online", "1")
		k.messages <- nil // something was lost
		is(t, "after a loss", after(h, time.Second).Power, Power{false, 80}, "sysfs")
		c.file("sys/class/power_supply/AC/online", "0")
		is(t, "without an event", after(h, powerEvery+time.Second).Power, Power{true, 80}, "sysfs")
	})
}

func TestNetwork_CountsWhatChangesOnly(t *testing.T) {
	var k *fakeKernel
	runOn(t, func(c *computer) {
		k = newFakeKernel()
		c.routes = k
	}, func(c *computer, h *Hub) {
		is(t, "at first", after(h, time.Second).Network, 0, "netlink")
		for range 20 { // a lease is renewed
			k.messages <- []byte("x")
			time.Sleep(time.Second)
		}
		is(t, "after renewals", after(h, time.Second).Network, 0, "netlink")
		c.set(func() { c.addresses = "wlan0 198.51.100.7/24" })
		k.messages <- []byte("x")
		is(t, "a second after a new address", after(h, time.Second).Network, 1, "netlink")
		c.set(func() { c.addresses = "" })
		is(t, "without a message", after(h, networkEvery+time.Second).Network, 2, "netlink")
		c.file("proc/net/route", routesHead+route4("eth0", "00000000", "00000000", "0003", 1))
		c.file("sys/class/net/eth0/type", "1")
		k.Close()
		c.set(func() { c.addresses = "eth0 192.0.2.9/24" })
		s := after(h, networkAlone+time.Second)
		is(t, "without the socket", s.Network, 3, "addresses")
		is(t, "what the new one costs", s.Metered, Metered{Guess: true}, "sysfs")
	})
}

const routesHead = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

func route4(link, dest, mask, flags string, metric int) string {
	return fmt.Sprintf("%s\t%s\t0100000A\t%s\t0\t0\t%d\t%s\t0\t0\t0\n", link, dest, flags, metric, mask)
}

func TestReadLink(t *testing.T) {
	const zero, half = "00000000", "00000080"
	wifi := map[string]string{"wlan0/uevent": "DEVTYPE=wlan\nINTERFACE=wlan0\n", "wlan0/type": "1"}
	for _, c := range []struct {
		name    string
		routes  string
		routes6 string
		files   map[string]string
		want    Link
		metered Reading[Metered]
	}{
		{name: "nothing", want: Link{}},
		{name: "a local network only", routes: route4("eth0", "0000A8C0", "00FFFFFF", "0001", 0), want: Link{}},
		{name: "ethernet", routes: route4("eth0", zero, zero, "0003", 100), files: map[string]string{"eth0/type": "1"},
			want:    Link{Up: true, Kind: "ethernet"},
			metered: Reading[Metered]{Known: true, Value: Metered{Guess: true}}},
		{name: "wireless wins by metric", routes: route4("eth0", zero, zero, "0003", 600) + route4("wlan0", zero,
			zero, "0003", 100), files: wifi,
			want: Link{Up: true, Kind: "wifi"}},
		{name: "a route that is down", routes: route4("eth0", zero, zero, "0002", 1) + route4("wlan0", zero, zero,
			"0003", 100), files: wifi,
			want: Link{Up: true, Kind: "wifi"}},
		{name: "mobile", routes: route4("wwan0", zero, zero, "0003", 1),
			files: map[string]string{"wwan0/uevent": "DEVTYPE=wwan\n"},
			want:  Link{Up: true, Kind: "mobile"}, metered: Reading[Metered]{Known: true, Value: Metered{true, true}}},
		{name: "a tunnel before the default", routes: route4("eth0", zero, zero, "0003", 0) + route4("tun0", zero,
			half, "0001", 50) + route4("tun0", half, half, "0001", 50),
			files: map[string]string{"tun0/tun_flags": "0x1001", "eth0/type": "1"},
			want:  Link{Up: true, Kind: "vpn", VPN: true}},
		{name: "WireGuard", routes: route4("wg0", zero, zero, "0001", 0),
			files: map[string]string{"wg0/uevent": "DEVTYPE=wireguard\n"},
			want:  Link{Up: true, Kind: "vpn", VPN: true}},
		{name: "IPv6 alone", routes6: strings.Repeat("0", 32) + " 00 " + strings.Repeat("0",
			32) + " 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003 wlan0\n" +
			strings.Repeat("0", 32) + " 00 " + strings.Repeat("0", 32) + " 00 " + strings.Repeat("0",
			32) + " ffffffff 00000001 00000000 00200200 lo\n",
			files: wifi, want: Link{Up: true, Kind: "wifi"}},
		{name: "a name that leads elsewhere", routes: route4("../../x", zero, zero, "0003", 0),
			want: Link{Up: true, Kind: "other"}},
		{name: "garbage", routes: "\x00\xff\n1 2 3 4 5 6 7 8 9\n" + strings.Repeat("x\t", 1000), want: Link{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, func(m *computer, h *Hub) {
				m.file("proc/net/route", routesHead+c.routes)
				m.file("proc/net/ipv6_route", c.routes6)
				for name, content := range c.files {
					m.file("sys/class/net/"+name, content)
				}
				s := after(h, 3*retryMost)
				is(t, "link", s.Link, c.want, "sysfs")
				if s.Metered.Known != c.metered.Known || s.Metered.Value != c.metered.Value {
					t.Errorf("metered = %+v, want %+v", s.Metered, c.metered)
				}
			})
		})
	}
}

func TestLink_TelephoneOnACableIsNoEthernet(t *testing.T) {
	run(t, func(m *computer, h *Hub) {
		m.file("proc/net/route", routesHead+route4("usb0", "00000000", "00000000", "0003", 0))
		m.file("sys/class/net/usb0/type", "1")
		m.file("sys/bus/drivers/rndis_host/x", "")
		symlink(t, "../../../../bus/drivers/rndis_host", filepath.Join(m.dir, "sys/class/net/usb0/device/driver"))
		s := after(h, 3*retryMost)
		is(t, "link", s.Link, Link{Up: true, Kind: "ethernet"}, "sysfs")
		unknown(t, "metered", s.Metered)
	})
}

func TestAppScan(t *testing.T) {
	c := newComputer(t)
	process := func(pid int, comm, cmdline string) {
		c.file(fmt.Sprintf("proc/%d/comm", pid), comm+"\n")
		c.file(fmt.Sprintf("proc/%d/cmdline", pid), cmdline)
	}
	process(1, "systemd", "/sbin/init\x00splash\x00")
	process(20, "steam", "/usr/bin/steam\x00-silent\x00")
	process(30, "Game-Linux-Ship", "/opt/Game-Linux-Shipping\x00")
	process(40, "wine64-preloade", `C:\Games\Doom\DOOM.EXE`+"\x00-w\x00")
	process(50, "evil\nname", "")
	process(60, "kworker/0:1", "")
	c.file("proc/70/comm", "")
	c.file("proc/version", "x")
	s := appScan{proc: filepath.Join(c.dir, "proc")}
	for _, q := range []struct{ names, want []string }{
		{nil, nil},
		{[]string{"Steam"}, []string{"Steam"}},
		{[]string{"firefox", "steam", "doom", "Doom.exe"}, []string{"doom", "steam"}},
		{[]string{"game-linux-shipping"}, []string{"game-linux-shipping"}},
		{[]string{"game-linux-shipped", "game-linux-ship", "team", "", " "}, nil},
		{[]string{"init"}, []string{"init"}},
	} {
		if got, err := s.scan(q.names); err != nil || !slices.Equal(got, q.want) {
			t.Errorf("scan(%q) = %q, %v, want %q", q.names, got, err, q.want)
		}
	}
	// What a process becomes after its start is seen, and what ends is forgotten.
	process(80, "sh", "sh\x00")
	game := []string{"game"}
	s.scan(game)
	process(80, "game", "game\x00")
	if got, _ := s.scan(game); len(got) != 1 {
		t.Error("a process that became another program was not seen")
	}
	removeAll(t, filepath.Join(c.dir, "proc/80"))
	if got, _ := s.scan(game); len(got) != 0 {
		t.Errorf("%q runs after its end", got)
	}
	removeAll(t, filepath.Join(c.dir, "proc"))
	if _, err := s.scan(game); err == nil {
		t.Error("without proc the programs are known")
	}
}

func TestApps_FollowWhatIsWanted(t *testing.T) {
	run(t, func(c *computer, h *Hub) {
		c.file("proc/9/comm", "game\n")
		is(t, "none named", after(h, time.Minute).Apps, nil, "proc")
		h.Want(Wanted{Apps: []string{"game", "film"}})
		is(t, "named", after(h, time.Second).Apps, []string{"game"}, "proc")
		h.Want(Wanted{Apps: slices.Repeat([]string{"x"}, 10000)})
		is(t, "too many", after(h, time.Second).Apps, nil, "proc")
	})
}

func TestOtherCPU(t *testing.T) {
	run(t, func(c *computer, h *Hub) {
		after(h, 500*time.Millisecond)
		// Of a second of two processors: 30 % user, 10 % nice, 10 % system, 25 % ours, 50 % idle, waiting or stolen.
		c.file("proc/stat", "cpu  160 20 120 1060 20 0 0 20 0 0\ncpu0 1\n")
		c.set(func() { c.own = 500 * time.Millisecond })
		is(t, "cpu", after(h, time.Second).OtherCPU, 0.25, "proc")
		c.file("proc/stat", "cpu  150 20 120 1060 20 0 0 20 0 0\n") // counts that go back
		is(t, "cpu", after(h, cpuEvery).OtherCPU, 0.25, "proc")
		c.file("proc/stat", "cpu  250 20 120 1060 20 0 0 20 0 0\n")
		c.set(func() { c.own = time.Hour }) // more than there was
		is(t, "cpu", after(h, cpuEvery).OtherCPU, 0, "proc")
		c.file("proc/stat", "intr 1 2 3\n")
		unknown(t, "cpu", after(h, cpuEvery).OtherCPU)
		for i := range int(2 * retryMost / time.Second) { // until it is tried again
			c.file("proc/stat", fmt.Sprintf("cpu  %d 2 3 4 5 6 7 8\n", 200*i))
			time.Sleep(time.Second)
		}
		is(t, "cpu", after(h, 0).OtherCPU, 1, "proc")
	})
}

func TestDisk_ThatHangsIsUnknown(t *testing.T) {
	run(t, func(c *computer, h *Hub) {
		hang := make(chan struct{})
		unknown(t, "disk", after(h, time.Minute).Disk)
		h.Want(Wanted{Dir: "/somewhere"})
		is(t, "disk", after(h, time.Second).Disk, Space{5 << 30, 10 << 30}, "file system")
		var asked atomic.Int32
		c.set(func() {
			c.space = func(string) (Space, error) { asked.Add(1); <-hang; return Space{1 << 30, 10 << 30}, nil }
		})
		unknown(t, "disk", after(h, time.Hour).Disk)
		if n := asked.Load(); n != 1 {
			t.Errorf("%d threads hang in the file system", n)
		}
		c.set(func() { c.space = func(string) (Space, error) { return Space{2 << 30, 10 << 30}, nil } })
		hang <- struct{}{}
		is(t, "disk", after(h, retryMost).Disk, Space{2 << 30, 10 << 30}, "file system")
		c.set(func() { c.space = func(string) (Space, error) { return Space{-1, 10}, nil } })
		unknown(t, "disk", after(h, time.Minute).Disk)
	})
}

func TestHeat(t *testing.T) {
	type files map[string]string
	for _, c := range []struct {
		name  string
		chips files
		want  Heat
		fails bool
	}{
		{"a laptop", files{
			"hwmon0/name": "acpitz", "hwmon0/temp1_input": "99000",
			"hwmon1/name": "coretemp", "hwmon1/temp1_input": "61000", "hwmon1/temp1_max": "100000",
			"hwmon1/temp1_crit":  "105000",
			"hwmon1/temp2_input": "63999", "hwmon1/temp2_max": "95000",
			"hwmon2/name": "nvme", "hwmon2/temp1_input": "80000", "hwmon2/temp1_max": "82000",
		}, Heat{63, 95}, false},
		{"one that tells what is critical alone", files{"hwmon0/name": "k10temp", "hwmon0/temp1_input": "45250",
			"hwmon0/temp1_crit": "90000"}, Heat{45, 90}, false},
		{"one that tells no bounds", files{"hwmon0/name": "k10temp", "hwmon0/temp1_input": "45250"}, Heat{45, 0},
			false},
		{"broken numbers", files{
			"hwmon0/name": "coretemp", "hwmon0/temp1_input": "-273000", "hwmon0/temp2_input": "x",
			"hwmon0/temp3_input": "999999999999",
			"hwmon0/temp4_input": "50000", "hwmon0/temp4_max": "0",
		}, Heat{50, 0}, false},
		{"a server in the cloud", files{"hwmon0/name": "power_meter"}, Heat{}, true},
		{"no sysfs", nil, Heat{}, true},
	} {
		dir := filepath.Join(t.TempDir(), "hwmon")
		for name, content := range c.chips {
			writeFile(t, filepath.Join(dir, name), content+"\n")
		}
		if got, err := readChips(dir); got != c.want || (err != nil) != c.fails || c.fails && !local.IsMissing(err) {
			t.Errorf("%s: readChips = %+v, %v, want %+v, failure %t", c.name, got, err, c.want, c.fails)
		}
	}
}

func TestFans(t *testing.T) {
	for _, c := range []struct {
		now, most   string
		loud, known bool
	}{{"0", "4800", false, true}, {"3100", "4800", false, true}, {"3200", "4800", true, true},
		{"3200", "", false, false}, {"-1", "4800", false, false}, {"", "4800", false, false}} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "hwmon3/fan1_input"), c.now+"\n")
		writeFile(t, filepath.Join(dir, "hwmon3/fan1_max"), c.most+"\n")
		writeFile(t, filepath.Join(dir, "hwmon3/fan2_input"), "9000\n") // of which nobody knows whether that is much
		loud, err := readFans(dir)
		if loud != c.loud || (err == nil) != c.known || err != nil && !local.IsMissing(err) {
			t.Errorf("%q of %q: loud %t, %v, want %t, known %t", c.now, c.most, loud, err, c.loud, c.known)
		}
	}
}

// Boards without a driver have zones; what is there is read again and again, and what is not has no effect.
func TestHeat_IsFollowed(t *testing.T) {
	runOn(t, func(c *computer) {
		c.file("sys/class/thermal/thermal_zone0/type", "gpu-thermal")
		c.file("sys/class/thermal/thermal_zone0/temp", "99000")
		c.file("sys/class/thermal/thermal_zone1/type", "cpu-thermal")
		c.file("sys/class/thermal/thermal_zone1/temp", "51200")
	}, func(c *computer, h *Hub) {
		is(t, "temperature", after(h, time.Second).Heat, Heat{51, 0}, "thermal zones")
		if fan := h.Snapshot().FanLoud; fan.Known || !fan.Never {
			t.Errorf("the fan of a board without one: %+v", fan)
		}
		c.file("sys/class/thermal/thermal_zone1/temp", "88000")
		is(t, "temperature", after(h, heatEvery).Heat, Heat{88, 0}, "thermal zones")
		c.file("sys/class/hwmon/hwmon0/name", "cpu_thermal")
		c.file("sys/class/hwmon/hwmon0/temp1_input", "90000")
		c.file("sys/class/hwmon/hwmon0/fan1_input", "2000")
		c.file("sys/class/hwmon/hwmon0/fan1_max", "2000")
		s := after(h, retryMost)
		is(t, "temperature", s.Heat, Heat{90, 0}, "hwmon")
		is(t, "fan", s.FanLoud, true, "hwmon")
	})
}
