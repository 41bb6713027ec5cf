package api

import (
	"context"
	"time"
)

// Searcher is the part of a Librarian that finds pages by their words.
type Searcher interface {
	// SearchArchive returns at most limit pages that answer a query best, best first. from is "" or the Next of an
	// earlier answer to the same query.
	//
	// In a query, all words are wanted; "a phrase" is wanted as it stands, and -word unwanted. site:DOMAIN and
	// lang:CODE narrow it, and so do before: and after: with a year, a month or a day: 2026, 2026-03, 2026-03-01.
	SearchArchive(ctx context.Context, query, from string, limit int) (SearchPage, error)
}

// SearchResult is a page that a search found.
type SearchResult struct {
	// ID names the capture in this archive.
	ID     string    `json:"id"`
	URL    string    `json:"url"`
	Time   time.Time `json:"time"`
	Title  string    `json:"title"`
	Domain string    `json:"domain"`
	// Language is a BCP 47 primary subtag, "" if unknown.
	Language string `json:"language"`
	// Snippet is the text of the page around the words. It may be empty: some pages ask that no text of theirs is
	// shown.
	Snippet []SnippetPiece `json:"snippet"`
	// Copies counts further addresses with the same contents; they are not in the results.
	Copies int `json:"copies"`
	// MoreOfSite counts further results of the same domain. Three are shown; a query with site: shows the others.
	MoreOfSite int `json:"moreOfSite"`
	// Links counts other sites that link to this domain, as far as the archive knows.
	Links int `json:"links"`
}

// SnippetPiece is a piece of text. Nothing in it is markup.
type SnippetPiece struct {
	Text string `json:"text"`
	// Match says that this is a word of the query.
	Match bool `json:"match"`
}

// SearchPage is the answer of /api/archive/search.
type SearchPage struct {
	Results []SearchResult `json:"results"`
	// Next is what to ask for next (from); "" if there is nothing more.
	Next string `json:"next"`
	// Total counts the pages that match, copies and all; at most 10000 are counted.
	Total int `json:"total"`
	// More says that there are more than these.
	More bool `json:"more"`
	// Some says that no page has all words; these have some of them.
	Some bool `json:"some"`
	// Pages counts the pages in the index.
	Pages int `json:"pages"`
	// Waiting is about how many pages of the archive are not in the index yet: an estimate from how large pages are.
	Waiting int `json:"waiting"`
	// Full says that the index takes what it may on the disk, so that what waits stays out of it.
	Full bool `json:"full"`
	// Off says that the index is switched off; these pages were found by title and address alone.
	Off bool `json:"off"`
}

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

// LinkFinder is the part of a Librarian that knows who links where.
type LinkFinder interface {
	// LinksTo returns pages of other sites that link to a URL, or to any page of a domain, as far as this archive
	// knows; the newest first. from is "" or the Next of an earlier answer.
	LinksTo(ctx context.Context, target, from string, limit int) (LinksPage, error)
}

// InLink is a link from a page of another site.
type InLink struct {
	// From is the address of the linking page, Site its domain.
	From  string `json:"from"`
	Site  string `json:"site"`
	Title string `json:"title"`
	// Text is the text of the link, "" for an image.
	Text string `json:"text"`
	// To is the address that is linked to.
	To string `json:"to"`
	// First and Last say when the link was seen first and last.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Pages counts the pages of that site that have this link, at least.
	Pages int `json:"pages"`
	// ID names a capture of the linking page.
	ID string `json:"id"`
}

// LinksPage is the answer of /api/archive/links.
type LinksPage struct {
	// Target is what links lead to: a URL or, if Domain says so, any page of a domain.
	Target string `json:"target"`
	Domain bool   `json:"domain"`
	// Sites counts the other sites that link there, Links their links.
	Sites int      `json:"sites"`
	Links int      `json:"links"`
	List  []InLink `json:"list"`
	// Next is as in SearchPage.
	Next string `json:"next"`
}

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
