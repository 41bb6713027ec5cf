package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Librarian is the part of a Node that finds and reads what it has archived.
// What is wrong with what was asked for is an *InputError.
type Librarian interface {
	// Captures returns captures of a URL, newest first, that were written
	// before the capture with the ID before ("" for the newest).
	Captures(ctx context.Context, url, before string, limit int) (CapturePage, error)
	// ReadCapture returns a capture as plain text; lang is "en" or "de", of
	// sentences that stand for what is no text. The error is ErrNoCapture if
	// there is none with that ID.
	ReadCapture(ctx context.Context, id, lang string) (ArchivedPage, error)
	Searcher
	LinkFinder
	SiteTeller
	Finder
}

// ErrNoCapture is returned for an ID of which there is no capture in the archive, or none any more.
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
	maxArchiveID = 128  // bytes
	maxLookup    = 8192 // bytes of a URL
)

// pageOf reads the parameters of a list of captures.
func pageOf(params map[string]string) (before string, limit int, err error) {
	before = params["before"]
	if len(before) > maxArchiveID {
		return "", 0, refuse(http.StatusBadRequest, "before must be the next of an earlier answer")
	}
	limit, err = limitParam(params)
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
	return reply(w, r, func(ctx context.Context) (CapturePage, error) {
		return s.node.Captures(ctx, params["url"], before, min(limit, maxCaptures))
	})
}

func (s *Server) readCapture(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "id", "lang")
	if err != nil {
		return err
	}
	if id := params["id"]; id == "" || len(id) > maxArchiveID {
		return refuse(http.StatusBadRequest, "id must be that of a capture")
	}
	return reply(w, r, func(ctx context.Context) (ArchivedPage, error) {
		return s.node.ReadCapture(ctx, params["id"], Lang(ctx))
	})
}

// Captures returns at most limit (1 to 100) captures of a URL, newest first.
// before is the Next of an earlier answer, "" for the newest.
func (c *Client) Captures(ctx context.Context, address, before string, limit int) (CapturePage, error) {
	q := url.Values{"url": {address}, "before": {before}, "limit": {strconv.Itoa(limit)}}
	return getAs[CapturePage](ctx, c, "/api/archive?"+q.Encode())
}

// ReadCapture returns a capture as plain text. lang is "en" or "de".
func (c *Client) ReadCapture(ctx context.Context, id, lang string) (ArchivedPage, error) {
	return getAs[ArchivedPage](ctx, c, "/api/archive/page?"+url.Values{"id": {id}, "lang": {lang}}.Encode())
}
