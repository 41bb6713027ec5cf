package frontier

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// applyTo applies entries in transactions of up to so many.
func applyTo(t *testing.T, r *rig, entries []LogEntry, most func() int) {
	t.Helper()
	for len(entries) > 0 {
		n := min(most(), len(entries))
		if err := r.db.Update(func(tx *storage.Tx) error { return r.Apply(tx, entries[:n]...) }); err != nil {
			t.Fatal(err)
		}
		entries = entries[n:]
	}
}

// listed is the log of a rig that keeps its entries, and when they came.
type listed struct {
	alone
	r *rig
}

func (k *listed) Shared() bool { return len(k.r.entries)%8 == 0 }

func (k *listed) Propose(ctx context.Context, data []byte, mine any) error {
	k.r.entries = append(k.r.entries, LogEntry{Data: data, Heard: k.r.clock()})
	return k.alone.Propose(ctx, data, mine)
}

// Members that apply many entries at once have what those have that apply one at a time: the same replicated state
// whatever moves and is deleted on the way, and where the times are the same, the same clocks too.
func TestApply_TogetherIsAsOneByOne(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 3))
			s := newSwarm(t, seed, 2, seed%2 == 0)
			for i, r := range s.members {
				r.records = true
				s.crash(i)
			}
			for range 60 {
				s.step()
			}
			s.finish()
			for i, r := range s.members {
				single, together := newRig(t, s.cfg), newRig(t, s.cfg)
				for _, x := range []*rig{single, together} {
					x.advance(r.clock().Sub(x.clock()) + time.Hour)
				}
				applyTo(t, single, r.entries, func() int { return 1 })
				applyTo(t, together, r.entries, func() int { return 1 + rnd.IntN(32) })
				single.check()
				together.check()
				sameShared(t, r.Frontier, single.Frontier)
				sameShared(t, r.Frontier, together.Frontier)
				if one, all := dumpAll(t, single.db), dumpAll(t, together.db); one != all {
					t.Errorf("member %d: %d entries leave\n%s\ntogether, one by one\n%s", i, len(r.entries), all, one)
				}
				t.Logf("member %d: %d entries, %d domains", i, len(r.entries), together.totals().Domains)
			}
		})
	}
}

// What is known of links is forgotten with the domains that are, also if both come at once.
func TestApply_ForgetsWithinATransaction(t *testing.T) {
	r := newRig(t, Config{})
	log := &recorder{alone: alone{r.Frontier}}
	r.Frontier.log = log
	var own []LogEntry
	for _, e := range []Entry{{Enqueue: &Enqueue{Links: []Link{{URL: "http://a.test/1", Priority: 2}}}}, {Forget: &Forget{Domains: []crawl.Domain{"b.test"}}}} {
		if _, err := r.Propose(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for _, data := range log.data {
		own = append(own, LogEntry{Data: data, Mine: &commitment{proposals: []*proposal{{}}}})
	}
	to := newRig(t, Config{})
	applyTo(t, to, own, func() int { return len(own) })
	if to.seen.has("http://a.test/1") {
		t.Error("a link is taken for known that was forgotten since")
	}
}
