package group_test

import (
	"math"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/stream"
)

// network carries packets between machines, with all that may happen to them on the way.
type network struct {
	w *world
	// links is what is wrong between two machines, by direction; absent: nothing.
	links map[[2]int]link
	// part is the partition a machine is in: those in different ones do not hear each other.
	part []int
	// undialled machines can dial but not be dialled: two of them never connect.
	undialled []bool
	loss      float64 // everywhere
	double    float64
	late      float64 // probability that a packet takes up to an hour
	low, high time.Duration

	sent    [][stream.NumLanes]uint64                       // bytes, by sender
	told    int                                             // packets in which leaders tell other shards what they have of theirs
	changed time.Duration                                   // last time that who reaches whom changed
	rough   time.Duration                                   // last time that anything was cut or lossy
	lose    func(from, to *machine, p packet) bool          // of a scenario, may be nil
	arrives func(from, to *machine, p packet)               // the same
	delay   func(from, to *machine, p packet) time.Duration // the same
}

// link is one direction between two machines.
type link struct {
	cut  bool
	loss float64
	flap time.Duration // cut for every second such period; 0: never
	lag  time.Duration // packets of lane and those after it take up to this longer
	lane stream.Lane
}

func newNetwork(w *world) *network {
	return &network{w: w, links: make(map[[2]int]link), low: 5 * time.Millisecond, high: 150 * time.Millisecond}
}

// grow makes room for one machine more.
func (n *network) grow() {
	n.part = append(n.part, 0)
	n.undialled = append(n.undialled, false)
	n.sent = append(n.sent, [stream.NumLanes]uint64{})
}

// carries reports whether a packet from one to the other would arrive now, except for chance.
func (n *network) carries(from, to *machine) bool {
	a, b := from.index, to.index
	if n.part[a] != n.part[b] || n.undialled[a] && n.undialled[b] {
		return false
	}
	l := n.links[[2]int{a, b}]
	return !l.cut && (l.flap == 0 || (n.w.now/l.flap)%2 == 0)
}

// joined reports whether two live machines can exchange packets now.
func (n *network) joined(a, b *machine) bool {
	return a.live() && b.live() && n.carries(a, b) && n.carries(b, a)
}

// clear reports whether packets between two machines arrive both ways, nearly all of them.
func (n *network) clear(a, b *machine) bool {
	return n.carries(a, b) && n.carries(b, a) && n.loss < 0.05 &&
		n.links[[2]int{a.index, b.index}] == link{} && n.links[[2]int{b.index, a.index}] == link{}
}

// latency is a pair's own, the same for the whole run, and a little of chance.
func (n *network) latency(a, b int) time.Duration {
	if a > b {
		a, b = b, a
	}
	h := (uint64(a)<<32 | uint64(b)) ^ n.w.seed
	h = (h ^ h>>31) * 0x9E3779B97F4A7C15
	h = (h ^ h>>29) * 0xBF58476D1CE4E5B9
	base := n.low + time.Duration((h>>16)%uint64(n.high-n.low+1))
	return base + n.w.between(0, base/5+1)
}

// send puts a packet on its way.
func (n *network) send(from *machine, to crawl.PeerID, p packet) {
	m := n.w.byID[to]
	n.sent[from.index][min(p.lane, stream.NumLanes-1)] += uint64(len(p.bytes))
	if tells(p.bytes) {
		n.told++
	}
	if m == nil || m == from || !n.carries(from, m) || n.lose != nil && n.lose(from, m, p) {
		return
	}
	if n.w.chance(n.loss) || n.w.chance(n.links[[2]int{from.index, m.index}].loss) {
		return
	}
	copies := 1
	if n.w.chance(n.double) {
		copies = 2
	}
	for range copies {
		n.carry(from, m, p)
	}
}

// tells reports whether a leader tells another shard in a packet what it has of it.
func tells(packet []byte) bool {
	if len(packet) < len(claimHead) {
		return false
	}
	r := &codec.Reader{B: packet[len(claimHead):]}
	for len(r.B) > 0 && !r.Failed {
		if m := r.Bytes(1 << 20); len(m) > 0 && m[0] == kindTell {
			return true
		}
	}
	return false
}

// carry delivers one copy, if the way is still open when it arrives.
func (n *network) carry(from, to *machine, p packet) {
	d := n.latency(from.index, to.index)
	late := n.w.chance(n.late)
	if late { // seconds mostly, an hour at most
		d = time.Duration(float64(time.Second) * math.Exp(n.w.rng.Float64()*math.Log(3600)))
	}
	if l := n.links[[2]int{from.index, to.index}]; l.lag > 0 && p.lane >= l.lane {
		d += n.w.between(0, l.lag)
	}
	if n.delay != nil {
		d += n.delay(from, to, p)
	}
	n.w.after(d, func() {
		if !to.up || !late && !n.carries(from, to) {
			return
		}
		n.w.trace.packet(from, to, p)
		to.arrives(p)
		if n.arrives != nil {
			n.arrives(from, to, p)
		}
	})
}

// touch notes that the network changed.
func (n *network) touch() { n.changed, n.rough = n.w.now, n.w.now }

// cut and mend change one direction.
func (n *network) cut(from, to *machine, l link) {
	n.links[[2]int{from.index, to.index}] = l
	n.touch()
	n.w.trace.add(from, "", "", "link to %s: cut %v, loss %.2f, flaps %v, lags %v from lane %d", to.name, l.cut, l.loss, l.flap, l.lag, l.lane)
}

func (n *network) mend(from, to *machine) {
	delete(n.links, [2]int{from.index, to.index})
	n.touch()
	n.w.trace.add(from, "", "", "link to %s is whole", to.name)
}

// divide puts machines into partitions.
func (n *network) divide(part func(index int) int) {
	for i := range n.part {
		n.part[i] = part(i)
	}
	n.touch()
	n.w.trace.add(nil, "", "", "partitions are %v", n.part)
}

// heal ends everything that is wrong.
func (n *network) heal() {
	clear(n.links)
	clear(n.undialled)
	n.loss, n.double, n.late = 0, 0, 0
	n.divide(func(int) int { return 0 })
}

// parts counts the sets of machines that hear one another. One that is down or frozen is a part of its own: what it
// granted is not known to the others.
func (n *network) parts() int {
	seen := make([]bool, len(n.w.machines))
	count := 0
	for i := range n.w.machines {
		if !seen[i] {
			n.visit(i, seen)
			count++
		}
	}
	return count
}

// visit marks what i exchanges packets with directly. Links that are cut one way or between some only make several parts
// of machines that overlap; they count each.
func (n *network) visit(i int, seen []bool) {
	seen[i] = true
	for j, m := range n.w.machines {
		if !seen[j] && n.joined(n.w.machines[i], m) {
			seen[j] = true
		}
	}
}

// bytes returns what a machine has sent by lane.
func (n *network) bytes(m *machine) [stream.NumLanes]uint64 { return n.sent[m.index] }
