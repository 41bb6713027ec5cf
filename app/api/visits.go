package api

import (
	"context"
	"time"
)

// Visitor is the part of a Node that knows where its fetchers are.
type Visitor interface {
	// Visits returns at most limit visits, those under way first.
	Visits(ctx context.Context, limit int) ([]Visit, error)
}

// Visit is one site at which the node works now.
type Visit struct {
	Domain string `json:"domain"`
	// Owner is whose domain it is, "" if this node's.
	Owner string `json:"owner"`
	// URL is what is asked for, or comes next.
	URL string `json:"url"`
	// Busy says that it is asked for now; otherwise that happens at Next at the earliest.
	Busy bool       `json:"busy"`
	Next *time.Time `json:"next"`
	// Left counts the pages that this lease still names.
	Left int64 `json:"left"`
}

// VisitList is the answer of /api/visits.
type VisitList struct {
	Visits []Visit `json:"visits"`
}
