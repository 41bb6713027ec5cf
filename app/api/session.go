package api

import (
	"net/url"
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
