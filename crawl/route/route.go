// Package route brings what is due at an owner together with fetchers that
// want work. It decides nothing about politeness, which the frontier does,
// nor about limits, which the fetcher knows when it says what it wants.
package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
)

// idleWait is how long nothing is looked for when nothing is due and nothing changes:
// a guard against a clock that was set back.
const idleWait = 10 * time.Second

// roundFor is how long a round may go on after it should have ended. Commits
// take milliseconds, unless the disk is full.
const roundFor = 5 * time.Second

// outlive returns a context that ends a while after ctx.
func outlive(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	long, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-long.Done():
		}
	})
	return long, func() { stop(); cancel() }
}

// Fetcher is who works leases.
type Fetcher interface {
	// Want returns how many leases it would take now; 0 while its user does
	// not allow work.
	Want() int
	// Wanting receives when Want may have grown.
	Wanting() <-chan struct{}
	// Take hands over a lease that was asked for at that time. It must not block.
	Take(l crawl.Lease, asked time.Time)
	// RefusesDomain returns why its user does not want a domain visited, "" if
	// nothing speaks against it.
	RefusesDomain(d crawl.Domain) string
}

// Due is a domain that could be visited now.
type Due struct {
	Domain crawl.Domain
	// Last is who fetched it last, "" if this node or nobody.
	Last string
	// Only says that nobody else may have it yet.
	Only bool
}

// Others are fetchers elsewhere. They are not granted leases, but told that
// they would be if they asked: a lease is counted from when it was asked for.
type Others interface {
	// MayLease reports whether a domain still belongs to this node and no part of
	// it is on its way here. One that does not is not leased, though it may
	// not have gone yet: its new owner may have begun.
	MayLease(d crawl.Domain) bool
	// None reports whether there are no other members.
	None() bool
	// Wanted returns how many leases they would take now.
	Wanted() int
	// Wants reports whether a fetcher would take leases now.
	Wants(fetcher string) bool
	// Offer tells them what could be visited now. It must not block.
	Offer(due []Due)
	// Declines reports whether a fetcher will not visit a domain.
	Declines(fetcher string, d crawl.Domain) bool
	// Overdue reports whether what a fetcher may have of a lease whose time is over is
	// still waited for.
	Overdue(fetcher string, id crawl.LeaseID) bool
	// Recover reports whether what fetchers may have of leases that lapsed is still waited for: they
	// covered tasks that are to be granted. It must not block.
	Recover(former []frontier.Release) bool
	// Lapsed tells of a lease that was not brought home in time. By is "" for the owner's own fetcher.
	Lapsed(l frontier.Release)
}

// Router grants the leases of one frontier to the fetcher of this node, and to
// those elsewhere that ask.
type Router struct {
	Frontier *frontier.Frontier
	Fetcher  Fetcher
	// Others, if not nil, are told of what the fetcher of this node leaves.
	Others Others
	// First, if set, returns the few domains that the fetcher of this node takes before others, and without waiting
	// for who fetched them last.
	First func() []crawl.Domain
	// Now is the clock that leases are counted from.
	Now func() time.Time
	// Stay is how long a domain that is due waits for its last fetcher while others
	// have room: 0 means DefaultStay, or longer where others keep the log
	// too; less that it does not.
	Stay time.Duration

	stays  stays
	awaits bool // what former fetchers have, as of the last grant
	most   int  // that the fetcher of this node ever wanted
	due    atomic.Int64

	once sync.Once
	wake chan struct{} // a domain waits that did not when the last round ended
	turn chan struct{} // what is picked is granted before others pick, however long that takes

	backMu sync.Mutex
	back   []frontier.Entry // ends of leases that are to be taken back
}

func (r *Router) init() {
	r.once.Do(func() { r.wake, r.turn = make(chan struct{}, 1), make(chan struct{}, 1) })
}

// woken receives when a round must look at the time to its end anew.
func (r *Router) woken() chan struct{} {
	r.init()
	return r.wake
}

