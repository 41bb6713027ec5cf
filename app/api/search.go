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
