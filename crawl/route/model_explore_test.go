package route_test

import (
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
	"slices"
)

// universe says what can happen, and how often.
type universe struct {
	members int
	// limit is how often a verb may happen, 0 for never.
	limit times
	rates [computers]int8 // of the clocks, per mille
}

// steps returns all that can happen in a universe.
func (u *universe) steps() (list []step) {
	for _, s := range everyStep() {
		a, b := s.do.takes()
		switch {
		case u.limit[s.do] == 0, s.nth > 1, s.do == double, s.again && u.limit[double] == 0,
			a == 'm' && int(s.a) >= u.members, b == 'm' && int(s.b) >= u.members,
			a == 'm' && b == 'm' && s.a == s.b && u.members > 1,
			a == 'c' && s.a < maxMembers && int(s.a) >= u.members:
			continue
		}
		list = append(list, s)
	}
	return list
}

const often = 1 << 10 // as often as one likes

// visit is a world and how it came about.
type visit struct {
	world
	node int32
	used [verbs]uint8
}

// origin is a step from an earlier world.
type origin struct {
	from int32
	by   step
}

// found is what an exploration found.
type found struct {
	trace  []step // to what must not be; nil if nothing was found
	wrong  string
	worlds int
	depth  int  // in steps, up to which all was seen
	all    bool // everything was
}

// explore goes through all worlds that a universe can become, those of few steps first, until
// it has seen so many, or one that must not be. It looks at worlds that differ only in
// when they are, or in which fetcher is which, once.
func (u *universe) explore(r *rules, most int) found {
	steps := u.steps()
	seen := make(map[uint64]struct{}, most)
	k := keys{seed: maphash.MakeSeed(), steps: int64(u.limit[ahead]+u.limit[back]) * wallStep}
	tree := []origin{{from: -1}}
	layer := []visit{{world: *newWorld(u)}}
	var next []visit
	changed := false
	var w world // a step that cannot be done leaves it as it was
	for depth := 0; len(layer) > 0; depth++ {
		next = next[:0]
		for i := range layer {
			v := &layer[i]
			for j, s := range steps {
				if j == 0 || changed {
					w, changed = v.world, false
				}
				if int(v.used[s.do]) >= u.limit[s.do] || s.again && int(v.used[double]) >= u.limit[double] || !w.do(r, s) {
					continue
				}
				changed = true
				if w.wrong != "" {
					tree = append(tree, origin{v.node, s})
					return found{trace: traceOf(tree, len(tree)-1), wrong: w.wrong, worlds: len(seen), depth: depth}
				}
				used := v.used
				if u.limit[s.do] < often {
					used[s.do]++
				}
				if s.again && u.limit[double] < often {
					used[double]++
				}
				key := k.of(&w, &used)
				if _, was := seen[key]; was {
					continue
				}
				if len(seen) >= most {
					return found{worlds: len(seen), depth: depth}
				}
				seen[key] = struct{}{}
				tree = append(tree, origin{v.node, s})
				next = append(next, visit{world: w, node: int32(len(tree) - 1), used: used})
			}
		}
		layer, next = next, layer
	}
	return found{worlds: len(seen), all: true}
}

func traceOf(tree []origin, i int) (trace []step) {
	for ; tree[i].from >= 0; i = int(tree[i].from) {
		trace = append(trace, tree[i].by)
	}
	slices.Reverse(trace)
	return trace
}

// keys tells worlds apart, but not those that differ only in the names of members,
// fetchers, leases, questions and terms: what can become of them is the same.
type keys struct {
	seed    maphash.Seed
	buf     []byte
	members [maxMembers]uint8 // the place of each
	swap    uint8             // 1 if the fetchers change places
	steps   int64             // how far wall clocks may yet be set
}

