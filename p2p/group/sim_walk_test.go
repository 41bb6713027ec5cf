package group_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

var (
	seedsFlag = flag.Int("seeds", 0, "number of random histories; 0: 200, or 5,000 with FORAGE_LONG")
	seedFlag  = flag.Uint64("seed", 0, "the only history to run")
	firstFlag = flag.Uint64("first", 1, "first of the histories")
	allFlag   = flag.Bool("summary", false, "run all histories and print one line for each that fails")
	traceFlag = flag.Bool("events", false, "print every event of the only history")
)

// fault is something that goes wrong at some time and may be put right later.
type fault struct {
	name string
	do   func(w *walk)
}

// walk is a random history: a world, and the faults that happen in it.
type walk struct {
	*world
	faults    []fault
	pace      time.Duration // between faults, in the mean
	lastedits time.Duration // of memory
	over      bool          // the faults are over
}

// newWalk draws a world and its faults.
func newWalk(seed uint64) *walk {
	w := newWorld(seed, shard.LabTimes, 0)
	w.gap = w.between(300*time.Millisecond, 2*time.Second)
	w.net.loss, w.net.double = 0.02*w.rng.Float64(), 0.02*w.rng.Float64()
	w.net.late = 0.001 * w.rng.Float64()
	k := &walk{world: w, pace: w.between(2*time.Second, 15*time.Second)}
	k.people()
	k.load.begin(3 + w.rng.IntN(4))
	for _, f := range allFaults {
		if w.chance(0.5) {
			k.faults = append(k.faults, f)
		}
	}
	return k
}

// people makes 3 to 7 members, of which some join later, and two fetchers that never are members.
func (w *walk) people() {
	n := 3 + w.rng.IntN(5)
	first := w.addMachine()
	w.roster.join(first, nil, 1)
	first.start()
	for i := 1; i < n; i++ {
		m := w.addMachine()
		w.after(w.arrival(), func() {
			m.start()
			w.roster.join(m, first, w.units())
		})
	}
	for range 2 {
		m := w.addMachine()
		w.roster.visitor(m, first)
		m.start()
	}
}

// arrival draws when a member joins: half of them at once, the others within two minutes.
func (w *walk) arrival() time.Duration {
	if w.chance(0.5) {
		return w.between(0, 2*time.Second)
	}
	return w.between(0, 120*time.Second)
}

func (w *walk) units() int {
	if w.chance(0.2) {
		return 2
	}
	return 1
}

// visitor tells a machine that is no member of the roster.
func (r *roster) visitor(m, through *machine) {
	for k, rec := range r.views[through.index].records {
		r.take(m.index, k, rec)
	}
}

// history runs the walk to its end.
func (w *walk) history() {
	for _, f := range w.faults {
		w.trace.add(nil, "", "", "this world knows the fault: %s", f.name)
	}
	w.run(w.between(2*time.Second, 30*time.Second))
	end := w.now + w.between(3*time.Minute, 6*time.Minute)
	for w.failed == nil && w.now < end {
		if len(w.faults) > 0 {
			pick(w.world, w.faults).do(w)
		}
		w.run(w.between(0, 2*w.pace))
	}
	// An ambush, or a member that comes again, is no fault of the quiet end, in which nothing may move.
	w.check.watch, w.over = nil, true
	if w.failed == nil {
		ending{w.world}.quietEnd()
	}
}

// length draws how long a fault lasts, over orders of magnitude.
func (w *walk) length() time.Duration {
	return pick(w.world, []time.Duration{w.between(0, time.Second), w.between(time.Second, 10*time.Second), w.between(10*time.Second, 60*time.Second)})
}

// some draws a machine that is up; nil if none is.
func (w *walk) some() *machine {
	m := pick(w.world, w.machines)
	if !m.live() || m.gone {
		return nil
	}
	return m
}

