package app

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/p2p/group"
)

// seeder brings URLs into the frontier, first those where the crawl begins.
type seeder struct {
	*late
	scope    *scope.Scope
	identity crawl.Identity
	seeds    []crawl.URL
	log      *slog.Logger
	in       atomic.Bool // the seeds are where they belong
}

// enqueue brings a URL to the leader of its domain. Where that is this node, it waits for no company.
func (s *seeder) enqueue(ctx context.Context, u crawl.URL, priority crawl.Priority) error {
	for {
		stored := make(chan bool, 1)
		err := s.driver.Do(ctx, func(g *group.Node) error {
			s.swarm.Seed(g, crawl.Outlink{URL: u, Priority: priority}, func(ok bool) { stored <- ok })
			return nil
		})
		if err == nil && s.driver.Commit(ctx) == nil {
			select {
			case ok := <-stored:
				if ok {
					return nil
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(seedLook):
		}
	}
}

const (
	// seedLook is how long a seed waits that nobody takes.
	seedLook = 200 * time.Millisecond
	// seedsAtOnce is how many seeds are under way.
	seedsAtOnce = 64
)

// bring brings the seeds into the frontier; those it knows stay as they are.
func (s *seeder) bring(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	room := make(chan struct{}, seedsAtOnce)
	for _, u := range s.seeds {
		if u = s.identity.Of(u); !s.scope.Allows(u, 0) {
			continue
		}
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		all.Go(func() {
			_ = s.enqueue(ctx, u, crawl.PriorityHigh)
			<-room
		})
	}
	all.Wait()
	s.in.Store(true)
	return nil
}

// check tells of seeds that are of no use; if none is, that is an error.
func (s *seeder) check() error {
	if len(s.seeds) == 0 {
		s.log.Info("There are no seeds: this node visits what others find, or was found before")
	}
	outside := 0
	for _, u := range s.seeds {
		if !s.scope.Allows(s.identity.Of(u), 0) {
			outside++
			s.log.Warn("Seed is outside the scope of this crawl and is left out", "url", u.String())
		}
	}
	if outside == len(s.seeds) && outside > 0 {
		return words.New("said.cli.none-of-the-seeds", words.Args{"count": outside})
	}
	return nil
}
