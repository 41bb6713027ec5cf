package api

import (
	"context"
	"time"
)

// SiteTeller is the part of a Librarian that sums up a site.
type SiteTeller interface {
	// Site says what the archive has of a domain. The error is ErrNoSite if it has nothing.
	Site(ctx context.Context, domain string) (SiteSummary, error)
}

// SiteSummary is what the archive has of a domain.
type SiteSummary struct {
	Domain      string `json:"domain"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// Languages are at most ten, the one with the most pages first.
	Languages []LanguageCount `json:"languages"`
	// Pages counts its pages in the index, Bytes what their captures take on disk.
	Pages int   `json:"pages"`
	Bytes int64 `json:"bytes"`
	// First and Last are the oldest and the newest visit.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Fresh counts the pages visited within the last 30 days.
	Fresh int `json:"fresh"`
	// LinkingSites counts other domains that link here, TopLinks are at most five of their links.
	LinkingSites int      `json:"linkingSites"`
	TopLinks     []InLink `json:"topLinks"`
	// Top are at most ten pages, without snippets: those that most sites link to, or else those nearest to the root.
	Top []SearchResult `json:"top"`
	// Distance says who fetches the site from how near, and how near this node would be; "" if that is not known.
	Distance string `json:"distance"`
}

// LanguageCount says how many pages are in a language.
type LanguageCount struct {
	// Language is a BCP 47 primary subtag, "" if unknown.
	Language string `json:"language"`
	Pages    int    `json:"pages"`
}