var allFaults = []fault{
	{"crash", crashFault}, {"crash", crashFault}, {"freeze", freezeFault}, {"partition", partFault}, {"cut", cutFault}, {"loss", lossFault},
	{"slow disk", slowFault}, {"drift", driftFault}, {"jump", jumpFault}, {"leave", leaveFault}, {"units", unitsFault}, {"out", outFault},
	{"backup", backupFault}, {"power", powerFault}, {"dial", dialFault}, {"long loss", lonelyFault},
	{"lag", lagFault}, {"ambush", ambushFault}, {"swap", swapFault}, {"flutter", flutterFault},
}

func crashFault(w *walk) {
	if m := w.some(); m != nil {
		m.crash()
		w.after(w.length(), m.start)
	}
}

func freezeFault(w *walk) {
	m := w.some()
	if m == nil || w.now-m.setBack < 2*w.times.Lease {
		return
	}
	m.freeze()
	boot := m.boot
	d := w.length()
	if w.chance(0.1) {
		d *= 5
	}
	w.after(d, func() {
		if m.boot == boot {
			m.thaw()
		}
	})
}

func partFault(w *walk) {
	parts := 2 + w.rng.IntN(2)
	w.net.divide(func(int) int { return w.rng.IntN(parts) })
	w.after(w.length(), func() { w.net.divide(func(int) int { return 0 }) })
}

func cutFault(w *walk) {
	a, b := pick(w.world, w.machines), pick(w.world, w.machines)
	if a == b {
		return
	}
	l := link{cut: true}
	if w.chance(0.3) {
		l = link{flap: w.between(100*time.Millisecond, 5*time.Second)}
	}
	w.badLink(a, b, l)
}

func lossFault(w *walk) {
	if a, b := pick(w.world, w.machines), pick(w.world, w.machines); a != b {
		w.badLink(a, b, link{loss: 0.1 + 0.8*w.rng.Float64()})
	}
}

// lagFault makes packets between two machines late, or all that one sends. Where a line is full, only those of streams and pulls are.
func lagFault(w *walk) {
	l := link{lag: w.between(time.Second, 10*time.Second), lane: pick(w.world, []stream.Lane{stream.LaneBeat, stream.LaneStream})}
	a, b := pick(w.world, w.machines), pick(w.world, w.machines)
	if a != b && w.chance(0.5) {
		w.badLink(a, b, l)
		return
	}
	for _, o := range w.machines {
		if o != a {
			w.net.cut(a, o, l)
			w.after(w.length(), func() { w.net.mend(a, o) })
		}
	}
}

// ambushFault crashes a machine at the moment when one, itself or another, does something that others build on.
func ambushFault(w *walk) {
	kind := pick(w.world, []shard.Kind{shard.Elected, shard.Acts, shard.Line, shard.Gave, shard.Took, shard.Granted, shard.Stored})
	w.check.watch = func(m *machine, n shard.Note) {
		if n.Kind != kind {
			return
		}
		w.check.watch = nil
		if w.chance(0.5) {
			m = pick(w.world, w.machines)
		}
		if m.live() {
			w.after(0, m.crash)
			w.after(w.length(), m.start)
		}
	}
}

// swapFault gives slow disks to those that stay in a line, at the moment when another is about to be removed from it: what the one
// that goes has stored is acknowledged first.
func swapFault(w *walk) {
	w.check.watch = func(leader *machine, n shard.Note) {
		if n.Kind != shard.Line || len(n.Peers) < 4 {
			return
		}
		w.check.watch = nil
		stay := w.roster.layoutOf(leader.index).Line(n.Shard)
		for _, p := range n.Peers {
			if m := w.byID[p]; m != leader && slices.Contains(stay, p) {
				w.slowDisk(m, 3*time.Second)
			}
		}
	}
}

// flutterFault lets members take a second unit one after another, and give it up again, while another is away: keys are given on
// before all copies of the first move are gone.
func flutterFault(w *walk) {
	away := w.some()
	if away == nil {
		return
	}
	away.crash()
	w.after(w.between(w.times.Lease, 2*w.times.Out), away.start)
	units := func(m *machine, n uint8) {
		if m.live() && !w.over && w.roster.views[m.index].records[m.index].is == in {
			w.roster.publish(m.index, m.index, func(r *record) { r.units = n })
		}
	}
	at := time.Duration(0)
	for _, i := range w.rng.Perm(len(w.machines))[:3] {
		m := w.machines[i]
		at += w.between(w.times.Beat, w.times.Lease)
		w.after(at, func() { units(m, 2) })
		w.after(at+w.between(w.times.Beat, 3*w.times.Lease), func() { units(m, 1) })
	}
}

