package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// machine is what this computer had done at some moment; on other systems than
// Linux only the moment is known.
type machine struct {
	at   time.Time
	busy time.Duration // CPU time of all programs
	loop int64         // bytes that were sent over the loopback interface, heads of packets included
}

// tick is the unit of CPU time in /proc: 10 ms on all architectures.
const tick = 10 * time.Millisecond

func readMachine() machine {
	m := machine{at: time.Now()}
	if text, err := os.ReadFile("/proc/stat"); err == nil {
		m.busy = busyTime(string(text))
	}
	if text, err := os.ReadFile("/proc/net/dev"); err == nil {
		m.loop = loopBytes(string(text))
	}
	return m
}

// busyTime reads /proc/stat.
func busyTime(text string) time.Duration {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 8 || fields[0] != "cpu" {
		return 0
	}
	var sum int64
	for i, f := range fields[1:8] { // what guests use is in the first two
		if n, err := strconv.ParseInt(f, 10, 64); err == nil && i != 3 && i != 4 { // idle, waiting for a disk
			sum += n
		}
	}
	return time.Duration(sum) * tick
}

// loopBytes reads /proc/net/dev.
func loopBytes(text string) int64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "lo:"); ok {
			if fields := strings.Fields(rest); len(fields) > 8 {
				n, _ := strconv.ParseInt(fields[8], 10, 64)
				return n
			}
		}
	}
	return 0
}

// process is what a process had used at some moment, and the memory it had, in bytes; 0 where the
// system does not say.
type process struct {
	cpu            time.Duration
	rss, anon, pss int64
}

func readProcess(pid int) process {
	var p process
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		p.cpu = processTime(string(text))
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return p
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		kB, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "Rss":
			p.rss = kB << 10
		case "Anonymous":
			p.anon = kB << 10
		case "Pss":
			p.pss = kB << 10
		}
	}
	return p
}

// processTime reads /proc/PID/stat. The name of the program, in brackets, may
// hold anything.
func processTime(text string) time.Duration {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick
}

// loadAverage returns the load of this computer, "" where the system does not say.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
