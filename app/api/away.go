package api

import (
	"context"
	"time"
)

// Returner is the part of a Node that tells a user who comes back what it did meanwhile.
type Returner interface {
	// Away returns what was fetched in the last absence of an hour or more, in the language of ctx.
	Away(ctx context.Context) (Away, error)
	// LookAway is Away for a user who looks just now: an absence ends with that. With seen it is not told any more.
	LookAway(ctx context.Context, seen bool) (Away, error)
}

// Away is what was fetched while nobody was there.
type Away struct {
	// Since is when somebody was there last, Until when somebody came back; nil if there is nothing to tell.
	Since *time.Time `json:"since"`
	Until *time.Time `json:"until"`
	// Sentence says how much it was, "" if there is nothing to tell.
	Sentence string `json:"sentence"`
	// Pages counts pages fetched, Firsts those that nobody in the network had fetched before.
	Pages  int64 `json:"pages"`
	Firsts int64 `json:"firsts"`
	// Sites counts the sites they are from, 1000 at most; More says that there were more.
	Sites int64 `json:"sites"`
	More  bool  `json:"more"`
	// Languages are the ISO 639 codes of the languages that pages said they are in.
	Languages []string `json:"languages"`
	// First is one of Firsts, nil if there was none.
	First *AwayPage `json:"first"`
	// Farthest is the site that took longest to connect to, nil if none was measured.
	Farthest *AwaySite `json:"farthest"`
	// Shown are at most five pages that are worth reading, of as many sites.
	Shown []Find `json:"shown"`
	// Milestones were reached meanwhile.
	Milestones []Milestone `json:"milestones"`
}

// AwayPage is a page that was fetched.
type AwayPage struct {
	// ID is that of its capture, "" if that is not found.
	ID     string `json:"id"`
	URL    string `json:"url"`
	Domain string `json:"domain"`
	Title  string `json:"title"`
}

// AwaySite is a site, and how many milliseconds it took to connect to it.
type AwaySite struct {
	Domain string `json:"domain"`
	Ms     int64  `json:"ms"`
}

// LookRequest is the body of POST /api/away.
type LookRequest struct {
	// Seen says that it need not be told any more.
	Seen bool `json:"seen"`
}
