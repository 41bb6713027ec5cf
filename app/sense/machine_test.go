package sense

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/assets/words"
)

// TestHub_OnThisComputer reads what there is, and with -v prints it as forage doctor would.
func TestHub_OnThisComputer(t *testing.T) {
	h := New(Options{})
	h.Want(Wanted{Dir: t.TempDir(), Apps: []string{"sense.test"}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx) }()
	changes, stop := h.Subscribe()
	defer stop()
	over := time.After(30 * time.Second)
	for waiting := true; waiting && !settled(h); {
		select {
		case <-changes:
		case <-time.After(100 * time.Millisecond): // failures of sources are no changes
		case <-over:
			t.Error("not every sensor has settled")
			waiting = false
		}
	}
	for _, s := range h.Status(words.English) {
		t.Log(statusText(s))
		if !s.Known && s.Why == "" {
			t.Errorf("%s is not known, and nobody says why", s.Name)
		}
	}
	if s := h.Snapshot(); s.Disk.Known && (s.Disk.Value.Free < 0 || s.Disk.Value.Total <= 0) {
		t.Errorf("disk = %+v", s.Disk)
	}
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("Serve = %v", err)
	}
}

// settled reports whether no source is still starting that has its turn.
func settled(h *Hub) bool {
	for _, s := range h.Status(words.English) {
		for _, r := range s.Sources {
			if !s.Known && r.State == "starting" {
				return false
			}
		}
	}
	return true
}

func statusText(s Status) string {
	text := fmt.Sprintf("%-25s %s (%s)", s.Name, s.Value, s.Source)
	if !s.Known {
		text = fmt.Sprintf("%-25s not known: %s", s.Name, s.Why)
	}
	for _, r := range s.Sources {
		text += fmt.Sprintf("\n%27s %s: %s", "", r.Name, r.State)
	}
	return text
}
