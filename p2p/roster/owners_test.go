package roster

import (
	"fmt"
	"slices"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
)

func TestOwners_LANMembersOwnWhileNobodyIsPublic(t *testing.T) {
	at := func(reach Reach, addr string) Record {
		r := record(1)
		r.Reach, r.Addrs = reach, addrs(addr)
		return r
	}
	home := at(ReachLAN, "/ip4/192.168.1.5/tcp/1")
	public := at(ReachPublic, "/ip4/5.5.5.5/tcp/1")
	boast := at(ReachPublic, "/ip4/10.0.0.5/tcp/1")
	loop := at(ReachLAN, "/ip4/127.0.0.1/tcp/1")
	relayed := at(ReachRelayed, "/ip4/6.6.6.6/tcp/1/p2p/"+relayID+"/p2p-circuit")
	idle := public
	idle.Capacity = 0
	left := public
	left.State = StateLeft
	rests, awayForLong := public, idle
	rests.State, awayForLong.State = StateResting, StateResting
	cases := []struct {
		name    string
		lab     bool
		members []Record
		want    []int // indexes of owners
	}{
		{"alone at home", false, []Record{home}, []int{0}},
		{"all at home", false, []Record{home, home, boast, loop, relayed}, []int{0, 1, 2, 3}},
		{"one public", false, []Record{home, public, boast, loop, relayed}, []int{1}},
		{"public fetcher does not count", false, []Record{home, idle}, []int{0}},
		{"one that left does not count", false, []Record{home, left}, []int{0}},
		{"one that rests keeps its own", false, []Record{public, rests}, []int{0, 1}},
		{"one that rests without capacity does not count", false, []Record{home, awayForLong}, []int{0}},
		{"loopback in a lab", true, []Record{home, loop, boast, relayed}, []int{1}},
		{"loopback and public in a lab", true, []Record{home, loop, public}, []int{1, 2}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSet(newClock(), func(cfg *Config) { cfg.Lab = c.lab })
			for n, r := range c.members {
				mustAdd(t, s, seal(t, n, r))
			}
			var want []peer.ID
			for _, n := range c.want {
				_, id := testKey(t, n)
				want = append(want, id)
			}
			slices.Sort(want)
			if got := ids(s.Owners()); !slices.Equal(got, want) {
				t.Errorf("Owners() = %v, want %v", got, want)
			}
		})
	}
}

func TestOwners_ReturnToTheLANWhenThePublicOneGoes(t *testing.T) {
	c := newClock()
	s := newSet(c)
	home := record(1)
	home.Reach, home.Addrs = ReachLAN, addrs("/ip4/192.168.1.5/tcp/1")
	mustAdd(t, s, seal(t, 1, home))
	mustAdd(t, s, seal(t, 2, record(1)))
	mustAdd(t, s, sealOut(t, 2, 1, c.now(), 3, 4))
	_, id := testKey(t, 1)
	if got := ids(s.Owners()); !slices.Equal(got, []peer.ID{id}) {
		t.Errorf("Owners() = %v, want the member at home", got)
	}
}

func TestOwners_OfOneNetworkAreCapped(t *testing.T) {
	capped := func(cfg *Config) { cfg.MaxPerNet = 2 }
	in := func(addr ...string) Record {
		r := record(1)
		r.Addrs = addrs(addr...)
		return r
	}
	members := []Record{
		in("/ip4/5.5.5.1/tcp/1"), in("/ip4/5.5.5.2/tcp/1"), in("/ip4/5.5.5.3/tcp/1"), in("/ip4/5.5.5.4/tcp/1"),
		in("/ip4/5.5.6.1/tcp/1"),
		in("/ip6/2a00:1:1:1::1/tcp/1"), in("/ip6/2a00:1:1:2::1/tcp/1"), in("/ip6/2a00:1:1:3::1/tcp/1"),
	}
	forward, backward, off := newSet(newClock(), capped), newSet(newClock(), capped), newSet(newClock())
	for n := range members {
		mustAdd(t, forward, seal(t, n, members[n]))
		mustAdd(t, off, seal(t, n, members[n]))
		last := len(members) - 1 - n
		mustAdd(t, backward, seal(t, last, members[last]))
	}
	if got := len(forward.Owners()); got != 5 {
		t.Errorf("%d owners, want 2 + 1 + 2", got)
	}
	if forward.Moment().OwnersDigest != backward.Moment().OwnersDigest {
		t.Error("the order in which members were heard of decides who owns")
	}
	if got := len(off.Owners()); got != len(members) {
		t.Errorf("%d owners without a cap, want %d", got, len(members))
	}

	loop := newSet(newClock(), capped, func(cfg *Config) { cfg.Lab = true })
	for n := range 9 {
		mustAdd(t, loop, seal(t, n, in(fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", n+1))))
	}
	if got := len(loop.Owners()); got != 9 {
		t.Errorf("%d owners on loopback, want all 9", got)
	}
}
