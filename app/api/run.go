package api

import (
	"context"
	"time"
)

// RunMode says when a node works, as its user chose. It is a view of the setting level.in_use and of a pause, not a
// thing of its own.
type RunMode string

// The modes. The user's other limits hold in each.
const (
	RunAlways RunMode = "always" // also while somebody uses the computer
	RunAway   RunMode = "away"   // while nobody does
	RunOff    RunMode = "off"    // not at all: paused
)

// Moder is the part of a Node that knows when it works.
type Moder interface {
	// SetRun takes a mode. What the user asked for by hand before ends.
	SetRun(ctx context.Context, mode RunMode) error
}

// RunRequest is the body of POST /api/run.
type RunRequest struct {
	// Run is "always", "away" or "off".
	Run RunMode `json:"run"`
}

// UntilTomorrow is how long a pause until tomorrow is: until six in the morning in the zone of now, when a new day
// begins for most; before four in the morning that is today's. It is at least a minute.
func UntilTomorrow(now time.Time) time.Duration {
	day := now.Day()
	if now.Hour() >= 4 {
		day++
	}
	at := time.Date(now.Year(), now.Month(), day, 6, 0, 0, 0, now.Location())
	return max(time.Minute, at.Sub(now).Round(time.Second))
}

// PauseRequest is the body of POST /api/pause and /api/work.
type PauseRequest struct {
	// For is a duration as Go writes it ("1h30m"), "" until resumed.
	For string `json:"for"`
}
