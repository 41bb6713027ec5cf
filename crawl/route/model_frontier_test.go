package route_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/storage"
)

// keeper is a real frontier of a member of the model. It is given the entries that the
// member applies, by the member's clock.
type keeper struct {
	*frontier.Frontier
	t     *testing.T
	now   time.Time
	grant frontier.Grant // of all that there is
	begun time.Time
}

const modelDomain = "site.test"

func newKeeper(t *testing.T, path string) *keeper {
	t.Helper()
	db, err := storage.Open(path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	k := &keeper{t: t, now: begun, begun: begun}
	gap := span(gapTime)
	k.Frontier, err = frontier.Open(db, frontier.Config{
		LogID: "self", LeaseFor: span(leaseTime), Politeness: crawl.Politeness{Fixed: &gap}, Now: func() time.Time { return k.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- k.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := k.Check(); err != nil {
			t.Error(err)
		}
		db.Close()
	})
	k.propose(frontier.Entry{Enqueue: &frontier.Enqueue{Links: []frontier.Link{{URL: "http://" + modelDomain + "/", Priority: crawl.PriorityNormal}}}})
	p := k.pick()
	if len(p.Grants) != 1 {
		t.Fatalf("%d domains are due at the start", len(p.Grants))
	}
	k.grant = p.Grants[0]
	return k
}

// span returns a duration of a clock of the model.
func span(reading int64) time.Duration { return time.Duration(reading) * time.Microsecond }

func (k *keeper) propose(e frontier.Entry) frontier.Applied {
	k.t.Helper()
	applied, err := k.Propose(context.Background(), e)
	if err != nil {
		k.t.Fatal(err)
	}
	return applied[0]
}

func (k *keeper) pick() frontier.Picked {
	k.t.Helper()
	p, err := k.Pick(1, func(crawl.Domain) bool { return false })
	if err != nil {
		k.t.Fatal(err)
	}
	return p
}

func holder(f uint8) string { return fmt.Sprint("fetcher ", f) }

// apply brings an entry of the model into the frontier and compares what becomes of it.
func (k *keeper) apply(w *world, at int, e entry) error {
	m := &w.members[at]
	k.now = k.begun.Add(span(w.pcs[at].boot))
	id := crawl.LeaseID(e.id)
	switch e.kind {
	case entryGrant:
		g := k.grant
		g.Holder = holder(e.f)
		k.propose(frontier.Entry{Grant: &g})
	case entryRenew:
		k.propose(frontier.Entry{Renew: &frontier.Renew{Lease: id, Domain: modelDomain, By: holder(e.f), For: span(leaseTime)}})
	case entryRelease:
		k.propose(frontier.Entry{Release: &frontier.Release{Lease: id, Domain: modelDomain, By: holder(e.f)}})
	}
	if now := m.state; now.lease != 0 { // what names another lease, or comes from another, changes nothing
		for _, x := range []struct {
			id crawl.LeaseID
			by string
		}{{crawl.LeaseID(now.lease - 1), holder(now.holder)}, {crawl.LeaseID(now.lease), holder(now.holder ^ 1)}} {
			k.propose(frontier.Entry{Release: &frontier.Release{Lease: x.id, Domain: modelDomain, By: x.by}})
			if a := k.propose(frontier.Entry{Renew: &frontier.Renew{Lease: x.id, Domain: modelDomain, By: x.by, For: span(leaseTime)}}); a.Lease != 0 {
				return fmt.Errorf("lease %d of %s was renewed while lease %d was live", x.id, x.by, now.lease)
			}
		}
	}
	l, live, err := k.LeaseOf(modelDomain)
	if err != nil {
		return err
	}
	if live != (m.state.lease != 0) || live && (uint16(l.ID) != m.state.lease || l.Holder != holder(m.state.holder)) {
		return fmt.Errorf("lease %d of %q is live: %v; the model has lease %d of fetcher %d", l.ID, l.Holder, live, m.state.lease, m.state.holder)
	}
	due := k.begun.Add(span(m.due))
	k.now = due.Add(-time.Microsecond)
	if p := k.pick(); len(p.Grants)+len(p.Lapsed) > 0 || m.due > 0 && !p.Next.Equal(due) {
		return fmt.Errorf("%v before its time %d leases have lapsed and %d domains are due; the next time is %v, want %v",
			time.Microsecond, len(p.Lapsed), len(p.Grants), p.Next, due)
	}
	k.now = due
	if p := k.pick(); live && (len(p.Lapsed) != 1 || p.Lapsed[0].Lease != l.ID) || !live && len(p.Grants) != 1 {
		return fmt.Errorf("at its time %d leases have lapsed and %d domains are due", len(p.Lapsed), len(p.Grants))
	}
	return nil
}

// What the model says of members that apply entries is what a frontier does.
func TestLeaseModel_MembersAreFrontiers(t *testing.T) {
	walks := uint64(12)
	switch {
	case isLong():
		walks = 1000
	case testing.Short():
		walks = 4
	}
	entries := make(map[uint8]int)
	for seed := range walks {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir := t.TempDir()
			keepers := make([]*keeper, maxMembers)
			for i := range keepers {
				keepers[i] = newKeeper(t, filepath.Join(dir, fmt.Sprint(i)))
			}
			r := designed()
			r.restartCounts = goesOn
			r.applied = func(w *world, at int, e entry) {
				if e.kind == entryBegin || t.Failed() {
					return
				}
				entries[e.kind]++
				if err := keepers[at].apply(w, at, e); err != nil {
					t.Errorf("after %v, member %d, entry %+v: %v", trueTime(w.now), at, e, err)
				}
			}
			u := anything(3)
			u.limit[wipe] = 0
			u.walk(&r, rand.New(rand.NewPCG(seed, 3)), 300)
		})
	}
	for _, kind := range []uint8{entryGrant, entryRenew, entryRelease} {
		if entries[kind] < int(walks) {
			t.Errorf("entries applied, by kind: %v", entries)
		}
	}
	t.Logf("entries applied, by kind: %v", entries)
}
