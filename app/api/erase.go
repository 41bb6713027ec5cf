package api

import (
	"context"
)

// Eraser is the part of a Node that deletes what it has.
type Eraser interface {
	// Erase begins to end the node, which then deletes what it is told to, and returns without waiting for that. What
	// was begun is finished by the next start if the process is killed meanwhile. A node of which only sites are erased
	// starts again.
	Erase(ctx context.Context, what Erasure) error
}

// Erasure says what is erased: everything that was fetched and found, unless it names sites or addresses.
type Erasure struct {
	// Sites are domains, with all hosts below them, or hosts with a path.
	Sites []string `json:"sites,omitempty"`
	// URLs are single addresses.
	URLs []string `json:"urls,omitempty"`
	// KeepIdentity leaves the node its name in the network where everything else goes.
	KeepIdentity bool `json:"keep_identity,omitempty"`
}

// IsPart reports whether the rest stays.
func (e Erasure) IsPart() bool { return len(e.Sites)+len(e.URLs) > 0 }

// EraseRequest is the body of POST /api/erase. Confirm must be "erase", so that
// no slip of a script does it.
type EraseRequest struct {
	Confirm string `json:"confirm"`
	// Sites, URLs and KeepIdentity are as in Erasure.
	Sites        []string `json:"sites"`
	URLs         []string `json:"urls"`
	KeepIdentity bool     `json:"keep_identity"`
}
