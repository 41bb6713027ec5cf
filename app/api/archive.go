package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"
)

// Librarian is the part of a Node that finds and reads what it has archived.
// What is wrong with what was asked for is an *InputError.
type Librarian interface {
	// Captures returns captures of a URL, newest first, that were written
	// before the capture with the ID before ("" for the newest).
	Captures(ctx context.Context, url, before string, limit int) (CapturePage, error)
	// SearchArchive returns pages with all these words in title or URL, newest
	// first, of those written before the capture with the ID before.
	SearchArchive(ctx context.Context, words, before string, limit int) (SearchPage, error)
	// ReadCapture returns a capture as plain text; lang is "en" or "de", of
	// sentences that stand for what is no text. The error is ErrNoCapture if
	// there is none with that ID.
	ReadCapture(ctx context.Context, id, lang string) (ArchivedPage, error)
}

// ErrNoCapture is returned for an ID of which there is no capture in the
// archive, or none any more.
var ErrNoCapture = errors.New("there is no such capture in the archive, or it was erased")

// ArchivedCapture is one visit of a URL.
type ArchivedCapture struct {
	// ID names it in this archive.
	ID   string    `json:"id"`
	URL  string    `json:"url"`
	Time time.Time `json:"time"`
	// Status is the HTTP status, 0 if there was none.
	Status int `json:"status"`
	// MIME is the media type, "unk" if unknown, "warc/revisit" for a revisit.
	MIME string `json:"mime"`
	// Bytes is what it takes on disk.
	Bytes int64  `json:"bytes"`
	Title string `json:"title"`
	// Revisit says that the page was as before, so that its text is stored with
	// an earlier capture. It can be read all the same.
	Revisit bool `json:"revisit"`
}

// CapturePage is the answer of /api/archive.
type CapturePage struct {
	Captures []ArchivedCapture `json:"captures"`
	// Next is what to ask for next (before); "" if there is nothing more. It
	// may be set though few or no captures came: a call reads for two seconds
	// at most.
	Next string `json:"next"`
}

// SearchResult is a page that a search found.
type SearchResult struct {
	ID     string    `json:"id"`
	URL    string    `json:"url"`
	Time   time.Time `json:"time"`
	Title  string    `json:"title"`
	Domain string    `json:"domain"`
}

// SearchPage is the answer of /api/archive/search.
type SearchPage struct {
	Results []SearchResult `json:"results"`
	// Next is as in CapturePage.
	Next string `json:"next"`
	// Searched counts the captures looked at for this answer.
	Searched int `json:"searched"`
}

// ArchivedPage is a capture as plain text: nothing in it is markup.
type ArchivedPage struct {
	URL        string      `json:"url"`
	Time       time.Time   `json:"time"`
	Title      string      `json:"title"`
	Language   string      `json:"language"`
	Status     int         `json:"status"`
	MIME       string      `json:"mime"`
	Paragraphs []Paragraph `json:"paragraphs"`
	// Links are at most 500 addresses, http or https.
	Links []string `json:"links"`
	// Cut says that there is more of the page than this.
	Cut bool `json:"cut"`
	// HTML says that it is a page, which can be shown as it looked.
	HTML bool `json:"html"`
}

// Paragraph is a piece of text.
type Paragraph struct {
	// Kind is "h1" to "h6", "p", "li" or "pre".
	Kind string `json:"kind"`
	Text string `json:"text"`
}

const (
	maxCaptures  = 100
	maxWords     = 256  // bytes of a search
	maxArchiveID = 128  // bytes
	maxLookup    = 8192 // bytes of a URL
)

// pageOf reads the parameters of a list of captures.
func pageOf(params map[string]string) (before string, limit int, err error) {
	before = params["before"]
	if len(before) > maxArchiveID {
		return "", 0, refuse(http.StatusBadRequest, "before must be the next of an earlier answer")
	}
	limit, err = limitParam(params["limit"])
	return before, limit, err
}

func (s *Server) captures(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "url", "before", "limit")
	if err != nil {
		return err
	}
	before, limit, err := pageOf(params)
	if err != nil {
		return err
	}
	if u := params["url"]; u == "" || len(u) > maxLookup {
		return refuse(http.StatusBadRequest, "url must be an address of at most %d bytes", maxLookup)
	}
	page, err := ask(r, func(ctx context.Context) (CapturePage, error) {
		return s.node.Captures(ctx, params["url"], before, min(limit, maxCaptures))
	})
	if err != nil {
		return asCallError(err)
	}
	page.Captures = filled(page.Captures)
	return writeJSON(w, page)
}

func (s *Server) searchArchive(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "q", "before", "limit")
	if err != nil {
		return err
	}
	before, limit, err := pageOf(params)
	if err != nil {
		return err
	}
	if q := params["q"]; len(q) > maxWords || !utf8.ValidString(q) {
		return refuse(http.StatusBadRequest, "q must be words, of at most %d bytes", maxWords)
	}
	page, err := ask(r, func(ctx context.Context) (SearchPage, error) {
		return s.node.SearchArchive(ctx, params["q"], before, limit)
	})
	if err != nil {
		return asCallError(err)
	}
	page.Results = filled(page.Results)
	return writeJSON(w, page)
}

func (s *Server) readCapture(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "id", "lang")
	if err != nil {
		return err
	}
	lang, err := langParam(r, params["lang"])
	if err != nil {
		return err
	}
	if id := params["id"]; id == "" || len(id) > maxArchiveID {
		return refuse(http.StatusBadRequest, "id must be that of a capture")
	}
	page, err := ask(r, func(ctx context.Context) (ArchivedPage, error) { return s.node.ReadCapture(ctx, params["id"], lang) })
	if err != nil {
		return asCallError(err)
	}
	page.Paragraphs, page.Links = filled(page.Paragraphs), filled(page.Links)
	return writeJSON(w, page)
}

// asCallError gives errors of a node that the caller can mend their status.
func asCallError(err error) error {
	var bad *InputError
	switch {
	case errors.Is(err, ErrNoCapture):
		return refuse(http.StatusNotFound, "%s", ErrNoCapture)
	case errors.As(err, &bad):
		return refuse(http.StatusBadRequest, "%s", err)
	}
	return err
}

// Captures returns at most limit (1 to 100) captures of a URL, newest first.
// before is the Next of an earlier answer, "" for the newest.
func (c *Client) Captures(ctx context.Context, address, before string, limit int) (CapturePage, error) {
	var page CapturePage
	q := url.Values{"url": {address}, "before": {before}, "limit": {strconv.Itoa(limit)}}
	err := c.call(ctx, http.MethodGet, "/api/archive?"+q.Encode(), nil, &page)
	return page, err
}

// SearchArchive returns at most limit (1 to 1000) pages with all these words in
// title or URL, newest first. before is the Next of an earlier answer, "" for
// the newest.
func (c *Client) SearchArchive(ctx context.Context, words, before string, limit int) (SearchPage, error) {
	var page SearchPage
	q := url.Values{"q": {words}, "before": {before}, "limit": {strconv.Itoa(limit)}}
	err := c.call(ctx, http.MethodGet, "/api/archive/search?"+q.Encode(), nil, &page)
	return page, err
}

// ReadCapture returns a capture as plain text. lang is "en" or "de".
func (c *Client) ReadCapture(ctx context.Context, id, lang string) (ArchivedPage, error) {
	var page ArchivedPage
	err := c.call(ctx, http.MethodGet, "/api/archive/page?"+url.Values{"id": {id}, "lang": {lang}}.Encode(), nil, &page)
	return page, err
}
