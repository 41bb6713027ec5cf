package sense

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/sense/machine"
)

// most is what all sensors together may take of the whole computer.
const most = 0.001

// TestHub_LongRunCostsLittle measures processor time over a minute, at its most expensive: nobody is there, so
// that the display is asked every second, and a named application is looked for.
func TestHub_LongRunCostsLittle(t *testing.T) {
	if os.Getenv("FORAGE_LONG") == "" {
		t.Skip("takes a minute; FORAGE_LONG=1 runs it")
	}
	env := map[string]string{}
	t.Run("display", func(t *testing.T) {
		cmd := start(t, "Xvfb", "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp")
		env["DISPLAY"] = ":" + cmd.Args[len(cmd.Args)-1]
		bus := filepath.Join(t.TempDir(), "bus")
		start(t, "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path="+bus, "--print-address=3")
		env["DBUS_SESSION_BUS_ADDRESS"], env["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path="+bus, "unix:path="+bus
		measure(t, env)
	})
	if len(env) == 0 {
		measure(t, env)
	}
}

func measure(t *testing.T, env map[string]string) {
	h := New(Options{Getenv: func(k string) string { return env[k] }})
	h.Want(Wanted{Dir: t.TempDir(), Apps: []string{"steam", "a game with a long name"}})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { h.Serve(ctx) })
	time.Sleep(10 * time.Second) // the start is another matter
	before, err := OwnCPU()
	if err != nil {
		t.Fatal(err)
	}
	began, seq := time.Now(), h.Snapshot().Seq
	time.Sleep(time.Minute)
	used, _ := OwnCPU()
	used -= before
	passed := time.Since(began)
	s := h.Snapshot()
	cancel()
	all.Wait()
	share := used.Seconds() / passed.Seconds() / float64(runtime.NumCPU())
	t.Logf("%v of processor time in %v: %.4f %% of the computer (%d processors); %d changes; input by %q", used,
		passed.Round(time.Second),
		100*share, runtime.NumCPU(), s.Seq-seq, s.Input.Source)
	if share > most {
		t.Errorf("sensors take %.3f %% of the computer, want at most %.1f %%", 100*share, 100*most)
	}
}

// One read of each source that polls.
func BenchmarkReads(b *testing.B) {
	h := New(Options{})
	bench := func(name string, read func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Skip(err)
				}
			}
		})
	}
	bench("power", func() error { _, err := machine.ReadPower("/sys"); return err })
	bench("cpu", func() error { _, _, err := machine.ReadCPU("/proc"); return err })
	bench("link", func() error { _, err := machine.ReadLink("/sys", "/proc"); return err })
	bench("addresses", func() error { _, err := addresses(); return err })
	bench("disk", func() error { _, err := DiskSpace("/"); return err })
	apps := machine.Apps{Proc: "/proc"}
	bench("apps, known", func() error { _, err := apps.Scan([]string{"steam"}); return err })
	bench("apps, new", func() error {
		fresh := machine.Apps{Proc: "/proc"}
		_, err := fresh.Scan([]string{"steam"})
		return err
	})
	var clock sleeper
	clock.h = h
	bench("sleep", func() error { clock.look(false); return nil })
	bench("snapshot", func() error { h.Snapshot(); return nil })
}

// What a list of processes costs follows what it costs most of the time.
func TestScanCost(t *testing.T) {
	var c scanCost
	for _, x := range []struct{ took, want time.Duration }{
		{40, 40}, {8, 8}, {9, 9}, {1000, 11}, {1000, 13}, {8, 8},
	} {
		if c.add(x.took); time.Duration(c) != x.want {
			t.Errorf("after %d: %d, want %d", x.took, c, x.want)
		}
	}
}
