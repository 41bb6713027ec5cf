package index

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

func TestIndex_IsSettled(t *testing.T) {
	leads := group.View{Shard: stream.ShardOf("ann", 0), Role: shard.Leader, Leader: "ann"}
	held := []ring.Prefix{{}}
	tests := []struct {
		name          string
		first, second group.View // of another shard, before and after the wait
		want          bool
	}{
		{"the same leader", group.View{Role: shard.Follower, Leader: "bob"},
			group.View{Role: shard.Follower, Leader: "bob"}, true},
		{"another leader", group.View{Role: shard.Follower, Leader: "bob"},
			group.View{Role: shard.Follower, Leader: "cyd"}, false},
		{"no leader", group.View{Role: shard.Candidate, Held: held}, group.View{Role: shard.Candidate, Held: held},
			false},
		{"no leader, and nothing to lead", group.View{Role: shard.Candidate}, group.View{Role: shard.Candidate}, true},
		{"no member any more", group.View{Role: shard.Former}, group.View{Role: shard.Former}, true},
	}
	for _, test := range tests {
		now := time.Unix(0, 0)
		x := Index{cfg: Config{Now: func() time.Time { return now }}}
		test.first.Shard, test.second.Shard = stream.ShardOf("bob", 0), stream.ShardOf("bob", 0)
		if x.isSettled([]group.View{leads, test.first}) {
			t.Errorf("%s: settled at once", test.name)
		}
		now = now.Add(dropAfter)
		if got := x.isSettled([]group.View{leads, test.second}); got != test.want {
			t.Errorf("%s: settled %v, want %v", test.name, got, test.want)
		}
	}
}

// clock is one that the test moves.
type clock struct{ now time.Time }

func (c *clock) Awake() time.Duration { return c.now.Sub(time.Unix(0, 0)) }
func (c *clock) Wall() time.Time      { return c.now }

// A node at rest does not look at its domains all the time, but it does as soon as something has turned.
func TestIndex_LooksAtAllDomainsNowAndThen(t *testing.T) {
	db, err := storage.Open(filepath.Join(t.TempDir(), "store"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	alone, at := layout.NewDirectory("ann"), &clock{time.Unix(1e9, 0)}
	alone.Set([]layout.Member{{ID: "ann", Units: 1}})
	n, err := group.Open(group.Config{Self: "ann", Times: shard.RealTimes, Clock: at, Directory: alone, Founder: true,
		Chance: rand.Uint64}, stream.OnBolt(db))
	if err != nil {
		t.Fatal(err)
	}
	x := New(Config{DB: db, Now: at.Wall, Look: func() {}})
	leads := stream.ShardOf("ann", 0)
	for range 100 { // it begins to lead, and everything settles
		at.now = at.now.Add(time.Second)
		n.Tick()
		if err := errors.Join(n.Commit(true), x.Build(n), x.Drop(n)); err != nil {
			t.Fatal(err)
		}
	}
	builds, drops := make(map[time.Time]bool), make(map[time.Time]bool)
	for range 5 * time.Minute / time.Second {
		at.now = at.now.Add(time.Second)
		if err := errors.Join(x.Build(n), x.Drop(n)); err != nil {
			t.Fatal(err)
		}
		builds[x.after[leads]], drops[x.looked] = true, true
	}
	if len(builds) < 5 || len(builds) > 6 || len(drops) < 5 || len(drops) > 6 {
		t.Errorf("within five minutes it looked %d times for domains without indexes, and %d times for those of others,"+
			" want one a minute", len(builds), len(drops))
	}
	x.Hurry()
	before := x.looked
	if err := x.Drop(n); err != nil || x.looked.Equal(before) {
		t.Errorf("it does not look at once after something has turned: %v", err)
	}
}
