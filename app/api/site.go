package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"
)

// SiteTeller is the part of a Librarian that sums up a site.
type SiteTeller interface {
	// Site says what the archive has of a domain. The error is ErrNoSite if it has nothing.
	Site(ctx context.Context, domain string) (SiteSummary, error)
}

// ErrNoSite is returned for a domain of which nothing is in the archive.
var ErrNoSite = errors.New("nothing of this site is in the archive")

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

func (s *Server) site(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "domain", "lang")
	if err != nil {
		return err
	}
	if d := params["domain"]; d == "" || len(d) > maxName || !utf8.ValidString(d) {
		return refuse(http.StatusBadRequest, "domain must be the name of a site, of at most %d bytes", maxName)
	}
	return reply(w, r, func(ctx context.Context) (SiteSummary, error) { return s.node.Site(ctx, params["domain"]) })
}

// Site implements SiteTeller.
func (c *Client) Site(ctx context.Context, domain string) (SiteSummary, error) {
	site, err := getAs[SiteSummary](ctx, c, "/api/archive/site?"+url.Values{"domain": {domain}}.Encode())
	var answer *callError
	if errors.As(err, &answer) && answer.status == http.StatusNotFound {
		err = ErrNoSite
	}
	return site, err
}
