package app

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/worker"
)

// owner hands what the fetchers report to those who lead the domains, and lets statistics and journal know when it is
// committed.
type owner struct {
	self    string // the ID of this node
	clock   *clock.Clock
	journal *journal
	meter   *rateMeter
	sites   *recentSites
	latest  *latest
	own     *claims.Own // the user's own sites
	observe func(*crawl.Outcome)
	late    *late
}

// tell makes an event of a settled outcome.
func (w *owner) tell(o crawl.Outcome) {
	if o.Result == crawl.Declined || o.Result == crawl.Deferred && o.Reason == "" {
		return // nothing happened
	}
	e := api.Event{
		Kind: api.KindProblem, Code: codeOf(o.Result), Domain: string(o.Domain), URL: o.Task.URL.String(),
		Status: o.Status, Bytes: o.Received,
		TookMs: o.Took.Milliseconds(), Title: o.Title, Text: o.Result.String(),
		First: stats.IsFirst(&o) && !w.own.Lists(o.Domain),
	}
	if o.Granter != "" && o.Granter != w.self {
		e.Peer = peer.ID(o.Granter).String()
	}
	if o.Reason != "" {
		e.Text += ": " + o.Reason
	}
	switch o.Result {
	case crawl.Fetched:
		e.Kind = api.KindPage
		w.meter.add(1)
		if e.Peer == "" {
			w.latest.note(o.Domain, o.Date)
		}
		w.sites.add(o.Domain)
		if o.Duplicate {
			e.Text += " (" + sameContent + ")"
		}
	case crawl.Unchanged:
		e.Kind = api.KindPage
		w.meter.add(1)
		w.sites.add(o.Domain)
	case crawl.Redirected:
		e.Kind = api.KindRedirect
	case crawl.Forbidden, crawl.Deferred:
		e.Kind = api.KindRobots
	}
	w.journal.add(e)
}

// sameContent is told of pages whose content was known.
const sameContent = "same content as before"

// codeOf is what front ends call a result.
func codeOf(r crawl.Result) api.Code {
	if int(r) < len(resultCodes) && resultCodes[r] != "" {
		return resultCodes[r]
	}
	return api.CodeFailed
}

var resultCodes = [...]api.Code{
	crawl.Fetched: api.CodeFetched, crawl.Redirected: api.CodeRedirected, crawl.Skipped: api.CodeSkipped,
	crawl.Gone:      api.CodeGone,
	crawl.Forbidden: api.CodeForbidden, crawl.Failed: api.CodeFailed, crawl.Refused: api.CodeRefused,
	crawl.Deferred: api.CodeDeferred,
	crawl.Blocked:  api.CodeBlocked, crawl.Unchanged: api.CodeUnchanged, crawl.Declined: api.CodeDeclined,
}

// robotsText says what came of asking for a robots.txt.
func (w *owner) robotsText(r robots.Record) string {
	switch r.Class {
	case robots.ClassRules:
		return "robots.txt read"
	case robots.ClassAllowAll:
		return "there is no robots.txt: everything is allowed"
	}
	next := time.Now().Add(r.NextTry.Sub(w.clock.Latest())) // the record is by that clock
	return "robots.txt cannot be had: nothing is fetched until " + next.Format(time.TimeOnly)
}

// tellRobots makes an event of a robots.txt that was asked for.
func (w *owner) tellRobots(origin string, r robots.Record, cost worker.RobotsCost) {
	e := api.Event{
		Kind: api.KindRobots, Code: api.CodeRobots, URL: origin + "/robots.txt", Status: r.Status, Bytes: cost.Received,
		TookMs: cost.Took.Milliseconds(),
		Text:   w.robotsText(r),
	}
	if u, err := crawl.ParseURL(e.URL); err == nil {
		e.Domain = string(u.Domain())
	}
	w.journal.add(e)
}

// Settle implements worker.Owner.
func (w *owner) Settle(ctx context.Context, o crawl.Outcome) error {
	w.observe(&o)
	w.own.Took(o.Domain, o.Received, o.Sent)
	return w.late.swarm.Settle(ctx, o)
}

// Release implements worker.Owner.
func (w *owner) Release(ctx context.Context, l crawl.Lease) error {
	return w.late.swarm.Release(ctx, l)
}
