package demo

import (
	"sync/atomic"
)

// role is what a right crawler does with a URL.
type role uint8

const (
	roleOther     role = iota // may be requested, any number of times
	roleExpected              // an HTML page, got once
	roleForbidden             // never requested
)

// String returns the word for it in WriteTruth.
func (r role) String() string {
	switch r {
	case roleExpected:
		return "expected"
	case roleForbidden:
		return "forbidden"
	}
	return "optional"
}

// page is what one URL of a site answers.
type page struct {
	site  *site
	host  string
	path  string // with query, percent-encoded, canonical
	title string // of an HTML page, without the site's
	head  string // what stands in its head besides the usual
	role  role
	// rooted says that links within the site are absolute paths, so that the
	// document means the same whatever its base.
	rooted bool

	status   int    // 200 if 0
	location string // of a redirect
	tag      string // X-Robots-Tag

	// write writes the document; nil for what is not HTML.
	write func(*writer)
	// file and fileType are what a page without write answers.
	file     []byte
	fileType string

	// fails is the status of the first answer, if that one is a failure.
	fails    int
	asked    atomic.Bool
	cached   atomic.Pointer[[]byte]
	filledAt atomic.Int64 // where the filler of a bulky web goes in what is cached, 0 for nowhere
}

func (p *page) url() string { return "http://" + p.host + p.path }

// fullTitle is what the title element holds.
func (p *page) fullTitle() string {
	if p.title == "" {
		return p.site.title
	}
	return p.title + " — " + p.site.title
}
