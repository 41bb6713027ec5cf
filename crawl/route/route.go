// Package route brings what is due at an owner together with fetchers that
// want work. It decides nothing about politeness, which the frontier does,
// nor about limits, which the fetcher knows when it says what it wants.
package route

import (
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
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
}

// Router grants the leases of one frontier to one fetcher.
type Router struct {
	Frontier *frontier.Frontier
	Fetcher  Fetcher
	// Now is the clock that leases are counted from.
	Now func() time.Time
}

// Serve grants leases until ctx is done.
func (r *Router) Serve(ctx context.Context) error {
	for {
		next, err := r.round(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
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
	ctx, cancel := outlive(ctx, roundFor)
	defer cancel()
	want := r.Fetcher.Want()
	if want <= 0 {
		return time.Time{}, nil
	}
	asked := r.Now()
	picked, err := r.Frontier.Pick(want, func(crawl.Domain) bool { return false })
	if err != nil {
		return time.Time{}, err
	}
	if err := r.Frontier.Wake(ctx, picked); err != nil {
		return time.Time{}, err
	}
	entries := make([]frontier.Entry, 0, len(picked.Lapsed)+len(picked.Grants))
	for i := range picked.Lapsed {
		entries = append(entries, frontier.Entry{Release: &picked.Lapsed[i]})
	}
	for i := range picked.Grants {
		entries = append(entries, frontier.Entry{Grant: &picked.Grants[i]})
	}
	if len(entries) == 0 {
		return picked.Next, nil
	}
	applied, err := r.Frontier.Propose(ctx, entries...)
	if err != nil {
		return time.Time{}, err
	}
	for i, g := range picked.Grants {
		id := applied[len(picked.Lapsed)+i].Lease
		if id == 0 {
			continue
		}
		tasks, gap, err := r.Frontier.Tasks(g)
		if err != nil {
			return time.Time{}, err
		}
		r.Fetcher.Take(crawl.Lease{ID: id, Domain: g.Domain, Tasks: tasks, For: g.For, Gap: gap}, asked)
	}
	return picked.Next, nil
}