// enter waits until nobody else picks, and reports whether ctx is not done.
func (r *Router) enter(ctx context.Context) bool {
	r.init()
	select {
	case r.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *Router) leave() { <-r.turn }

// Serve grants leases until ctx is done.
func (r *Router) Serve(ctx context.Context) error {
	for {
		next, err := r.round(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, frontier.ErrNotLed) {
			next, err = time.Time{}, nil // another member grants them now
		}
		if err != nil {
			return fmt.Errorf("grant leases: %w", err)
		}
		wait := idleWait
		if !next.IsZero() {
			wait = min(max(next.Sub(r.Now()), 0), idleWait)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-r.Frontier.Changed():
		case <-r.Fetcher.Wanting():
		case <-r.woken():
		}
		timer.Stop()
	}
}

// round grants what can be granted now and returns when to look again; zero means when
// something changes.
//
// What is granted must be handed over, so a round goes on for a while when ctx
// is done.
func (r *Router) round(ctx context.Context) (time.Time, error) {
	if !r.Frontier.Leads() {
		r.forgetBack()
		return time.Time{}, nil
	}
	ctx, cancel := outlive(ctx, roundFor)
	defer cancel()
	want, elsewhere := r.Fetcher.Want(), 0
	if r.Others != nil {
		elsewhere = min(r.Others.Wanted(), maxOffered)
	}
	if !r.enter(ctx) {
		return time.Time{}, ctx.Err()
	}
	defer r.leave()
	if err := r.takeBack(ctx); err != nil {
		return time.Time{}, err
	}
	r.most = max(r.most, want)
	asked := r.Now()
	waiting, next := r.stays.waiting(asked, r.stay())
	if want <= 0 && elsewhere <= 0 {
		return next, nil // who asked in vain may want it then
	}
	limit := max(want, 0) + elsewhere + min(waiting, maxOffered)
	if r.Others != nil && elsewhere == 0 {
		limit++ // to know whether there is more than the fetcher here takes
	}
	picked, err := r.pick(ctx, limit, r.refused(elsewhere))
	if err != nil {
		return time.Time{}, err
	}
	own, left, due := r.divide(picked, max(want, 0), asked)
	r.due.Store(int64(due))
	if elsewhere == 0 {
		left = nil
	}
	if len(left) > 0 {
		r.Others.Offer(left)
	}
	leases, err := r.grant(ctx, picked, own)
	if err != nil {
		return time.Time{}, err
	}
	for _, l := range leases {
		r.Fetcher.Take(l, asked)
	}
	next = picked.Next
	if len(left) > 0 { // looked at again when they were asked for, or not
		next = later(next, r.Now().Add(offerWait))
	}
	if len(leases)+len(left) == 0 && !next.IsZero() && !next.After(asked) {
		next = asked.Add(inVainWait)
	}
	if at := r.Now().Add(awaitLook); r.awaits && (next.IsZero() || at.Before(next)) {
		next = at
	}
	if _, free := r.stays.waiting(asked, r.stay()); !free.IsZero() && (!next.After(asked) || free.Before(next)) {
		next = free
	}
	return next, nil
}

const (
	// maxOffered bounds the domains that one round offers.
	maxOffered = 256
	// offerWait is how long offered domains are left to those they were offered to.
	offerWait = time.Second
	// awaitLook is how often it is looked whether former fetchers have told what they have.
	awaitLook = time.Second
	// inVainWait is when to look again where much is due of which nobody who is there can have anything.
	inVainWait = time.Second
)

// later returns the later of two times to look again at what is due.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// divide parts what was picked into what the fetcher of this node takes, at
// most want, and what others are to be offered. A domain stays with who fetched
// it last if that one wants work, and waits a little for it otherwise, unless the
// fetcher of this node has next to nothing to do or takes it before others. due is how many that one has no
// room for.
func (r *Router) divide(picked frontier.Picked, want int, now time.Time) (own []frontier.Grant, left []Due, due int) {
	alone := r.Others == nil || r.Others.None()
	first := r.first()
	for _, i := range r.inOrder(picked, first) {
		g, last := picked.Grants[i], picked.Last[i]
		// What the user of this node will not have visited, others may visit.
		refused := !alone && r.Fetcher.RefusesDomain(g.Domain) != ""
		takes := len(own) < want && !refused
		switch {
		case takes && (last == "" || r.isIdle(want-len(own)) || slices.Contains(first, g.Domain)):
			own = append(own, g)
		case !alone && r.waits(g.Domain, last, now):
			if last == "" {
				due++
			} else if r.Others.Wants(last) {
				left = append(left, Due{Domain: g.Domain, Last: last, Only: true})
			}
		case takes:
			own = append(own, g)
		default:
			due++
			left = append(left, Due{Domain: g.Domain, Last: last})
		}
	}
	return own, left, due
}

// waits reports whether a domain still waits for who fetched it last, "" for
// this node, unless that one will not visit it.
func (r *Router) waits(d crawl.Domain, last string, now time.Time) bool {
	if last == "" && r.Fetcher.RefusesDomain(d) != "" || last != "" && r.Others.Declines(last, d) {
		return false
	}
	return r.stays.waits(d, now, r.stay())
}

func (r *Router) stay() time.Duration {
	if r.Stay == 0 && r.Frontier.Shared() {
		return sharedStay
	}
	return cmp.Or(r.Stay, DefaultStay)
}

// isIdle reports whether a fetcher of this node that wants so many leases holds at
// most a quarter of those it could.
func (r *Router) isIdle(want int) bool { return 4*want >= 3*r.most }

// first returns the domains that the fetcher of this node takes before others.
func (r *Router) first() []crawl.Domain {
	if r.First == nil {
		return nil
	}
	return r.First()
}

// inOrder returns the grants, those first that go before all others, and those last that another fetcher knows.
func (r *Router) inOrder(picked frontier.Picked, before []crawl.Domain) []int {
	first := make([]int, 0, len(picked.Grants))
	var last []int
	for i := range picked.Grants { // those before all others were picked first
		if picked.Last[i] != "" && !slices.Contains(before, picked.Grants[i].Domain) {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	return append(first, last...)
}

// pick looks for what is due, after waking what was only waiting for its time.
//
// Of domains that but, if not nil, returns true for only leases that are over are looked for: they do not count.
func (r *Router) pick(ctx context.Context, limit int, but func(crawl.Domain) bool) (frontier.Picked, error) {
	picked, err := r.Frontier.PickFirst(r.first(), limit, func(d crawl.Domain) bool {
		return r.Others != nil && !r.Others.MayLease(d) || but != nil && but(d)
	})
	if err != nil {
		return picked, err
	}
	return picked, r.Frontier.Wake(ctx, picked)
}

// GrantTo grants at most n leases to a fetcher elsewhere that asks for them,
// and returns how many domains are due beside those that it could have had. It gets
// those that it fetched last, then those that waited long enough for another,
// most tasks first: it reads a robots.txt for each.
func (r *Router) GrantTo(ctx context.Context, fetcher string, n int) (leases []crawl.Lease, due int, err error) {
	if !r.enter(ctx) {
		return nil, 0, ctx.Err()
	}
	defer r.leave()
	if err := r.takeBack(ctx); err != nil {
		return nil, 0, fmt.Errorf("take leases back: %w", err)
	}
	now := r.Now()
	waiting, _ := r.stays.waiting(now, r.stay())
	picked, err := r.pick(ctx, n+maxOffered+min(waiting, maxOffered), func(d crawl.Domain) bool { return r.Others.Declines(fetcher, d) })
	if err != nil {
		return nil, 0, fmt.Errorf("grant leases: %w", err)
	}
	var known, others []frontier.Grant
	waited := false
	for i, g := range picked.Grants {
		g.Holder = fetcher
		switch last := picked.Last[i]; {
		case last == fetcher:
			known = append(known, g)
		case r.waits(g.Domain, last, now):
			waited = true
		default:
			others = append(others, g)
		}
	}
	slices.SortStableFunc(others, func(a, b frontier.Grant) int { return len(b.Tasks) - len(a.Tasks) })
	grants := append(known, others...)
	due += max(len(grants)-n, 0)
	if leases, err = r.grant(ctx, picked, grants[:min(n, len(grants))]); err != nil {
		return nil, 0, fmt.Errorf("grant leases: %w", err)
	}
	if waited {
		select {
		case r.woken() <- struct{}{}:
		default:
		}
	}
	return leases, due, nil
}

// refused returns what says of domains that the user of this node will not have visited whether they are passed over: all, but for as many as others
// can be offered. Alone, this node has them, and puts their pages off.
func (r *Router) refused(offered int) func(crawl.Domain) bool {
	if r.Others == nil || r.Others.None() {
		return nil
	}
	return func(d crawl.Domain) bool {
		if r.Fetcher.RefusesDomain(d) == "" {
			return false
		}
		offered--
		return offered < 0
	}
}

// Due returns how many domains could be visited now that the fetcher of this
// node has no room for, as of the last round; 1 may stand for more.
func (r *Router) Due() int { return int(r.due.Load()) }

// Backlog returns how many domains could be visited now and have nobody, at most as many
// as given.
func (r *Router) Backlog(most int) (int, error) {
	picked, err := r.Frontier.Pick(most, func(d crawl.Domain) bool { return r.Others != nil && !r.Others.MayLease(d) })
	if err != nil {
		return 0, fmt.Errorf("look for domains that wait: %w", err)
	}
	return len(picked.Grants), nil
}

// grant ends what lapsed and makes leases of grants, but of those of which former fetchers may have
// something to tell.
func (r *Router) grant(ctx context.Context, picked frontier.Picked, grants []frontier.Grant) ([]crawl.Lease, error) {
	lapsed := picked.Lapsed
	if r.Others != nil {
		all := len(lapsed) + len(grants)
		lapsed = slices.DeleteFunc(lapsed, func(l frontier.Lapse) bool { return !l.Again && r.Others.Overdue(l.By, l.Lease) })
		grants = slices.DeleteFunc(grants, func(g frontier.Grant) bool {
			former := picked.Former[g.Domain]
			return len(former) > 0 && r.Others.Recover(former)
		})
		r.awaits = len(lapsed)+len(grants) < all
	}
	entries := make([]frontier.Entry, 0, len(lapsed)+len(grants))
	for i := range lapsed {
		entries = append(entries, frontier.Entry{Release: &lapsed[i].Release})
	}
	for i := range grants {
		entries = append(entries, frontier.Entry{Grant: &grants[i]})
	}
	if len(entries) == 0 {
		return nil, nil
	}
	pending, err := r.Frontier.Begin(ctx, entries...)
	if err != nil {
		return nil, err
	}
	applied, err := pending.Wait(ctx)
	if err != nil {
		if ctx.Err() != nil {
			pending.Leave(r.left(lapsed, grants))
		}
		return nil, err
	}
	r.lapsed(lapsed)
	leases := make([]crawl.Lease, 0, len(grants))
	for i, g := range grants {
		id := applied[len(lapsed)+i].Lease
		if id == 0 {
			continue
		}
		tasks, gap, err := r.Frontier.Tasks(g)
		if err != nil {
			return nil, err
		}
		if len(tasks) < len(g.Tasks) { // some were done meanwhile, or no tasks: a fetcher names its tasks by their places in the grant
			r.TakeBack(frontier.Release{Lease: id, Domain: g.Domain, By: g.Holder})
			continue
		}
		r.stays.granted(g.Domain)
		leases = append(leases, crawl.Lease{ID: id, Domain: g.Domain, Tasks: tasks, For: g.For, Gap: gap})
	}
	return leases, nil
}
