package api

import (
	"context"
	"time"
)

// Finder is the part of a Librarian that picks what is worth reading.
type Finder interface {
	// Finds returns a few pages of the last day that are worth reading, in the languages given (BCP 47 primary
	// subtags; none means any), best first.
	Finds(ctx context.Context, languages []string) (Finds, error)
}

// Finds is the answer of /api/archive/finds.
type Finds struct {
	Day   time.Time `json:"day"`
	Pages []Find    `json:"pages"`
}

// Find is a page that is worth reading.
type Find struct {
	SearchResult
	// Reason is "linked" if many sites link to it, "fresh", or "new-site". New ones may be added.
	Reason string `json:"reason"`
}
