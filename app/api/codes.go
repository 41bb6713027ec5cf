package api

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
	CodeLie        Code = "lie"   // what another node said was refused
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
