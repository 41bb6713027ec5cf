package api

import (
	"slices"
)

// WindowPages are the pages that a window can be asked to show.
var WindowPages = []string{"overview", "search", "domains", "statistics", "settings", "about", "setup"}

// IsWindowPage reports whether a window has a page of that name.
func IsWindowPage(name string) bool { return slices.Contains(WindowPages, name) }

// WindowRequest is the body of /api/window.
type WindowRequest struct {
	// Page is what it is to show; without it, what it shows already.
	Page string `json:"page"`
}

// Raised is the answer of /api/window.
type Raised struct {
	// Raised is false if no window is open.
	Raised bool `json:"raised"`
}
