package machine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
			sys := t.TempDir()
			writeFile(t, filepath.Join(sys, "class/x"), "")
			for supply, files := range c.supplies {
				for name, content := range files {
					writeFile(t, filepath.Join(sys, "class/power_supply", supply, name), content+"\n")
				}
			}
			got, err := ReadPower(sys)
			if (err != nil) != c.fails || !c.fails && got != c.want {
				t.Errorf("ReadPower = %+v, %v, want %+v, failure %v", got, err, c.want, c.fails)
			}
		})
	}
}

func TestReadPower_ThousandsOfSupplies(t *testing.T) {
	sys := t.TempDir()
	for i := range 2000 {
		writeFile(t, filepath.Join(sys, "class/power_supply", fmt.Sprint("BAT", i), "type"), "Battery\n")
	}
	if _, err := ReadPower(sys); !errors.Is(err, local.ErrAbsurd) {
		t.Errorf("ReadPower = %v", err)
	}
	if _, err := ReadPower("/nowhere/at/all"); err == nil {
		t.Error("without sysfs the power is known")
	}
}

func TestApps(t *testing.T) {
	proc := t.TempDir()
	process := func(pid int, comm, cmdline string) {
		writeFile(t, filepath.Join(proc, fmt.Sprint(pid), "comm"), comm+"\n")
		writeFile(t, filepath.Join(proc, fmt.Sprint(pid), "cmdline"), cmdline)
	}
	process(1, "systemd", "/sbin/init\x00splash\x00")
	process(20, "steam", "/usr/bin/steam\x00-silent\x00")
	process(30, "Game-Linux-Ship", "/opt/Game-Linux-Shipping\x00")
	process(40, "wine64-preloade", `C:\Games\Doom\DOOM.EXE`+"\x00-w\x00")
	process(50, "evil\nname", "")
	process(60, "kworker/0:1", "")
	writeFile(t, filepath.Join(proc, "70/comm"), "")
	writeFile(t, filepath.Join(proc, "version"), "x")
	s := Apps{Proc: proc}
	for _, q := range []struct{ names, want []string }{
		{nil, nil},
		{[]string{"Steam"}, []string{"Steam"}},
		{[]string{"firefox", "steam", "doom", "Doom.exe"}, []string{"doom", "steam"}},
		{[]string{"game-linux-shipping"}, []string{"game-linux-shipping"}},
		{[]string{"game-linux-shipped", "game-linux-ship", "team", "", " "}, nil},
		{[]string{"init"}, []string{"init"}},
	} {
		if got, err := s.Scan(q.names); err != nil || !slices.Equal(got, q.want) {
			t.Errorf("Scan(%q) = %q, %v, want %q", q.names, got, err, q.want)
		}
	}
	// What a process becomes after its start is seen, and what ends is forgotten.
	process(80, "sh", "sh\x00")
	game := []string{"game"}
	s.Scan(game)
	process(80, "game", "game\x00")
	if got, _ := s.Scan(game); len(got) != 1 {
		t.Error("a process that became another program was not seen")
	}
	removeAll(t, filepath.Join(proc, "80"))
	if got, _ := s.Scan(game); len(got) != 0 {
		t.Errorf("%q runs after its end", got)
	}
	removeAll(t, proc)
	if _, err := s.Scan(game); err == nil {
		t.Error("without proc the programs are known")
	}
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
		sys := t.TempDir()
		for name, content := range c.chips {
			writeFile(t, filepath.Join(sys, "class/hwmon", name), content+"\n")
		}
		if got, err := ReadChipHeat(sys); got != c.want || (err != nil) != c.fails || c.fails && !local.IsMissing(err) {
			t.Errorf("%s: ReadChipHeat = %+v, %v, want %+v, failure %t", c.name, got, err, c.want, c.fails)
		}
	}
}

func TestFans(t *testing.T) {
	for _, c := range []struct {
		now, most   string
		loud, known bool
	}{{"0", "4800", false, true}, {"3100", "4800", false, true}, {"3200", "4800", true, true},
		{"3200", "", false, false}, {"-1", "4800", false, false}, {"", "4800", false, false}} {
		sys := t.TempDir()
		dir := filepath.Join(sys, "class/hwmon")
		writeFile(t, filepath.Join(dir, "hwmon3/fan1_input"), c.now+"\n")
		writeFile(t, filepath.Join(dir, "hwmon3/fan1_max"), c.most+"\n")
		writeFile(t, filepath.Join(dir, "hwmon3/fan2_input"), "9000\n") // of which nobody knows whether that is much
		loud, err := ReadFanLoud(sys)
		if loud != c.loud || (err == nil) != c.known || err != nil && !local.IsMissing(err) {
			t.Errorf("%q of %q: loud %t, %v, want %t, known %t", c.now, c.most, loud, err, c.loud, c.known)
		}
	}
}

// A process table as large as is looked at.
func BenchmarkApps_Thousands(b *testing.B) {
	dir := b.TempDir()
	for i := range 5000 {
		writeFile(b, filepath.Join(dir, fmt.Sprint(i+1), "comm"), "x\n")
	}
	s := Apps{Proc: dir}
	for range looksAtNew {
		s.Scan([]string{"steam"})
	}
	for b.Loop() {
		if _, err := s.Scan([]string{"steam"}); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzProc(f *testing.F) {
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1\n"))
	f.Add([]byte(routesHead + route4("eth0", "00000000", "00000000", "0003", 100)))
	f.Add([]byte("00000000000000000000000000000000 00 00000000000000000000000000000000 00 " +
		"fe800000000000000000000000000001 00000400 00000001 00000000 00000003 wlan0\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if all, busy, err := parseStat(b); err == nil && !(busy >= 0 && busy <= all) {
			t.Errorf("busy for %v of %v", busy, all)
		}
		for _, r := range append(parseRoutes4(b), parseRoutes6(b)...) {
			if r.link == "" || bytes.ContainsAny([]byte(r.link), " \n") {
				t.Errorf("a route by %q", r.link)
			}
			linkKind("/nowhere", r.link)
		}
	})
}

const routesHead = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

func route4(link, dest, mask, flags string, metric int) string {
	return fmt.Sprintf("%s\t%s\t0100000A\t%s\t0\t0\t%d\t%s\t0\t0\t0\n", link, dest, flags, metric, mask)
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func removeAll(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
