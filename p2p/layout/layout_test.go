package layout

import (
	"fmt"
	"slices"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

var _ shard.Directory = (*Directory)(nil)

// members returns n members of 1 to 3 units, four to a network.
func members(n int) (list []Member) {
	for i := range n {
		list = append(list, Member{ID: crawl.PeerID(fmt.Sprintf("member %d", i)), Units: 1 + i%3, Net: fmt.Sprintf("10.%d", i/4)})
	}
	return list
}

func prefixOf(d crawl.Domain) ring.Prefix {
	k, p := crawl.KeyOf(d), ring.Prefix{Len: ring.MaxPrefix}
	for _, b := range k[:8] {
		p.Bits = p.Bits<<8 | uint64(b)
	}
	return p
}

func TestDirectory_AllAnswersAgree(t *testing.T) {
	for _, n := range []int{1, 2, 3, 30, 300} {
		d := NewDirectory("member 0")
		d.Set(members(n))
		var own []ring.Prefix
		for _, s := range d.Layout().Shards() {
			own = append(own, d.Own(s)...)
		}
		slices.SortFunc(own, func(a, b ring.Prefix) int { return int(a.Bits>>44) - int(b.Bits>>44) })
		all := d.Parts(ring.Prefix{})
		if got := slices.CompactFunc(own, ring.Prefix.Overlaps); len(got) != len(all) {
			t.Errorf("%d members: shards own %d prefixes that do not overlap, the ring has %d", n, len(got), len(all))
		}
		for i := range 200 {
			dom := crawl.Domain(fmt.Sprintf("site%d.example", i))
			home, ok := d.Layout().Home(dom)
			if !ok {
				t.Fatalf("%d members: %s has no home", n, dom)
			}
			if got := d.Parts(prefixOf(dom)); len(got) != 1 || got[0] != (shard.Part{Prefix: prefixOf(dom), Shard: home}) {
				t.Fatalf("%d members: Parts of %s = %v, want all of it with %s", n, dom, got, home)
			}
			if !slices.ContainsFunc(d.Own(home), func(p ring.Prefix) bool { return p.Contains(crawl.KeyOf(dom)) }) {
				t.Fatalf("%d members: %s does not own %s, its home", n, home, dom)
			}
		}
	}
}

func TestLayout_LinesBeginWithTheHomeAndSpread(t *testing.T) {
	list := members(40)
	nets := make(map[crawl.PeerID]string)
	d := NewDirectory("member 7")
	d.Set(list)
	for _, m := range list {
		nets[m.ID] = m.Net
	}
	for _, s := range d.Layout().Shards() {
		line := d.Line(s)
		if len(line) != 3 || line[0] != s.Home() {
			t.Fatalf("line of %s = %v", s, line)
		}
		if all := append(line, d.Relays(s)...); len(all) != 5 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 5 {
			t.Errorf("line and relays of %s = %v, want five members", s, all)
		}
		if a, b, c := nets[line[0]], nets[line[1]], nets[line[2]]; a == b || b == c || a == c {
			t.Errorf("line of %s is in the networks %s, %s, %s", s, a, b, c)
		}
	}
	if got, want := d.Mine(), []stream.Shard{stream.ShardOf("member 7", 0), stream.ShardOf("member 7", 1)}; !slices.Equal(got, want) {
		t.Errorf("Mine = %v, want %v", got, want)
	}
	if got := d.Line("nobody\x00"); got != nil {
		t.Errorf("the line of a shard that is not on the ring = %v", got)
	}
	if len(d.Layout().groups) != len(d.Layout().Shards()) {
		t.Errorf("%d lines are kept, want those of %d shards", len(d.Layout().groups), len(d.Layout().Shards()))
	}
}

func TestDirectory_AnswersAreTheCallersToChange(t *testing.T) {
	d := NewDirectory("member 0")
	d.Set(members(9))
	s := d.Mine()[0]
	line, relays, parts, own := d.Line(s), d.Relays(s), d.Parts(ring.Prefix{}), d.Own(s)
	clear(d.Line(s))
	clear(d.Relays(s))
	clear(d.Parts(ring.Prefix{}))
	clear(d.Own(s))
	if !slices.Equal(d.Line(s), line) || !slices.Equal(d.Relays(s), relays) || !slices.Equal(d.Parts(ring.Prefix{}), parts) || !slices.Equal(d.Own(s), own) {
		t.Error("a caller changed what others are answered")
	}
}

func TestDirectory_SetComputesOnlyWhatChanged(t *testing.T) {
	list := members(6)
	d := NewDirectory("member 0")
	d.Set(list)
	first := d.Layout()
	slices.Reverse(list)
	if d.Set(list); d.Layout() != first {
		t.Error("another order of members made another layout")
	}
	gone := append(slices.Clone(list), Member{ID: "old", Units: 2, Out: true}, Member{ID: "fetcher"})
	if d.Set(gone); d.Layout() != first {
		t.Error("members that are not on the ring made another layout")
	}
	if !d.Owner("old") || d.Owner("fetcher") || !d.Owner("member 1") || d.Owner("stranger") {
		t.Error("an owner is one that has units or is out, and nobody else")
	}
	if !d.Out("old") || d.Out("fetcher") || d.Out("member 1") || d.Out("stranger") {
		t.Error("another than the one that is out counts as out")
	}
	if !d.Member("old") || !d.Member("fetcher") || d.Member("stranger") {
		t.Error("Member knows others than the roster")
	}
	i := slices.IndexFunc(gone, func(m Member) bool { return m.ID == "member 1" })
	gone[i].Out = true
	d.Set(gone)
	if d.Layout() == first || len(d.Layout().Of("member 1")) != 0 || !d.Out("member 1") {
		t.Error("a member that is out stays on the ring")
	}
}

// BenchmarkOwn is the first question after a change of a large roster.
func BenchmarkOwn(b *testing.B) {
	var list []ring.Member
	for _, m := range members(5000) {
		list = append(list, ring.Member{ID: string(m.ID), Units: m.Units})
	}
	r := ring.New(list)
	for b.Loop() {
		l := &Layout{ring: r}
		l.Own(stream.ShardOf("member 7", 0))
	}
}