// badLink makes a link bad one way or both for a while.
func (w *walk) badLink(a, b *machine, l link) {
	both := w.chance(0.6)
	w.net.cut(a, b, l)
	if both {
		w.net.cut(b, a, l)
	}
	w.after(w.length(), func() {
		w.net.mend(a, b)
		if both {
			w.net.mend(b, a)
		}
	})
}

func slowFault(w *walk) {
	w.slowDisk(pick(w.world, w.machines), w.between(100*time.Millisecond, 4*time.Second))
}

// slowDisk makes a machine's disk slow for a while.
func (w *walk) slowDisk(m *machine, most time.Duration) {
	m.slow, m.unsteady = most, w.now
	w.trace.add(m, "", "", "has a slow disk: up to %v", m.slow)
	w.after(w.length(), func() { m.slow, m.unsteady = 20*time.Millisecond, w.now })
}

func driftFault(w *walk) {
	pick(w.world, w.machines).clock.drift(1 + maxDrift*(2*w.rng.Float64()-1))
}

// jumpFault sets a wall clock. A clock set back and a freeze within one lease hide the freeze from both clocks of a
// node, so they keep apart.
func jumpFault(w *walk) {
	m := pick(w.world, w.machines)
	by := w.between(-time.Hour, time.Hour)
	if m.frozen || by < 0 && w.now-m.unsteady < 2*w.times.Lease {
		by = 0
	}
	if by < 0 {
		m.setBack = w.now
	}
	m.clock.offset += by
	w.trace.add(m, "", "", "has its wall clock set by %v", by)
}

// leaveFault lets a member go that all others of its lines can do without: one copy at a time is lost for good.
func leaveFault(w *walk) {
	m := w.some()
	if m == nil || m.index == w.founder || !w.spared(m) || w.roster.views[m.index].records[m.index].is != in || w.roster.layoutOf(w.founder).Ring().Len() < 3 {
		return
	}
	w.leave(m)
	if w.chance(0.5) {
		w.after(w.between(20*time.Second, 90*time.Second), func() {
			if !w.over {
				w.comeAgain(m)
			}
		})
	}
}

// leave lets a machine hand over what it leads and go.
func (w *world) leave(m *machine) {
	w.trace.add(m, "", "", "leaves")
	w.roster.publish(m.index, m.index, func(r *record) { r.is = left })
	m.node.Leave()
	m.leaving = true
	w.after(6*w.times.Lease, func() {
		if m.leaving {
			m.leaving = false
			w.trace.add(m, "", "", "does not wait any longer")
			m.crash()
		}
	})
}

// comeAgain makes a member of a machine that left.
func (w *world) comeAgain(m *machine) {
	m.retired, m.leaving = false, false
	m.crash()
	m.start()
	w.roster.publish(m.index, m.index, func(r *record) { r.is = in })
}

func unitsFault(w *walk) {
	if m := w.some(); m != nil && w.roster.views[m.index].records[m.index].is == in {
		u := w.units()
		w.trace.add(m, "", "", "has %d units now", u)
		w.roster.publish(m.index, m.index, func(r *record) { r.units = uint8(u) })
	}
}

// outFault switches a machine off for so long that it is declared out.
func outFault(w *walk) {
	if m := w.some(); m != nil {
		m.crash()
		w.after(w.between(w.times.Out, w.times.Out*3/2+w.times.Day/4), m.start)
	}
}

// lonelyFault switches off many for so long that groups may be founded again.
func lonelyFault(w *walk) {
	if !w.chance(0.2) {
		return
	}
	d := w.times.Out + w.times.Day + w.between(0, w.times.Day)
	for _, m := range w.machines {
		if m.live() && w.chance(0.5) {
			m.crash()
			w.after(d, m.start)
		}
	}
}

