package api

import (
	"net/url"
	"slices"
	"time"
)

// Link lets a browser in, once.
type Link struct {
	// URL has the key in its fragment, which browsers send to nobody.
	URL string `json:"url"`
	// Expires is when it no longer works.
	Expires time.Time `json:"expires"`
}

// To returns the address that leads to a page of the dashboard, named as in its own addresses: "settings" or
// "mine?q=words"; "" is the first.
func (l Link) To(route string) string {
	if route == "" {
		return l.URL
	}
	return l.URL + "&to=" + url.QueryEscape(route)
}

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
