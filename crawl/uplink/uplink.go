// Package uplink tells failures of this computer's own network from those of sites.
//
// A router that has lost its line says of every name that there is none, and the network of a hotel answers for every
// site until somebody logs in. Neither says anything of a site: its tasks are put off, and nobody is to blame. An
// Uplink learns from what came of requests whether that is so. It sends nothing of its own.
package uplink

import (
	"errors"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// offlineWait is how long a host is left alone when it seems to be our own network that fails: such tries do not
// count against its tasks.
const offlineWait = 5 * time.Minute

// namesWithin is how long ago a site must have answered for "there is no such name" to count as the site's failure.
const namesWithin = 30 * time.Second

// Uplink is what is known of our own network. Its methods are safe for concurrent use.
type Uplink struct {
	now func() time.Time
	lab bool

	mu       sync.Mutex
	answered time.Time // when a site last answered
	failed   time.Time // when one could last not be found or reached
	portal   portal
}

// New returns an Uplink of which nothing is known. In a lab, names that are not known do not exist.
func New(now func() time.Time, lab bool) *Uplink { return &Uplink{now: now, lab: lab} }

// Answered remembers that a site answered.
func (l *Uplink) Answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered = l.now()
}

// Offline reports whether all that was tried lately could not be found or reached.
func (l *Uplink) Offline() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	return l.failed.After(l.answered) && now.Sub(l.failed) < 2*offlineWait && now.Sub(l.answered) > namesWithin
}

// Failure makes the outcome of a request that brought no response. Whether it
// is the site or our own network that fails is told by whether others answer.
func (l *Uplink) Failure(err error) crawl.Outcome {
	o := FailureOf(err)
	var fe *fetch.Error
	noName := errors.As(err, &fe) && fe.Kind == fetch.KindNoName
	if !noName && o.Result != crawl.Deferred || l.lab && noName { // a lab's hosts file does not lie
		return o
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.failed = now
	within := offlineWait
	if noName {
		within = namesWithin
	}
	if !l.answered.IsZero() && now.Sub(l.answered) < within {
		o.Result, o.Wait = crawl.Failed, 0
	} else {
		o.Result, o.Wait = crawl.Deferred, offlineWait
	}
	return o
}

// FailureOf makes the outcome of a task whose request brought no response, if our own network works.
func FailureOf(err error) crawl.Outcome {
	o := crawl.Outcome{Result: crawl.Failed, Reason: err.Error()}
	var fe *fetch.Error
	if !errors.As(err, &fe) {
		return o
	}
	o.Reason, o.Sent, o.Received = fe.Kind.Message().Stored(), fe.Sent, fe.Received
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
