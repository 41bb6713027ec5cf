package api

import (
	"time"
)

// Kind says what an event is about.
type Kind string

const (
	KindPage     Kind = "page"     // a page was fetched
	KindRedirect Kind = "redirect" // a site pointed elsewhere
	KindProblem  Kind = "problem"  // a URL could not be fetched
	KindRobots   Kind = "robots"   // robots.txt was read, or forbade something
	KindDomain   Kind = "domain"   // a domain came, went, or changed its state
	KindNode     Kind = "node"     // the node itself
	KindSwarm    Kind = "swarm"    // links, leases and domains that went to other nodes or came
)

// Event is one thing that happened.
type Event struct {
	// ID counts from 1 at each start of the node and grows.
	ID   uint64    `json:"id"`
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`
	// Code says exactly what happened, Kind what it is about.
	Code Code `json:"code"`
	// Domain and URL are "" where the event is about none.
	Domain string `json:"domain"`
	URL    string `json:"url"`
	// At is the place of Domain on the ring, 0 ≤ At < 1; -1 if there is no Domain.
	At float64 `json:"at"`
	// Peer is the ID of the other node that has a part in it, "" if none has.
	Peer string `json:"peer"`
	// Count is how many links, domains or members it is about, 0 where that means
	// nothing. Of several domains, Domain is one.
	Count int64 `json:"count"`
	// Status is the HTTP status, 0 if there was none.
	Status int `json:"status"`
	// Bytes counts what was received.
	Bytes int64 `json:"bytes"`
	// TookMs is the time from request to last byte in milliseconds, 0 if nothing was requested or it is not known.
	TookMs int64 `json:"took_ms"`
	// First says that nobody in the network had fetched this page before: Counts.Firsts counts such.
	First bool `json:"first"`
	// Title is that of the page, Language the ISO 639 code of what it says it is in; "" if that is not known.
	Title    string `json:"title"`
	Language string `json:"language"`
	// Text says it in words, in the language that was asked for, as "forage log" prints it.
	Text string `json:"text"`
	// Said says it in a language; nil where Text is all there is. Text is put into the language of who asks.
	Said func(lang string) string `json:"-"`
}

// In puts the text into a language.
func (e *Event) In(lang string) {
	if e.Said != nil {
		e.Text = e.Said(lang)
	}
}

// EventPage is a run of events.
type EventPage struct {
	BootID string  `json:"boot_id"`
	Events []Event `json:"events"`
	// Next is what to ask for next: since=Next.
	Next uint64 `json:"next"`
	// Dropped says that events before these were missed: they are no longer kept, or are of another start of the node.
	// What was derived from events is out of date; a new status is the remedy.
	Dropped bool `json:"dropped"`
}

// Code is a stable word for what happened, for front ends that draw or translate it. New ones may be added.
type Code string

// What came of a URL. Peer is the owner of its domain where that is another node.
const (
	CodeFetched    Code = "fetched"    // a page was fetched
	CodeUnchanged  Code = "unchanged"  // visited again, and as before
	CodeRedirected Code = "redirected" // the site pointed elsewhere
	CodeGone       Code = "gone"       // 404 and the like
	CodeSkipped    Code = "skipped"    // no text: its body was not read
	CodeForbidden  Code = "forbidden"  // robots.txt forbids it: nothing was requested
	CodeFailed     Code = "failed"     // no answer, or an error of the site
	CodeRefused    Code = "refused"    // the site asked for less
	CodeDeferred   Code = "deferred"   // nothing of the host is fetched for now
	CodeBlocked    Code = "blocked"    // an address that is not visited: nothing was requested
	CodeDeclined   Code = "declined"   // the user does not want it: nothing was requested
)

// CodeRobots means that a robots.txt was asked for.
const CodeRobots Code = "robots"

// What happened between nodes. Peer is the other one.
const (
	CodeLinksSent     Code = "links-sent"     // Count links, which the owner of their domains has for good
	CodeLinksReceived Code = "links-received" // Count links to domains of this node
	CodeLeaseLent     Code = "lease-lent"     // Count domains of this node that another fetches now
	CodePagesReceived Code = "pages-received" // Count pages of such domains that the other fetched and told of
	CodeLeaseReturned Code = "lease-returned" // Count of those that came back
	CodeLeaseHeld     Code = "lease-held"     // Count domains of another node that this one fetches now
	CodeLeaseBrought  Code = "lease-brought"  // Count of those that were given back
	CodeDomainCame    Code = "domain-came"    // Count domains that another node handed to this one
	CodeDomainLeft    Code = "domain-left"    // Count domains that this node handed to another
	// Count pages that the other reported are fetched again: checks say it cannot be believed
	CodeWorkUndone Code = "work-undone"
	CodeSwarm      Code = "swarm" // who the members are has changed: Count own domains now
)

// What the user or the node itself did.
const (
	CodeDomainRefused Code = "domain-refused" // the user wants a site not to be visited
	CodeDomainAllowed Code = "domain-allowed" // and this one again
	CodeState         Code = "state"          // the node works, waits or pauses
	CodeStopping      Code = "stopping"       // the node ends in order: what comes after is of another start
	CodePace          Code = "pace"           // it goes slower or faster, as sites answer
)

// Kind returns what kind of event has a code that is about a URL; "" for others.
func (c Code) Kind() Kind {
	switch c {
	case CodeFetched, CodeUnchanged:
		return KindPage
	case CodeRedirected:
		return KindRedirect
	case CodeForbidden, CodeDeferred, CodeRobots:
		return KindRobots
	case CodeGone, CodeSkipped, CodeFailed, CodeRefused, CodeBlocked, CodeDeclined, CodeCut:
		return KindProblem
	}
	return ""
}
