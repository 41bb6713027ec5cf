//go:build !items

package app

import (
	"context"
	"sync"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
)

// interrupted is a run that is cut before the frontier hears of its captures.
type interrupted struct {
	*Node
	t    *testing.T
	opts Options
	stop func()
}

func interrupt(t *testing.T, o Options) *interrupted {
	t.Helper()
	r := &interrupted{Node: newNode(t, o), t: t, opts: o}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- r.frontier.Serve(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	t.Cleanup(func() {
		r.stop()
		r.Close()
	})
	r.member.swarm.Open()
	if err := r.enqueueSeeds(ctx); err != nil {
		t.Fatal(err)
	}
	return r
}

// grant leases what is due.
func (r *interrupted) grant() map[string]crawl.Outcome {
	r.t.Helper()
	picked, err := r.frontier.Pick(100, func(crawl.Domain) bool { return false })
	if err != nil {
		r.t.Fatal(err)
	}
	claims := make(map[string]crawl.Outcome)
	for _, g := range picked.Grants {
		applied, err := r.frontier.Propose(r.t.Context(), frontier.Entry{Grant: &g})
		if err != nil {
			r.t.Fatal(err)
		}
		tasks, _, err := r.frontier.Tasks(g)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, task := range tasks {
			claims[task.URL.String()] = crawl.Outcome{Lease: applied[0].Lease, Domain: g.Domain, Task: task}
		}
	}
	return claims
}

func (r *interrupted) release(o crawl.Outcome) {
	r.t.Helper()
	if _, err := r.frontier.Propose(r.t.Context(), frontier.Entry{Release: &frontier.Release{Lease: o.Lease, Domain: o.Domain}}); err != nil {
		r.t.Fatal(err)
	}
}
