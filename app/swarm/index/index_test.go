package index

import (
	"testing"
	"time"

	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
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
