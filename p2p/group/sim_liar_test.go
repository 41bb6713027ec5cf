package group_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// The lies of a hostile member. It runs a node whose surroundings are doctored, so that all its packets are well formed.
var lies = []struct {
	name string
	tell func(w *world, m *machine)
}{
	// It acknowledges what it forgets at once: its disk keeps nothing that is written from now on.
	{"acknowledges and forgets", func(w *world, m *machine) {
		w.every(w.times.Beat, func() {
			if m.live() && !m.busy {
				m.disk.buckets = newDisk().buckets
			}
		})
	}},
	// It stands for election again and again, as its clock runs a thousand times as fast: its terms grow.
	{"huge terms", func(_ *world, m *machine) { m.clock.drift(1000) }},
	// It puts items that say everything is visited, very often and in a far future.
	{"everything is visited", func(w *world, m *machine) {
		w.every(w.times.Beat, func() {
			if m.live() && !m.busy {
				d := pick(w, w.load.domains)
				m.node.Put(d, itemsBody([]stream.Item{{Domain: d, Key: "u0", Value: item(0xff, math.MaxUint64)}}), "", func(bool) {})
			}
		})
	}},
	// It believes that every key is its own, so it asks for and tells of releases that nobody owes.
	{"false releases", func(_ *world, m *machine) {
		m.config = func(c *group.Config) { c.Directory = &greedy{c.Directory, m.id} }
	}},
	// It says for its own shard that this acts for everything, under a late number, and gives nothing back.
	{"false claims", func(w *world, m *machine) {
		w.net.lose = func(from, _ *machine, p packet) bool {
			return from == m && p.lane > stream.LaneBeat && !bytes.HasPrefix(p.bytes, claimHead)
		}
		w.every(w.times.Beat, func() {
			own := stream.ShardOf(m.id, 0)
			for _, s := range w.roster.layoutOf(w.founder).Shards() {
				for _, to := range w.machines {
					if s != own && to != m {
						w.net.send(m, to.id, packet{m.id, stream.LaneAct, claimPacket(m.id, to.id, own, s)})
					}
				}
			}
		})
	}},
	// It begins as founder of the network, with authority over everything.
	{"a second founder", func(_ *world, m *machine) {
		m.config = func(c *group.Config) { c.Founder = true }
		m.disk = newDisk()
	}},
	// It sends packets of chance, and old ones again.
	{"noise", func(w *world, m *machine) {
		var old []byte
		w.net.arrives = func(_, _ *machine, p packet) { old = p.bytes }
		w.every(w.times.Beat/4, func() {
			for _, to := range w.machines {
				if b := append([]byte(nil), old...); to != m && len(b) > 0 {
					b[w.rng.IntN(len(b))] ^= byte(1 << w.rng.IntN(8))
					w.net.send(m, to.id, packet{m.id, stream.LaneBeat, b})
				}
			}
		})
	}},
}

// kindTell is the kind of a message in which a leader tells another shard what it has of it.
const kindTell = 14

// claimHead is how the packets of false claims begin: with the version, and starts that are none.
var claimHead = append([]byte{1}, make([]byte, 16)...)

// claimPacket tells one shard that another acts for every key.
func claimPacket(from, to crawl.PeerID, of, other stream.Shard) []byte {
	m := &codec.Writer{B: []byte{kindTell}}
	stream.WriteShard(m, of, from, to)
	stream.WriteShard(m, other, from, to)
	codec.WriteList(m, []ring.Prefix{{}}, func(p ring.Prefix) {
		m.Prefix(p)
		m.Uint(1 << 30)
		m.Byte(1) // claimActing
	})
	stream.Marks{}.Write(m)
	w := &codec.Writer{B: slices.Clone(claimHead)}
	w.Bytes(m.B)
	return w.B
}

// greedy is a directory by which every key is its owner's.
type greedy struct {
	group.Directory
	id crawl.PeerID
}

func (g *greedy) Own(stream.Shard) []ring.Prefix { return []ring.Prefix{{}} }
func (g *greedy) Parts(p ring.Prefix) []group.Part {
	return []group.Part{{Prefix: p, Shard: stream.ShardOf(g.id, 0)}}
}

// A member lies. Nobody crashes, other shards lead on, and what holds at servers holds for the shards that it is not in.
func TestScenario_11_Liar(t *testing.T) {
	if underRace {
		t.Skip("seconds of work")
	}
	for i, lie := range lies {
		t.Run(lie.name, func(t *testing.T) {
			w := swarm(t, uint64(1100+i), 7, shard.LabTimes, 6)
			liar := w.machines[3]
			w.distrust(liar)
			liar.crash()
			lie.tell(w, liar)
			liar.start()
			w.run(12 * w.times.Lease)
			if w.failed != nil {
				t.Fatal(w.report())
			}
			w.othersLead(t)
		})
	}
}

// distrust takes the shards that a machine is in out of the checks.
func (w *world) distrust(liar *machine) {
	liar.opaque = true
	for _, s := range w.roster.layoutOf(w.founder).Shards() {
		for _, m := range w.line(s) {
			if m == liar {
				w.check.untrusted[s] = true
			}
		}
	}
}

func holdsAll(v group.View, own []ring.Prefix) bool {
	return !slices.ContainsFunc(own, func(p ring.Prefix) bool {
		return !slices.ContainsFunc(v.Held, func(q ring.Prefix) bool { return q.Covers(p) })
	})
}

// othersLead checks that every shard without the liar has a leader, which acts for what is its own.
func (w *world) othersLead(t *testing.T) {
	t.Helper()
	for _, s := range w.roster.layoutOf(w.founder).Shards() {
		if w.check.untrusted[s] {
			continue
		}
		if !w.until(4*w.times.Lease, func() bool { ms, _ := w.leadersOf(s); return len(ms) == 1 }) {
			ms, _ := w.leadersOf(s)
			t.Errorf("%s has %d leaders", w.shard(s), len(ms))
		}
		const beats = 40
		acts, own := 0, w.roster.layoutOf(w.founder).Own(s)
		for range beats {
			w.run(w.times.Beat)
			if _, views := w.leadersOf(s); len(views) == 1 && holdsAll(views[0], own) {
				acts++
			}
		}
		if acts < beats*9/10 {
			t.Errorf("%s acts for all that is its own in %d of %d beats, want 9 in 10", w.shard(s), acts, beats)
		}
	}
}