var places = [][maxMembers]uint8{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

func (k *keys) of(w *world, used *[verbs]uint8) uint64 {
	orders := places
	if w.size < maxMembers {
		orders = places[:1]
	}
	least := ^uint64(0)
	for _, k.members = range orders {
		for k.swap = range uint8(fetchers) {
			least = min(least, k.one(w, used))
		}
	}
	return least
}

func (k *keys) num(n int64) { k.buf = binary.AppendVarint(k.buf, n) }

func (k *keys) flags(list ...bool) {
	n := byte(0)
	for i, b := range list {
		if b {
			n |= 1 << i
		}
	}
	k.buf = append(k.buf, n)
}

// lease puts the number of a lease, counted from the last that was granted.
func (k *keys) lease(w *world, id uint16) {
	if id == 0 {
		k.num(-1 << 20)
	} else {
		k.num(int64(len(w.taken)) - int64(id))
	}
}

// entry puts an entry of the log: who answers for it, and whether somebody waits for that.
func (k *keys) entry(w *world, e *entry, base uint8) {
	by, x := &w.members[e.by], &w.fetch[e.f]
	answers := by.run == e.run && by.up
	place := uint8(maxMembers)
	if answers {
		place = k.members[e.by]
	}
	k.buf = append(k.buf, e.term-min(base, e.term), e.kind, e.f^k.swap, place)
	k.flags(answers, e.seq == x.asked, e.seq == x.renewal)
	k.lease(w, e.id)
}

func (k *keys) one(w *world, used *[verbs]uint8) uint64 {
	k.buf = append(k.buf[:0], used[:]...)
	least, base := ^uint16(0), ^uint8(0)
	for i := range int(w.size) {
		if m := &w.members[i]; !m.wiped {
			least, base = min(least, m.applied), min(base, m.last)
		}
	}
	for place := range w.size {
		for i := range int(w.size) {
			if k.members[i] == place {
				k.member(w, i, least, base)
			}
		}
	}
	for i := range uint8(fetchers) {
		k.fetcher(w, int(i^k.swap))
	}
	for _, m := range w.net[:w.onWay] {
		x := &w.fetch[m.f]
		k.buf = append(k.buf, byte(m.kind), m.f^k.swap)
		k.flags(m.seq == x.asked, m.seq == x.renewal)
		k.lease(w, m.id)
	}
	k.buf = append(k.buf, 0xff)
	for _, last := range w.ended {
		k.lease(w, last.lease)
		k.num(min(w.now-last.at, leastGap))
	}
	for i := int(least); i < len(w.log); i++ {
		k.entry(w, &w.log[i], base)
	}
	return maphash.Bytes(k.seed, k.buf)
}

func (k *keys) member(w *world, i int, least uint16, base uint8) {
	m, pc := &w.members[i], &w.pcs[i]
	k.flags(m.up, m.leads, m.wiped)
	k.buf = append(k.buf, byte(pc.rest))
	if m.wiped {
		return
	}
	k.buf = append(k.buf, m.term-base, m.last-base, m.state.holder^k.swap)
	k.num(int64(m.applied - least))
	k.lease(w, m.state.lease)
	k.lease(w, m.state.next)
	k.num(max(m.due-pc.boot, 0))
	k.num(max(m.wallDue-pc.wall, -k.steps))
	for j := range m.n {
		k.entry(w, &m.tail[j], base)
	}
	k.buf = append(k.buf, 0xff)
	if m.leads {
		for place := range w.size {
			for j := range int(w.size) {
				if k.members[j] == place {
					k.num(int64(m.match[j]) - int64(least))
				}
			}
		}
	}
}

func (k *keys) fetcher(w *world, f int) {
	x, pc := &w.fetch[f], &w.pcs[pcOf(f)]
	k.buf = append(k.buf, byte(pc.rest))
	k.flags(x.asking, x.renewing, x.flying != 0, x.flying == x.held)
	k.lease(w, x.held)
	k.age(x.held != 0, pc, x.from)
	k.age(x.asking, pc, x.askedAt)
	k.age(x.renewing, pc, x.renewalAt)
}

// age puts how long ago something was, as far as it matters.
func (k *keys) age(counts bool, pc *computer, from reading) {
	if !counts {
		return
	}
	d := pc.sub(from)
	k.num(min(d.boot, leaseTime))
	k.num(min(d.mono, leaseTime))
	k.num(min(d.wall, leaseTime+k.steps))
	k.num(min(max(d.wall-d.boot, -stepFrom-k.steps), stepFrom+k.steps))
}

// weights say how often a walk tries something, for each time it tries others.
var weights = map[verb]int{
	spread: 30, passTime: 12, passSome: 6, giveUp: 2, replicate: 20, elect: 2, ask: 20, begin: 30, end: 10, hearAsk: 60, takeGrant: 60, lapse: 40, renew: 10,
	hearRenew: 30, takeRenewal: 30, giveBack: 2, hearRelease: 20, wake: 20, restart: 20, admit: 40,
}

// isFault reports whether sites and leases would do without a verb.
func (v verb) isFault() bool {
	switch v {
	case push, crash, switchOff, wipe, sleep, freeze, ahead, back, failing, lose:
		return true
	}
	return false
}

// walk does so many steps by chance, and returns those that could be done. It
// ends at what must not be. Each walk leaves some kinds of faults out: what needs many of one
// kind is seldom met where all are.
func (u *universe) walk(r *rules, random *rand.Rand, n int) (*world, []step) {
	var without [verbs]bool
	for v := range verbs {
		without[v] = v.isFault() && random.IntN(3) > 0
	}
	doubles := random.IntN(3) == 0
	var steps []step
	for _, s := range u.steps() {
		if without[s.do] || s.again && !doubles {
			continue
		}
		for range max(weights[s.do], 1) {
			steps = append(steps, s)
		}
	}
	w := newWorld(u)
	return w, w.walk(r, random, steps, n)
}

func (w *world) walk(r *rules, random *rand.Rand, steps []step, n int) (trace []step) {
	for range n {
		for range 200 {
			if s := steps[random.IntN(len(steps))]; w.do(r, s) {
				trace = append(trace, s)
				break
			}
		}
		if w.wrong != "" {
			break
		}
	}
	return trace
}

// replay does the steps of a trace that can be done, and returns the world they make and how many were
// not possible.
func (u *universe) replay(r *rules, trace []step) (w *world, left int) {
	w = newWorld(u)
	for _, s := range trace {
		if !w.do(r, s) {
			left++
		}
		if w.wrong != "" {
			break
		}
	}
	return w, left
}

// shrink takes steps out of a trace as long as it leads to what must not be.
func (u *universe) shrink(r *rules, trace []step) []step {
	for again := true; again; {
		again = false
		for size := max(len(trace)/2, 1); size >= 1; size /= 2 {
			for at := 0; at+size <= len(trace); {
				shorter := slices.Concat(trace[:at], trace[at+size:])
				if w, left := u.replay(r, shorter); w.wrong != "" && left == 0 {
					trace, again = shorter, true
				} else {
					at++
				}
			}
		}
	}
	return trace
}
