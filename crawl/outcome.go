package crawl

import "time"

// Result says what came of a task. The numbers are on disk.
type Result uint8

const (
	// Fetched is a page that was read: status 200 and a text type.
	Fetched Result = 1
	// Redirected is a 3xx; its target is the outcome's only outlink, unless it asks not to be followed.
	Redirected Result = 2
	// Skipped is an answer that was no text; its body was not read.
	Skipped Result = 3
	// Gone is a status that will not get better by asking again: 4xx.
	Gone Result = 4
	// Forbidden means robots.txt forbids it: nothing was requested.
	Forbidden Result = 5
	// Failed is a network error, a time-out or a 5xx: worth another try.
	Failed Result = 6
	// Refused means the site asked for less: 429, or 503 with Retry-After.
	Refused Result = 7
	// Deferred means that nothing on the host may be fetched for
	// Outcome.Wait: its robots.txt cannot be had, or our own network fails.
	Deferred Result = 8
	// Blocked means our own guard forbids the address: nothing was requested.
	Blocked Result = 9
	// Unchanged is a 304: the page is as it was at the last visit.
	Unchanged Result = 10
	// Declined means that the user of this node does not want the site
	// visited: nothing was requested.
	Declined Result = 11
)

// String returns the word that front ends and the log show.
func (r Result) String() string {
	if int(r) < len(resultWords) && resultWords[r] != "" {
		return resultWords[r]
	}
	return "unknown"
}

var resultWords = [...]string{
	Fetched: "fetched", Redirected: "redirected", Skipped: "not text", Gone: "gone",
	Forbidden: "forbidden by robots.txt", Failed: "failed", Refused: "asked to wait", Deferred: "put off",
	Blocked: "address not allowed", Unchanged: "unchanged", Declined: "not to be visited",
}

// Final reports whether the task is done with, as opposed to tried again.
func (r Result) Final() bool { return r != Failed && r != Refused && r != Deferred }

// Outcome is what came of one task of a lease. It travels from the fetcher to
// the owner together with the page's outlinks.
type Outcome struct {
	Lease  LeaseID
	Domain Domain
	// Granter is that of the lease.
	Granter string
	Task    Task
	Result  Result
	// Status is the HTTP status, 0 if there was no answer.
	Status int
	// Reason says in a few words why, where Result does not: "connection refused".
	Reason string
	// Date is when the request was sent by the fetcher's clock: a fact for
	// people and archives, never a clock to count from.
	Date time.Time
	// Took is the time from request to the last byte.
	Took time.Duration
	// Connect is how long the fetcher took to connect to the site, to the millisecond and at least one; 0 if the
	// connection was open before.
	Connect time.Duration
	// Wait is what the site asked for (Retry-After), or how long the host's
	// robots.txt forbids everything; 0 if neither.
	Wait time.Duration
	// CrawlDelay is what robots.txt asks for, 0 if nothing.
	CrawlDelay time.Duration
	// Sent and Received count the bytes of the exchange on the wire.
	Sent, Received int64
	// Digest is the SHA-1 of the payload as it came (de-chunked, still
	// encoded), the zero value if there was none. SHA-1 because CDX tools
	// compare it; nothing relies on it against an attacker.
	Digest [20]byte
	// NoRobots says that the task is Deferred because the host's robots.txt
	// cannot be had.
	NoRobots bool
	// Challenged says that the site asked for proof that we are a person.
	Challenged bool
	// Duplicate says that the digest was archived before, under whatever URL.
	Duplicate bool
	// ETag and LastModified are the validators, "" where absent or longer
	// than MaxValidator.
	ETag, LastModified string
	// Title and Language are for people: at most 200 and 35 bytes.
	Title, Language string
	// Outlinks are canonical, in scope and without repeats.
	Outlinks []Outlink
	// Links is how many outlinks the page itself has: Outlinks may have more, of sitemaps, or
	// fewer, on the way to who knows them.
	Links int
}

// MaxOutlinkBytes is how long the URLs of one outcome's outlinks are together at most, in bytes: it travels in one
// message with whatever else it tells.
const MaxOutlinkBytes = 768 << 10

// MaxValidator is the longest ETag or Last-Modified kept, in bytes.
const MaxValidator = 256
