package sense

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

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
		is(t, "power", after(h, time.Second).Power, Power{Percent: 80}, "sysfs")
		c.file("sys/class/power_supply/AC/online", "0")
		k.messages <- []byte("add@/devices/usb\x00SUBSYSTEM=usb\x00")
		is(t, "after another event", after(h, time.Second).Power, Power{Percent: 80}, "sysfs")
		k.messages <- []byte("change@/devices/AC\x00SUBSYSTEM=power_supply\x00SEQNUM=7\x00")
		is(t, "after its event", after(h, time.Second).Power, Power{OnBattery: true, Percent: 80}, "sysfs")
		c.file("sys/class/power_supply/AC/online", "1")
		k.messages <- nil // something was lost
		is(t, "after a loss", after(h, time.Second).Power, Power{Percent: 80}, "sysfs")
		c.file("sys/class/power_supply/AC/online", "0")
		is(t, "without an event", after(h, powerEvery+time.Second).Power, Power{OnBattery: true, Percent: 80}, "sysfs")
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
			want:  Link{Up: true, Kind: "mobile"}, metered: Reading[Metered]{Known: true, Value: Metered{Yes: true, Guess: true}}},
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

// Boards without a driver have zones; what is there is read again and again, and what is not has no effect.
func TestHeat_IsFollowed(t *testing.T) {
	runOn(t, func(c *computer) {
		c.file("sys/class/thermal/thermal_zone0/type", "gpu-thermal")
		c.file("sys/class/thermal/thermal_zone0/temp", "99000")
		c.file("sys/class/thermal/thermal_zone1/type", "cpu-thermal")
		c.file("sys/class/thermal/thermal_zone1/temp", "51200")
	}, func(c *computer, h *Hub) {
		is(t, "temperature", after(h, time.Second).Heat, Heat{Celsius: 51}, "thermal zones")
		if fan := h.Snapshot().FanLoud; fan.Known || !fan.Never {
			t.Errorf("the fan of a board without one: %+v", fan)
		}
		c.file("sys/class/thermal/thermal_zone1/temp", "88000")
		is(t, "temperature", after(h, heatEvery).Heat, Heat{Celsius: 88}, "thermal zones")
		c.file("sys/class/hwmon/hwmon0/name", "cpu_thermal")
		c.file("sys/class/hwmon/hwmon0/temp1_input", "90000")
		c.file("sys/class/hwmon/hwmon0/fan1_input", "2000")
		c.file("sys/class/hwmon/hwmon0/fan1_max", "2000")
		s := after(h, retryMost)
		is(t, "temperature", s.Heat, Heat{Celsius: 90}, "hwmon")
		is(t, "fan", s.FanLoud, true, "hwmon")
	})
}
