//go:build linux

package e2e

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

// What the desktop costs. It is printed, not judged: it says as much about the computer as about the programs. With
// FORAGE_COSTS=paused it is that of a paused node alone.
func TestCosts(t *testing.T) {
	if os.Getenv("FORAGE_COSTS") == "" {
		t.Skip("set FORAGE_COSTS to have the costs measured")
	}
	l := newLab(t)
	l.crawlWithTray("--lab-times", "real")
	l.icon()
	node := l.node.cmd.Process.Pid
	const length = 30 * time.Second
	report := func(what string, pid int, length time.Duration) {
		begun := cpuTime(t, pid)
		time.Sleep(length)
		share := 100 * (cpuTime(t, pid) - begun).Seconds() / length.Seconds()
		fmt.Printf("%-46s %7.3f %% of a core over %s, %4d MB resident\n", what, share, length, memory(t, pid))
	}
	pause := func() {
		if err := l.client().Pause(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		await(t, "the node rests", func() bool { return l.status().State == api.StatePaused && l.status().InFlight == 0 })
	}
	paused := func() {
		time.Sleep(75 * time.Second) // what it lets go of at rest is gone then
		report("node with tray, paused, no window", node, 4*length)
	}
	if os.Getenv("FORAGE_COSTS") == "paused" {
		pause()
		paused()
		return
	}
	// Without the map of its widgets, which is drawn for tests alone.
	l.env = slices.DeleteFunc(l.env, func(v string) bool { return strings.HasPrefix(v, "FORAGE_WINDOW_MAP=") })
	var first []float64
	for range 5 {
		begun := time.Now()
		w := l.windowUnseen()
		await(t, "something is drawn", w.drawn)
		first = append(first, time.Since(begun).Seconds())
		w.close()
	}
	fmt.Printf("start to first frame: %.2f s\n", first)

	w := l.windowUnseen()
	await(t, "something is drawn", w.drawn)
	time.Sleep(5 * time.Second)
	report("window, overview with the Ring, node at work", w.pid, length)
	for _, page := range []string{"ctrl+2", "ctrl+3", "ctrl+4", "ctrl+5", "ctrl+6"} {
		w.press(page)
		time.Sleep(2 * time.Second)
		report("window, page "+page, w.pid, 10*time.Second)
	}
	report("node with tray, window open, at work", node, length)
	pause()
	w.press("ctrl+1")
	time.Sleep(5 * time.Second)
	report("window, overview, node paused", w.pid, length)
	w.close()
	paused()
}

// windowUnseen starts the window and does not wait for it.
func (l *lab) windowUnseen() *window {
	l.t.Helper()
	p, err := l.launchWindow()
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(p.kill)
	return &window{lab: l, t: l.t, pid: p.cmd.Process.Pid, p: p}
}

// drawn reports whether the window has something in it.
func (w *window) drawn() bool {
	out, _ := w.do("xdotool", "search", "--onlyvisible", "--pid", strconv.Itoa(w.pid))
	if out == "" {
		return false
	}
	w.id = strings.Fields(out)[0]
	img, err := w.screen()
	if err != nil {
		return false
	}
	colours := make(map[color.RGBA]bool)
	for x := 300; x < 900; x++ {
		for y := 100; y < 400; y += 7 {
			colours[img.RGBAAt(x, y)] = true
		}
	}
	return len(colours) > 4
}

// cpuTime is the processor time that a process has used, of the threads that it has. To the nanosecond: a node at rest
// takes less in a minute than ten of the ticks that /proc/PID/stat counts.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "schedstat"))
	if err != nil || len(threads) == 0 {
		t.Fatalf("process %d has %d threads, %v", pid, len(threads), err)
	}
	var sum time.Duration
	for _, name := range threads {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		used, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(used, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}

// memory is what of a process is in memory, in MB.
func memory(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb / 1000
}
