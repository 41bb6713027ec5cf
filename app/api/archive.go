package api

import (
	"context"
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
