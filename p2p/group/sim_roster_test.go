package group_test

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// standing is what a record says of a member.
type standing uint8

const (
	unknown standing = iota
	in
	out
	left
)

// record is what the roster knows of one member. Of two the one with the higher sequence stands.
type record struct {
	seq   uint32
	units uint8
	is    standing
}

// roster spreads records of members. There is no truth beside them: each machine has its own view, which
// learns of a change after a delay, from machines that it can exchange packets with.
type roster struct {
	w       *world
	views   []view
	newest  []record // of each member, in any view
	rings   map[ringKey]*layout.Layout
	heard   map[[2]int]time.Duration // watcher, member: last time they could exchange packets
	watch   map[int][]int            // who watches a member; emptied by every change
	quick   bool                     // changes spread at once
	changes int
	moved   time.Duration // last time any view changed
}

// view is what one machine knows of all, by index.
type view struct {
	records []record
	key     ringKey
}

// ringKey stands for a set of members with units: the sum of a number for each.
type ringKey [2]uint64

// watchers is how many others watch a member.
const watchers = 5

// maxRings bounds the layouts that are kept.
const maxRings = 256

func newRoster(w *world) *roster {
	r := &roster{w: w, rings: make(map[ringKey]*layout.Layout), heard: make(map[[2]int]time.Duration), watch: make(map[int][]int)}
	w.every(w.times.Beat, r.declare)
	return r
}

// grow makes room for one machine more, and begins its exchanges with others.
func (r *roster) grow() {
	i := len(r.views)
	r.views = append(r.views, view{})
	r.newest = append(r.newest, record{})
	for j := range r.views {
		for len(r.views[j].records) <= i {
			r.views[j].records = append(r.views[j].records, record{})
		}
	}
	for len(r.views[i].records) < len(r.views) {
		r.views[i].records = append(r.views[i].records, record{})
	}
	r.w.every(r.w.scaled(60*time.Second), func() { r.compare(i) })
}

// publish changes the record of a member in the view of a machine, and spreads it.
func (r *roster) publish(at, member int, change func(*record)) {
	rec := r.views[at].records[member]
	rec.seq++
	change(&rec)
	r.take(at, member, rec)
	for i := range r.views {
		if i != at {
			r.spread(at, i, member, rec)
		}
	}
}

// spread brings a record to a machine after its delay, if it can be reached then. Otherwise compare will.
func (r *roster) spread(from, to, member int, rec record) {
	delay := r.w.between(0, r.w.scaled(60*time.Second))
	if r.quick {
		delay = r.w.between(0, r.w.times.Beat/4)
	}
	r.w.after(delay, func() {
		if r.w.net.joined(r.w.machines[from], r.w.machines[to]) {
			r.take(to, member, rec)
		}
	})
}

// compare lets a machine exchange all records with another that it reaches.
func (r *roster) compare(i int) {
	m, o := r.w.machines[i], pick(r.w, r.w.machines)
	if m == o || !r.w.net.joined(m, o) {
		return
	}
	for k := range r.views[i].records {
		r.take(i, k, r.views[o.index].records[k])
		r.take(o.index, k, r.views[i].records[k])
	}
}

// take adopts a record that is newer. A member that learns that it is out, though it is there, says so.
func (r *roster) take(at, member int, rec record) {
	v := &r.views[at]
	old := v.records[member]
	if rec.seq < old.seq || rec.seq == old.seq && rec.is <= old.is {
		return
	}
	v.key = v.key.without(member, old).with(member, rec)
	v.records[member] = rec
	if n := r.newest[member]; rec.seq > n.seq || rec.seq == n.seq && rec.is > n.is {
		r.newest[member] = rec
	}
	r.changes++
	r.moved = r.w.now
	clear(r.watch)
	r.w.trace.add(r.w.machines[at], "", "", "learns that %s is %s (%d)", r.w.machines[member].name, rec.is, rec.seq)
	if at == member && rec.is == out && r.w.machines[at].live() {
		r.publish(at, at, func(rec *record) { rec.is = in })
	}
}

func (s standing) String() string {
	return [...]string{"unknown", "in", "out", "gone by its own will"}[s]
}

// with and without add and take away a member that counts.
func (k ringKey) with(member int, rec record) ringKey {
	if rec.is != in || rec.units == 0 {
		return k
	}
	for i := range k {
		k[i] += scatter(uint64(member)<<8 | uint64(rec.units) | uint64(i)<<40)
	}
	return k
}

func (k ringKey) without(member int, rec record) ringKey {
	sum := ringKey{}.with(member, rec)
	return ringKey{k[0] - sum[0], k[1] - sum[1]}
}

