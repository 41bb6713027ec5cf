package robots

import (
	"context"
	"time"

	"github.com/forage-net/forage/crawl"
)

// maxRedirects is how many redirects to a robots.txt are followed (RFC 9309
// §2.3.1.2 asks for five at least).
const maxRedirects = 5

// Getter sends one GET request and follows no redirect. An error means that
// there was no answer.
type Getter interface {
	GetRobots(ctx context.Context, u crawl.URL) (Reply, error)
}

// Reply is an answer of a server.
type Reply struct {
	Status int
	// Location is the header of that name, as it came.
	Location string
	// CacheControl is the header of that name, as it came.
	CacheControl string
	// RetryAfter is how long the server asks to be left alone, 0 if it does not.
	RetryAfter time.Duration
	// Body is decoded. The getter may stop reading after MaxBody bytes, or later.
	Body []byte
	// Torn says that Body is not all of it.
	Torn bool
}

// Fetch asks the origin for its robots.txt and returns what it learned. Any
// URL of the origin will do. Of old, the record there was before, only
// the count of failures matters: rules do not outlive their day. If ctx ends
// before there is a whole answer, nothing was learned and the zero Record is returned, which is not to
// be kept: that we stopped is no failure of the site.
func Fetch(ctx context.Context, get Getter, origin crawl.URL, old Record, now time.Time) Record {
	r := Record{Class: ClassUnreachable, Fetched: now.Truncate(time.Second)}
	reply, own, ok := follow(ctx, get, origin)
	r.Status = reply.Status
	if r.Status < 100 || r.Status > 999 {
		r.Status, ok = 0, false
	}
	if ok {
		r.Class = classOf(reply)
	}
	if r.Class != ClassUnreachable {
		r.Lifetime = lifetimeOf(reply.CacheControl)
	}
	switch r.Class {
	case ClassRules:
		r.Body = condense(reply.Body, own)
		if r.Lifetime > 0 { // else it must be read again before the first page may be
			r.Lifetime = min(max(r.Lifetime, 2*Parse(r.Body).CrawlDelay()), lifetime)
		}
	case ClassUnreachable:
		if ctx.Err() != nil {
			return Record{}
		}
		if old.Class == ClassUnreachable {
			r.Failures = old.Failures
		}
		r.Failures += min(1, 255-r.Failures)
		r.NextTry = r.Fetched.Add(max(retryAfter(r.Failures), min(reply.RetryAfter, crawl.MaxWait)))
	}
	return r
}

// follow requests the robots.txt of origin, own, and what it redirects to, which
// may be elsewhere. It reports false if that led to no answer.
func follow(ctx context.Context, get Getter, origin crawl.URL) (last Reply, own crawl.URL, ok bool) {
	own, err := crawl.ParseURL(origin.Origin() + ownPath)
	if err != nil {
		return Reply{}, own, false
	}
	u := own
	for range 1 + maxRedirects {
		reply, err := get.GetRobots(ctx, u)
		if err != nil {
			return Reply{}, own, false
		}
		last = reply
		switch reply.Status {
		case 301, 302, 303, 307, 308:
		default:
			return reply, own, true
		}
		if reply.Location == "" {
			return reply, own, false
		}
		if u, err = u.Resolve(reply.Location); err != nil {
			return reply, own, false
		}
	}
	// RFC 9309 lets a crawler take this for "no robots.txt". The careful
	// reading is that we do not know what the site wants.
	return last, own, false
}

// classOf says what an answer means (RFC 9309 §2.3.1).
func classOf(r Reply) Class {
	switch s := r.Status; {
	case 200 <= s && s <= 299:
		if r.Torn && len(r.Body) < MaxBody {
			return ClassUnreachable // the rules for us may be in the rest
		}
		return ClassRules
	case s == 429: // "too many requests" says nothing about the file
		return ClassUnreachable
	case 400 <= s && s <= 499:
		return ClassAllowAll
	}
	return ClassUnreachable
}

// retryAfter returns how long to leave a server alone after the nth failure in a row.
func retryAfter(n uint8) time.Duration {
	wait := firstRetry
	for ; n > 1 && wait < crawl.MaxWait; n-- {
		wait *= 2
	}
	return min(wait, crawl.MaxWait)
}
