package api

import (
	"context"
	"time"
)

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