// scatter is the finisher of SplitMix64.
func scatter(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// layoutOf returns the ring of a machine's view. Machines with one view share it.
func (r *roster) layoutOf(i int) *layout.Layout {
	v := &r.views[i]
	if l := r.rings[v.key]; l != nil {
		return l
	}
	var members []ring.Member
	for k, rec := range v.records {
		if rec.is == in && rec.units > 0 {
			members = append(members, ring.Member{ID: string(r.w.machines[k].id), Units: int(rec.units)})
		}
	}
	if len(r.rings) >= maxRings {
		clear(r.rings)
	}
	l := layout.New(members)
	r.rings[v.key] = l
	return l
}

// directory is what a machine's node sees of the roster.
type directory struct {
	r     *roster
	index int
}

func (d *directory) Line(s stream.Shard) []crawl.PeerID   { return d.r.layoutOf(d.index).Line(s) }
func (d *directory) Relays(s stream.Shard) []crawl.PeerID { return d.r.layoutOf(d.index).Relays(s) }
func (d *directory) Parts(p ring.Prefix) []group.Part     { return d.r.layoutOf(d.index).Parts(p) }
func (d *directory) Own(s stream.Shard) []ring.Prefix     { return d.r.layoutOf(d.index).Own(s) }
func (d *directory) Mine() []stream.Shard {
	return d.r.layoutOf(d.index).Of(d.r.w.machines[d.index].id)
}
func (d *directory) record(p crawl.PeerID) (record, bool) { return d.r.known(d.index, p) }

// Out is true of members that are out or left.
func (d *directory) Out(p crawl.PeerID) bool {
	rec, ok := d.record(p)
	return ok && (rec.is == out || rec.is == left)
}

// Owner is true of members that have or had units.
func (d *directory) Owner(p crawl.PeerID) bool {
	rec, ok := d.record(p)
	return ok && rec.units > 0
}

func (r *roster) known(at int, p crawl.PeerID) (record, bool) {
	m := r.w.byID[p]
	if m == nil {
		return record{}, false
	}
	rec := r.views[at].records[m.index]
	return rec, rec.is != unknown
}

// join makes a machine a member. It learns the roster from the member that let it in.
func (r *roster) join(m *machine, through *machine, units int) {
	if through != nil {
		for k, rec := range r.views[through.index].records {
			r.take(m.index, k, rec)
		}
	}
	r.publish(m.index, m.index, func(rec *record) { rec.is, rec.units = in, uint8(units) })
	r.w.trace.add(m, "", "", "joins with %d units", units)
}

// watchersOf returns the members that watch one: those whose hash with it is lowest, all if there are few.
func (r *roster) watchersOf(member int) []int {
	if ws, ok := r.watch[member]; ok {
		return ws
	}
	var others []int
	for k := range r.views {
		if k != member && r.views[k].records[k].is == in { // by its own word: that it was signed out, nobody alive may know
			others = append(others, k)
		}
	}
	slices.SortFunc(others, func(a, b int) int { return cmp.Compare(r.rank(a, member), r.rank(b, member)) })
	others = others[:min(len(others), watchers)]
	r.watch[member] = others
	return others
}

func (r *roster) rank(watcher, member int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(r.w.machines[watcher].id))
	h.Write([]byte(r.w.machines[member].id))
	return scatter(h.Sum64())
}

// declare lets watchers note whom they hear, and sign members out that enough of them have not heard for Times.Out.
func (r *roster) declare() {
	for x := range r.views {
		if r.newest[x].is == unknown {
			continue // of one that left, some may not have heard that it did
		}
		var silent []int
		there := 0
		for _, k := range r.watchersOf(x) {
			if r.w.machines[k].live() {
				there++
			}
			if r.listen(k, x) {
				silent = append(silent, k)
			}
		}
		r.sign(x, silent, there/2+1)
		r.comeBack(x)
	}
}

// listen returns whether a watcher has not heard a member for Times.Out while it was awake itself.
func (r *roster) listen(watcher, member int) bool {
	k, m := r.w.machines[watcher], r.w.machines[member]
	since, ok := r.heard[[2]int{watcher, member}]
	if !ok || !k.live() || r.w.net.joined(k, m) {
		r.heard[[2]int{watcher, member}] = r.w.now
		return false
	}
	return r.w.now-since >= r.w.times.Out
}

// sign declares a member out in the view of a watcher that reaches enough others who miss it, too.
func (r *roster) sign(member int, silent []int, need int) {
	for _, k := range silent {
		votes := 0
		for _, o := range silent {
			if o == k || r.w.net.joined(r.w.machines[k], r.w.machines[o]) {
				votes++
			}
		}
		if rec := r.views[k].records[member]; votes >= need && rec.is == in {
			r.w.trace.add(r.w.machines[k], "", "", "signs that %s is out", r.w.machines[member].name)
			r.publish(k, member, func(rec *record) { rec.is = out })
		}
	}
}

// comeBack lets a live member undo that it is out, once it reaches a member that believes it.
func (r *roster) comeBack(member int) {
	m := r.w.machines[member]
	if !m.live() || r.views[member].records[member].is == left {
		return
	}
	if r.newest[member].is != out {
		return
	}
	for i := range r.views {
		if rec := r.views[i].records[member]; rec.is == out && r.w.net.joined(m, r.w.machines[i]) {
			r.take(member, member, rec)
			return
		}
	}
}
