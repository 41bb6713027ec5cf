package api

import (
	"context"
	"time"
)

// DomainRefused is the State of a domain of which the user of the node wants nothing visited; Reason says why.
const DomainRefused = "not visited"

// Domain is one domain of a node.
type Domain struct {
	Domain string `json:"domain"`
	// Owner is whose it is, "" if this node's.
	Owner string `json:"owner"`
	// State says in plain words what becomes of it: "due", "waiting".
	State string `json:"state"`
	// Reason is a sentence where State needs one, else "".
	Reason string `json:"reason"`
	// Queued, Fetched and Failed count URLs; Duplicates are pages fetched whose content was known.
	Queued     int64 `json:"queued"`
	Fetched    int64 `json:"fetched"`
	Failed     int64 `json:"failed"`
	Duplicates int64 `json:"duplicates"`
	// Bytes counts what was received.
	Bytes int64 `json:"bytes"`
	// Refusals counts answers that asked us to wait or to stay away, Challenges those that asked for proof of being a
	// person, Backoffs how often the wait before the next visit was doubled.
	Refusals   int64 `json:"refusals"`
	Challenges int64 `json:"challenges"`
	Backoffs   int64 `json:"backoffs"`
	// NextVisit is when the next request may be made, nil if it is not known.
	NextVisit *time.Time `json:"next_visit"`
	// CrawlDelayS is what robots.txt asks for, in seconds; 0 if nothing.
	CrawlDelayS float64 `json:"crawl_delay_s"`
	// Title is that of a page of the domain, "" if none is known.
	Title string `json:"title"`
	// Distance says who fetches it from how near, and how near this node would be; "" if that is not known.
	Distance string `json:"distance"`
}

// DomainPage is the answer of /api/domains: at most the number asked for. The
// next page comes after the name of the last one.
type DomainPage struct {
	Domains []Domain `json:"domains"`
}

// Visitor is the part of a Node that knows where its fetchers are.
type Visitor interface {
	// Visits returns at most limit visits, those under way first.
	Visits(ctx context.Context, limit int) ([]Visit, error)
}

// Visit is one site at which the node works now.
type Visit struct {
	Domain string `json:"domain"`
	// Owner is whose domain it is, "" if this node's.
	Owner string `json:"owner"`
	// URL is what is asked for, or comes next.
	URL string `json:"url"`
	// Busy says that it is asked for now; otherwise that happens at Next at the earliest.
	Busy bool       `json:"busy"`
	Next *time.Time `json:"next"`
	// Left counts the pages that this lease still names.
	Left int64 `json:"left"`
}

// VisitList is the answer of /api/visits.
type VisitList struct {
	Visits []Visit `json:"visits"`
}
