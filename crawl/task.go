package crawl

import "time"

// MaxDepth is the largest number of links a crawl may follow from a seed.
const MaxDepth = 255

// Priority orders tasks of one depth within a host; those that failed come behind all others whatever they have. Lower
// comes first. The numbers are on disk.
type Priority uint8

const (
	PriorityHigh   Priority = 1 // redirect targets, seeds and sitemaps
	PriorityNormal Priority = 2
	PriorityLow    Priority = 3 // feeds
)

// TaskID names a task within its owner's log: where it stands in the queue.
// It is opaque to everyone but crawl/frontier.
type TaskID string

// Task is one URL to fetch.
type Task struct {
	ID  TaskID
	URL URL
	// Depth is the number of links from a seed.
	Depth uint8
	// Redirects is how many redirects in a row led here.
	Redirects uint8
	// Attempts is how often fetching it failed before.
	Attempts uint8
	// Source says that this is a sitemap or a feed, asked for because of the
	// links in it: 1 for one that robots.txt names, one more for each index
	// that led to it, at most MaxSource. It is 0 for a page.
	Source uint8
	// Prior is the last visit of a URL that is visited again, nil for the first.
	Prior *Prior
}

// MaxSource is how deep sitemaps may nest.
const MaxSource = 3

// Prior is what is known from the last visit of a URL.
type Prior struct {
	// Date is when that was, to the second.
	Date time.Time
	// Digest is that of the payload, as Outcome.Digest.
	Digest [20]byte
	// ETag and LastModified are the validators for a conditional request.
	ETag, LastModified string
}

// LeaseID names a lease. It is drawn by chance.
type LeaseID uint64

// Lease is the right to work on some tasks of one domain, all of one host, for a while. It
// travels as durations, never as clock readings: whoever receives it counts
// from before it asked.
type Lease struct {
	ID     LeaseID
	Domain Domain
	// Granter is who granted it, opaque to everyone but those who talk to peers;
	// "" is this node.
	Granter string
	Tasks   []Task
	// For is how long it is valid.
	For time.Duration
	// Gap is the least time from the end of one request to the start of the next
	// that the owner knows of: crawl delay and back-off.
	Gap time.Duration
	// CrawlDelay is what the fetcher read in robots.txt. It goes back to the
	// owner with the lease, which may have led to no outcome.
	CrawlDelay time.Duration
}

// Origin returns the origin that all its tasks are of, "" if it has none.
func (l *Lease) Origin() string {
	if len(l.Tasks) == 0 {
		return ""
	}
	return l.Tasks[0].URL.Origin()
}

// Outlink is a link found on a page, on its way to the owner of its domain.
type Outlink struct {
	URL       URL
	Depth     uint8
	Redirects uint8
	Priority  Priority
	// Source is that of the task it becomes.
	Source uint8
	// Modified is when the page behind it changed last, as a sitemap or feed
	// says; zero if nothing does.
	Modified time.Time
}
