package worker

import (
	"errors"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// offlineWait is how long a host is left alone when it seems to be our own
// network that fails: such tries do not count against its tasks.
const offlineWait = 5 * time.Minute

// namesWithin is how long ago a site must have answered for "there is no such
// name" to count as the site's failure: routers say that of every name when they have lost
// their line, and so do captive portals.
const namesWithin = 30 * time.Second

// contact is what is known of our own network. Its methods are safe for concurrent use.
type contact struct {
	now func() time.Time
	lab bool

	mu       sync.Mutex
	answered time.Time // when a site last answered
	failed   time.Time // when one could last not be found or reached
}

// noteAnswer remembers that our own network works.
func (c *contact) noteAnswer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = c.now()
}

// offline reports whether all that was tried lately could not be found or reached.
func (c *contact) offline() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	return c.failed.After(c.answered) && now.Sub(c.failed) < 2*offlineWait && now.Sub(c.answered) > namesWithin
}

// failure makes the outcome of a request that brought no response. Whether it
// is the site or our own network that fails is told by whether others answer.
func (c *contact) failure(err error) crawl.Outcome {
	o := failureOf(err)
	var fe *fetch.Error
	noName := errors.As(err, &fe) && fe.Kind == fetch.KindNoName
	if !noName && o.Result != crawl.Deferred || c.lab && noName { // a lab's hosts file does not lie
		return o
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	c.failed = now
	within := offlineWait
	if noName {
		within = namesWithin
	}
	if !c.answered.IsZero() && now.Sub(c.answered) < within {
		o.Result, o.Wait = crawl.Failed, 0
	} else {
		o.Result, o.Wait = crawl.Deferred, offlineWait
	}
	return o
}

// failureOf makes the outcome of a task whose request brought no response.
func failureOf(err error) crawl.Outcome {
	o := crawl.Outcome{Result: crawl.Failed, Reason: err.Error()}
	var fe *fetch.Error
	if !errors.As(err, &fe) {
		return o
	}
	o.Reason, o.Sent, o.Received = fe.Kind.String(), fe.Sent, fe.Received
	switch fe.Kind {
	case fetch.KindBlocked:
		o.Result = crawl.Blocked
	case fetch.KindNoName:
		o.Result = crawl.Gone
	case fetch.KindLookup, fetch.KindUnreachable:
		o.Result, o.Wait = crawl.Deferred, offlineWait
	}
	return o
}

// elsewhere reports whether another address of the host may do better.
func elsewhere(err error) bool {
	var fe *fetch.Error
	if !errors.As(err, &fe) {
		return false
	}
	switch fe.Kind {
	case fetch.KindRefused, fetch.KindUnreachable, fetch.KindConnectTimeout, fetch.KindBlocked:
		return true
	}
	return false
}

// isStopped reports whether it was us who ended a request.
func isStopped(err error) bool {
	var fe *fetch.Error
	return errors.As(err, &fe) && fe.Kind == fetch.KindStopped
}
