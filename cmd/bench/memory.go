package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory watches the private memory (RssAnon) of a process. What the store maps
// is not in it: those pages the system takes back when it needs them. It is safe for
// concurrent use.
type memory struct {
	status string // a file

	mu   sync.Mutex
	peak int64
}

// watchMemory looks at a process until ctx is done or it has ended.
func watchMemory(ctx context.Context, pid int) *memory {
	m := &memory{status: fmt.Sprintf("/proc/%d/status", pid)}
	go func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			if now, _ := m.read(); now == 0 {
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return m
}

// read returns the private memory in bytes, now and at most since the start; 0
// where the system does not say.
func (m *memory) read() (now, peak int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now = rssAnon(m.status)
	m.peak = max(m.peak, now)
	return now, m.peak
}

func rssAnon(status string) int64 {
	text, err := os.ReadFile(status)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kB, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			if err != nil {
				return 0
			}
			return kB << 10
		}
	}
	return 0
}
