package api

import (
	"context"
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
