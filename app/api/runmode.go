package api

import (
	"context"
	"net/http"
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

// runRequest is the body of POST /api/run.
type runRequest struct {
	// Run is "always", "away" or "off".
	Run RunMode `json:"run"`
}

func (s *Server) setRun(w http.ResponseWriter, r *http.Request) error {
	var body runRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	switch body.Run {
	case RunAlways, RunAway, RunOff:
	default:
		return refuse(http.StatusBadRequest, "run must be always, away or off")
	}
	set := func(ctx context.Context) error { return s.node.SetRun(ctx, body.Run) }
	return settingProblem(w, obey(w, r, http.StatusNoContent, set))
}

// SetRun has the node work always, while nobody uses the computer, or not at all.
func (c *Client) SetRun(ctx context.Context, mode RunMode) error {
	return c.call(ctx, http.MethodPost, "/api/run", runRequest{Run: mode}, nil)
}
