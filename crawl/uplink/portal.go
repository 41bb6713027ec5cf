package uplink

import (
	"net/http"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

const (
	// portalFrom is how many domains in a row must lead to one other for that to be the page of a network that
	// wants somebody to log in. Sites that moved together are led by two; more at once have not been seen
	// beside no answer of another site.
	portalFrom = 3
	// portalWait is how long nothing is requested when a network seems to be closed, doubled each time it still is up
	// to offlineWait: as often as somebody who has just logged in may be asked to wait.
	portalWait = 10 * time.Second
	// provenFor is how long a site's own answer shows that the network lets us through.
	provenFor = 2 * time.Minute
	// portalDoubt is after what time sites that all lead to one other are believed: nothing but them is in the
	// queue then.
	portalDoubt = time.Hour
	// networkStatus is the status with which a network, never a site, asks for a log-in (RFC 6585 §6).
	networkStatus = 511
)

// ErrPortal ends a request that our own network may have answered. Outcomes that are put off for it say so.
var ErrPortal = words.New("said.visit.portal", nil)

// portal is what the answers so far say of a network that may answer in place of the sites, as those of hotels and
// trains do before somebody logs in: it leads every host to one of its own. Its zero value is that there were none.
type portal struct {
	// proven is when a site last gave an answer that a portal would not give.
	proven time.Time
	// host is where led was led to since then, the first of them at since. led has at most portalFrom domains.
	host  crawl.Domain
	led   map[crawl.Domain]bool
	since time.Time
	// until is when the network is tried again, and holds how often that was put off in a row.
	until time.Time
	holds int
}

// Judge takes in the answer to a request for a page or robots.txt of a domain, to which no redirect led. A wait
// means that the network may have given it: then it says nothing of the site, which is to be left alone for so
// long.
func (l *Uplink) Judge(domain crawl.Domain, r *fetch.Response) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.portal.judge(l.now(), domain, r)
}

func (p *portal) judge(now time.Time, domain crawl.Domain, r *fetch.Response) (wait time.Duration) {
	target := leadsTo(r)
	switch {
	case r.Status == networkStatus:
		return p.hold(now)
	case target == "" || target == domain:
		if domain != p.host || len(p.led) == 0 {
			*p = portal{proven: now}
		}
		return 0
	case target != p.host || p.led == nil:
		p.host, p.led, p.since = target, make(map[crawl.Domain]bool), now
	}
	again := p.led[domain]
	if len(p.led) < portalFrom {
		p.led[domain] = true
	}
	alone := len(p.led) == 1 && (again || !p.proven.IsZero() && now.Sub(p.proven) < provenFor)
	switch {
	case alone, now.Sub(p.since) > portalDoubt, len(p.led) < portalFrom && now.Sub(p.since) > provenFor:
		return 0
	case len(p.led) < portalFrom:
		return portalWait
	}
	return p.hold(now)
}

// hold returns how long nothing is to be requested.
func (p *portal) hold(now time.Time) time.Duration {
	if !now.Before(p.until) {
		p.until = now.Add(min(portalWait<<min(p.holds, 8), offlineWait))
		p.holds++
	}
	return p.until.Sub(now)
}

// Closed returns for how long nothing is to be requested, 0 if the network is not known to be closed.
func (l *Uplink) Closed() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.portal.until.Sub(l.now()), 0)
}

// Captive reports whether the network was found closed and has not let us through since: somebody has to log in to it.
func (l *Uplink) Captive() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.portal.holds > 0
}

// leadsTo returns the domain that a redirect leads to, "" for another answer.
func leadsTo(r *fetch.Response) crawl.Domain {
	switch r.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		if target, err := r.Location(); err == nil {
			return target.Domain()
		}
	}
	return ""
}

// PutOff returns the outcome of a task that waits because our own network is closed.
func PutOff(wait time.Duration) crawl.Outcome {
	return crawl.Outcome{Result: crawl.Deferred, Wait: wait, Reason: ErrPortal.Stored()}
}
