package group

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/stream"
)

// Those of package shard: how far a log is, and who leads.
const kindOfStatus, kindOfLed = 2, 18

// Who keeps no shard pulls nothing, and is told no number of a commit nor of a log: neither by members that it asks for all it can, nor
// by those it takes for its partners. It may ask for work.
func TestNode_StrangersLearnNoNumbers(t *testing.T) {
	c, d := trio(t)
	put := false
	c.nodes["bob"].Put(d, []byte("page"), "ann", func(ok bool) { put = ok })
	if c.run(2 * time.Second); !put {
		t.Fatal("nothing is stored")
	}
	// Eve takes herself for a member of all lines, as a node does whose record others have not, or do not believe.
	view := layout.NewDirectory("eve")
	var members []layout.Member
	for _, p := range []crawl.PeerID{"ann", "bob", "cyd", "eve"} {
		members = append(members, layout.Member{ID: p, Units: 1})
	}
	view.Set(members)
	c.views["eve"] = view
	c.start("eve")
	eve := c.nodes["eve"]
	asked := slices.Sorted(maps.Keys(c.known))
	for _, p := range asked {
		for _, s := range []stream.Shard{stream.ShardOf("ann", 0), stream.ShardOf("bob", 0), stream.ShardOf("cyd", 0)} {
			eve.Streams().Pull(stream.Pull{Shard: s, From: p, Done: func(got stream.Pulled) { t.Errorf("%s let a stranger pull %s: marks %v", p, s, got.Marks) }})
			w := newMessage(kindOfStatus)
			stream.WriteShard(w, s, "eve", p)
			w.Byte(8) // it asks for the same
			w.Fixed(0)
			w.Uint(0)
			w.Uint(0)
			w.Uint(0)
			eve.peers.send(p, stream.LaneBeat, w)
		}
	}
	said := 0
	c.spy = func(from, to crawl.PeerID, packet []byte) {
		if to != "eve" {
			return
		}
		said++
		r := &codec.Reader{B: packet}
		r.Byte()
		r.Fixed()
		r.Fixed()
		for len(r.B) > 0 && !r.Failed {
			m := &codec.Reader{B: r.Bytes(maxMessage)}
			switch k := m.Byte(); k {
			case byte(kindBeat), byte(kindMoved), byte(kindGrant), kindOfLed:
			case kindOfStatus:
				s := stream.ReadShard(m, from, "eve")
				if _, founding, term, lastTerm, last := m.Byte(), m.Fixed(), m.Uint(), m.Uint(), m.Uint(); founding != 0 || term != 0 || lastTerm != 0 || last != 0 {
					t.Errorf("%s tells a stranger how far %s is: founding %d, term %d, entry %d of term %d", from, s, founding, term, last, lastTerm)
				}
			default:
				t.Errorf("%s tells a stranger something of kind %d", from, k)
			}
		}
	}
	leased := false
	eve.Ask(d, "ann", func(_ Lease, ok bool) { leased = ok })
	c.run(20 * time.Second)
	if said == 0 {
		t.Error("nobody answers a stranger at all")
	}
	if !leased {
		t.Error("a stranger gets no lease")
	}
	found := false
	if err := c.disks["eve"].View(func(tx stream.Tx) error { found = eve.Get(tx, d, "k") != nil; return nil }); err != nil {
		t.Fatal(err)
	}
	if found {
		t.Error("a stranger has what a member stored")
	}
}
