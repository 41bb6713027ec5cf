package health

import (
	"net/http"

	"github.com/forage-net/forage/crawl"
)

// Kind says how a site answered a request. The numbers are on disk.
type Kind uint8

const (
	// None says nothing about the address: nothing was requested, or our own
	// network failed.
	None Kind = 0
	// OK is an answer as anybody gets it, 404 included.
	OK Kind = 1
	// Refused is a 403.
	Refused Kind = 2
	// AskedToWait is a 429 or 503: a back-off follows. It is an answer, but no refusal.
	AskedToWait Kind = 3
	// Challenge is a page that wants proof of being human.
	Challenge Kind = 4
	// Failed is no answer, or one of an error in the site (5xx).
	Failed Kind = 5
	// Forbidden means that robots.txt was obeyed: nothing was requested.
	Forbidden Kind = 6

	kinds = 7
)

// KindOf returns what an outcome says. challenged is what Challenged said of
// the response, false if there was none.
func KindOf(o *crawl.Outcome, challenged bool) Kind {
	if challenged {
		return Challenge
	}
	switch o.Result {
	case crawl.Fetched, crawl.Redirected, crawl.Skipped, crawl.Unchanged:
		return OK
	case crawl.Gone:
		switch o.Status {
		case 0: // no such name
			return Failed
		case http.StatusForbidden:
			return Refused
		}
		return OK
	case crawl.Refused:
		return AskedToWait
	case crawl.Failed:
		return Failed
	case crawl.Forbidden:
		return Forbidden
	}
	return None
}

// answers reports whether the site answered.
func (k Kind) answers() bool {
	return k == OK || k == Refused || k == AskedToWait || k == Challenge
}

// refuses reports whether it turned the address away.
func (k Kind) refuses() bool { return k == Refused || k == Challenge }
