package api

import (
	"context"
	"time"
)

// Recorder is the part of a Node that keeps a record of its requests to sites.
type Recorder interface {
	// Requests returns requests, the latest first. What is wrong with the question is an
	// *InputError.
	Requests(ctx context.Context, q RequestQuery) (RequestPage, error)
	// RequestReport returns a report about the last days, today among them, for the user to
	// give to others, in the language of ctx.
	RequestReport(ctx context.Context, days int) (string, error)
}

// CodeCut means that this node itself ended the request: work had to stop.
const CodeCut Code = "cut"

// RequestQuery says which requests are wanted. The zero value of a field wants all.
type RequestQuery struct {
	// Before is the Next of a page.
	Before string
	// Limit is how many at most, 1 to 1000.
	Limit int
	// Domain is a domain, Text a part of an address or title in whatever case.
	Domain, Text string
	// Kind is a Code, or a Kind of events about URLs.
	Kind string
}

// RequestPage are some requests, the latest first.
type RequestPage struct {
	Requests []Request `json:"requests"`
	// Next is what to ask for next: before=Next; "" if there are no more. A page may have
	// fewer requests than were asked for, and others come behind it.
	Next string `json:"next"`
	// KeptDays is for how many days requests are recorded, 0 if they are not.
	KeptDays int `json:"kept_days"`
}

// Request is a request that was made to a site, or one that robots.txt kept from being made.
type Request struct {
	Time   time.Time `json:"time"`
	URL    string    `json:"url"`
	Domain string    `json:"domain"`
	// Status is the HTTP status, 0 if there was no answer.
	Status int `json:"status"`
	// Code says what came of it. With "forbidden" and "deferred", nothing was requested.
	Code Code `json:"code"`
	// Bytes counts what was received.
	Bytes  int64  `json:"bytes"`
	TookMs int64  `json:"took_ms"`
	Title  string `json:"title"`
	// Addr is the IP address that was asked, "" if none was.
	Addr string `json:"addr"`
	// Owner is the ID of the node that had the page fetched, "" if it was this one.
	Owner string `json:"owner"`
	// Checks is the ID of the node whose word about the page was checked by it, "" if it was no check. By is the ID of
	// the node that made it for this one, "" if this one did.
	Checks string `json:"checks"`
	By     string `json:"by"`
	// Allowed says why it was made or not: "rules" (a line of robots.txt, which Rule is), "all-allowed"
	// (no line is about it), "no-robots", "robots-itself", "unreadable" or "unreachable" (of
	// robots.txt; then nothing may be requested).
	Allowed string `json:"allowed"`
	Rule    string `json:"rule"`
	// WaitedS is the time since the end of this node's request before to the same domain, -1 if
	// that is not known. GapS is what politeness asked for.
	WaitedS float64 `json:"waited_s"`
	GapS    float64 `json:"gap_s"`
}

// Inquirer is the part of a Node that knows what became of an address.
type Inquirer interface {
	// Why returns what became of an address, or why it was never requested, in the language of ctx. It may ask another
	// member. What is wrong with the text is an *InputError.
	Why(ctx context.Context, address string) (Why, error)
}

// Why is the answer of /api/why.
type Why struct {
	// URL is the address as the crawl spells it, Domain its site.
	URL    string `json:"url"`
	Domain string `json:"domain"`
	// Owner is the peer that keeps track of the site, "" for this node or nobody.
	Owner string `json:"owner"`
	// Verdict is a word for programs: "waiting", "robots", "trap" and the like. New ones may be added.
	Verdict string `json:"verdict"`
	// Sentence says it, Details what else there is to know.
	Sentence string   `json:"sentence"`
	Details  []string `json:"details"`
	// Setting is the one that changes it, "" if none does.
	Setting string `json:"setting"`
	// Next is when the address, or its site, may be visited next; null if that is not known.
	Next *time.Time `json:"next"`
}