// backupFault takes a backup, or, seldom, puts one back or loses a disk. One memory at a time goes backwards, and only in
// lines of three: with fewer there is no other copy.
func backupFault(w *walk) {
	m := w.some()
	if m == nil || m.busy {
		return
	}
	if m.saved == nil || w.chance(0.5) {
		m.saved = m.disk.clone()
		return
	}
	if w.now-w.lastedits < 2*time.Minute || !w.spared(m) {
		return
	}
	w.lastedits = w.now
	m.crash()
	if w.chance(0.5) {
		m.restore()
	} else {
		m.wipe()
	}
	w.after(w.length(), m.start)
}

// spared reports whether every shard that a machine votes in has two others that are there.
func (w *world) spared(m *machine) bool {
	for _, v := range m.node.Look() {
		alive := 0
		for _, p := range v.Voters {
			if o := w.byID[p]; o != m && w.net.joined(m, o) {
				alive++
			}
		}
		if v.Role != shard.Former && alive < 2 {
			return false
		}
	}
	return true
}

func powerFault(w *walk) {
	if !w.chance(0.3) {
		return
	}
	w.trace.add(nil, "", "", "power fails everywhere")
	for _, m := range w.machines {
		if m.up {
			m.crash()
			w.after(w.length(), m.start)
		}
	}
}

func dialFault(w *walk) {
	i := w.rng.IntN(len(w.machines))
	w.net.undialled[i] = true
	w.net.touch()
	w.after(4*w.length(), func() { w.net.undialled[i] = false; w.net.touch() })
}

// runSeed runs one history and returns its world. A panic of a node is a failure as any other.
func runSeed(seed uint64, live bool) (w *walk) {
	w = newWalk(seed)
	if live {
		w.trace.live = os.Stdout
	}
	defer func() {
		if r := recover(); r != nil {
			w.fail("", "", "panic: %v\n%s", r, debug.Stack())
		}
	}()
	w.history()
	return w
}

// brief is a report, or its first line.
func (w *world) brief(line bool) string {
	if !line {
		return w.report()
	}
	return fmt.Sprintf("seed %d: after %.3f s: %s", w.seed, w.failed.at.Seconds(), strings.SplitN(w.failed.text, "goroutine", 2)[0])
}

// seedCount is how many histories to run.
func seedCount() uint64 {
	n := 200
	switch {
	case *seedsFlag > 0:
		n = *seedsFlag
	case underRace:
		n = 10
	case os.Getenv("FORAGE_LONG") != "":
		n = 5000
	}
	return uint64(n)
}

func TestSim_Seeds(t *testing.T) {
	if *seedFlag > 0 {
		if w := runSeed(*seedFlag, *traceFlag); w.failed != nil {
			t.Error(w.report())
		}
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a history is garbage when it is over
	var next, spins, elections, grants, puts, failed atomic.Uint64
	next.Store(*firstFlag)
	last := *firstFlag + seedCount()
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := next.Add(1) - 1; seed < last && (failed.Load() < 3 || *allFlag); seed = next.Add(1) - 1 {
				w := runSeed(seed, false)
				elections.Add(uint64(w.check.elections))
				spins.Add(uint64(w.check.spins))
				grants.Add(uint64(w.check.grants))
				puts.Add(uint64(w.load.puts))
				if w.failed != nil {
					failed.Add(1)
					t.Error(w.brief(*allFlag))
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d elections, %d leases, %d puts, %d loops without work", elections.Load(), grants.Load(), puts.Load(), spins.Load())
	if failed.Load() == 0 && grants.Load() == 0 {
		t.Error("nobody was ever granted a lease")
	}
}

func TestSim_SameSeedSameHistory(t *testing.T) {
	for seed := uint64(1); seed <= 1; seed++ {
		a, b := runSeed(seed, false), runSeed(seed, false)
		if x, y := a.trace.sum.Sum64(), b.trace.sum.Sum64(); x != y || a.now != b.now {
			t.Errorf("seed %d: hash of the trace %x and %x, ends at %v and %v", seed, x, y, a.now, b.now)
		}
	}
}
