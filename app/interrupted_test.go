package app

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// interrupted is a run that is cut before the frontier hears of its captures.
type interrupted struct {
	*Node
	t      *testing.T
	opts   Options
	stop   func()
	leases map[crawl.LeaseID]group.Lease
}

func interrupt(t *testing.T, o Options) *interrupted {
	t.Helper()
	r := &interrupted{Node: newNode(t, o), t: t, opts: o, leases: make(map[crawl.LeaseID]group.Lease)}
	commits, outer := startPhase(t.Context()), startPhase(t.Context())
	r.stop = sync.OnceFunc(func() {
		for _, p := range []*phase{commits, outer} {
			if err := p.end(); err != nil {
				t.Errorf("end: %v", err)
			}
		}
	})
	t.Cleanup(func() {
		r.stop()
		r.Close()
	})
	r.startCore(commits)
	outer.run(r.member.Node.Serve)
	outer.run(r.member.ServeLayout)
	<-r.member.Node.Joined()
	if err := r.recovery().Run(t.Context()); err != nil {
		t.Fatalf("recover: %v", err)
	}
	r.joined.Store(true)
	if err := r.seeds.bring(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// until waits until something holds.
func (r *interrupted) until(what string, holds func() bool) {
	r.t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// grant leases what is due.
func (r *interrupted) grant() map[string]crawl.Outcome {
	r.t.Helper()
	picked, err := nodeapi.Read(r.frontier, func(tx *storage.Tx) (frontier.Picked, error) {
		return r.frontier.Frontier.Pick(tx, 100, nil)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	claims := make(map[string]crawl.Outcome)
	leased := r.leased()
	for _, g := range picked.Due {
		if leased[g.Domain] != "" {
			continue
		}
		l := r.lease(g.Domain)
		work, err := wire.DecodeLease(l.Body)
		if err != nil {
			r.t.Fatal(err)
		}
		r.leases[work.ID] = l
		for _, task := range work.Tasks {
			claims[task.URL.String()] = crawl.Outcome{Lease: work.ID, Domain: g.Domain, Task: task}
		}
	}
	return claims
}

// lease asks for a lease of a domain until there is none of before.
func (r *interrupted) lease(d crawl.Domain) (l group.Lease) {
	r.t.Helper()
	r.until("there is a lease", func() bool {
		answer := make(chan bool, 1)
		err := r.driver.Do(r.t.Context(), func(n *group.Node) error {
			n.Ask(d, "", func(got group.Lease, granted bool) {
				l = got
				answer <- granted
			})
			return nil
		})
		return err == nil && <-answer
	})
	return l
}

// release gives a lease back when all that it brought is home.
func (r *interrupted) release(o crawl.Outcome) {
	r.t.Helper()
	if err := r.swarm.Release(r.t.Context(), crawl.Lease{ID: o.Lease, Domain: o.Domain}); err != nil {
		r.t.Fatal(err)
	}
	r.until("outcomes are home", func() bool { return r.swarm.Waiting() == 0 })
	err := r.driver.Do(r.t.Context(), func(n *group.Node) error {
		n.Return(r.leases[o.Lease])
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.until("the lease is over", func() bool { return r.leased()[o.Domain] == "" })
}

// recover brings home what an earlier run left. Later nobody looks for leases that no fetcher has, such as those of grant.
func (r *interrupted) recover(ctx context.Context) error {
	routing := startPhase(ctx)
	routing.run(r.swarm.Serve)
	r.until("what was left is home", func() bool {
		var s api.Status
		r.CountShards(&s)
		return s.Leads > 0 && r.swarm.Waiting() == 0 && len(r.leased()) == 0
	})
	return errors.Join(routing.end(), r.driver.Commit(ctx))
}
