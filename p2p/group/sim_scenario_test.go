package group_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// The scenarios, by number. Each begins with a settled swarm and ends with the quiet end.

// swarm makes a world of n members that are settled; they all crawl.
func swarm(t *testing.T, seed uint64, n int, times group.Times, domains int) *world {
	t.Helper()
	w := newWorld(seed, times, times.Beat/2)
	w.roster.quick = true
	first := w.addMachine()
	w.roster.join(first, nil, 1)
	first.start()
	for range n - 1 {
		w.member()
	}
	w.load.begin(domains)
	w.settle(t)
	return w
}

// member adds a machine that joins at once.
func (w *world) member() *machine {
	m := w.addMachine()
	m.start()
	w.roster.join(m, w.machines[w.founder], 1)
	return m
}

// settle waits until everything is as it should be.
func (w *world) settle(t *testing.T) {
	t.Helper()
	why := ""
	if !w.until(20*w.times.Lease+w.times.Careful, func() bool { why = ending{w}.unsettled(); return why == "" }) {
		if w.failed == nil {
			ending{w}.blame(why, "at the start")
		}
		t.Fatal(w.report())
	}
}

// ends runs the quiet end and fails the test if an invariant broke.
func (w *world) ends(t *testing.T, format string, args ...any) {
	t.Helper()
	if w.failed == nil {
		ending{w}.quietEnd()
	}
	if w.failed != nil {
		t.Errorf("%s: %s", fmt.Sprintf(format, args...), w.report())
	}
}

// leaderOf returns the machine that acts for the first shard of a machine, with its line.
func (w *world) leaderOf(s stream.Shard) *machine {
	ms, _ := w.leadersOf(s)
	if len(ms) == 0 {
		return nil
	}
	return ms[0]
}

// shardOf is the first shard of a machine.
func shardOf(m *machine) stream.Shard { return stream.ShardOf(m.id, 0) }

// line returns the machines of a shard's computed line, the home first.
func (w *world) line(s stream.Shard) (ms []*machine) {
	for _, p := range w.roster.layoutOf(w.founder).Line(s) {
		ms = append(ms, w.byID[p])
	}
	return ms
}

// short reports whether scenarios leave out every other case.
func short() bool { return os.Getenv("FORAGE_LONG") == "" }

func TestScenario_00_Settles(t *testing.T) {
	for n := 1; n <= 7; n++ {
		w := swarm(t, uint64(n), n, shard.LabTimes, 5)
		w.ends(t, "%d members, settled within %v", n, w.now)
	}
}

// The leader of a line of three, of which one is exchanged, dies right after its k-th packet since that began.
func TestScenario_01_SwapWhileTheLeaderDies(t *testing.T) {
	for k := 1; k <= 120; k++ {
		if short() && k > 12 && k%9 != 0 {
			continue
		}
		w := swarm(t, 100, 5, shard.LabTimes, 2)
		s := shardOf(w.machines[0])
		goes := w.line(s)[2]
		leader := w.leaderOf(s)
		w.roster.publish(goes.index, goes.index, func(r *record) { r.is = left })
		w.dieAfter(leader, k)
		w.run(w.between(0, 3*w.times.Lease))
		w.ends(t, "dies after packet %d", k)
	}
}

// dieAfter lets a machine crash right after it has sent k packets from now on.
func (w *world) dieAfter(m *machine, k int) {
	w.net.lose = func(from, _ *machine, _ packet) bool {
		if from != m || k <= 0 {
			return false
		}
		if k--; k == 0 {
			w.after(0, m.crash)
			w.after(3*w.times.Lease, m.start)
		}
		return false
	}
}

// A leader is frozen, all its clocks with it, at each step of a grant, while its successor leads.
func TestScenario_02_FrozenAtEachStepOfAGrant(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("seconds of work")
	}
	for _, d := range []time.Duration{100 * time.Millisecond, time.Second, 10 * time.Second, 30 * time.Second, 100 * time.Second, 300 * time.Second} {
		for step := 1; step <= 12; step++ {
			if short() && step%3 != 1 {
				continue
			}
			w := swarm(t, uint64(200+step), 3, shard.LabTimes, 2)
			leader := w.leaderOf(shardOf(w.machines[0]))
			w.freezeAt(leader, step, d)
			w.run(d + 2*w.times.Lease)
			w.ends(t, "frozen for %v at step %d", d, step)
		}
	}
}

// freezeAt freezes a machine at the n-th packet about grants that it sends or gets.
func (w *world) freezeAt(m *machine, n int, d time.Duration) {
	count := func(from, to *machine, p packet) {
		if from != m && to != m || p.lane > stream.LaneAct {
			return
		}
		if n--; n == 0 {
			m.freeze()
			w.after(d, m.thaw)
		}
	}
	w.net.arrives = count
	w.net.lose = func(from, to *machine, p packet) bool { w.after(0, func() { count(from, to, p) }); return false }
}

// Messages of a handover are lost, doubled or late, and either side crashes right after.
func TestScenario_03_HandoverMessages(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("seconds of work")
	}
	for bad := range 3 {
		for dies := range 3 {
			w := swarm(t, uint64(300+bad*3+dies), 4, shard.LabTimes, 3)
			home := w.machines[1]
			s := shardOf(home)
			home.crash()
			w.run(2 * w.times.Lease)
			w.spoil(bad)
			home.start()
			other := w.leaderOf(s)
			w.onFirst(shard.Elected, s, home, func() {
				if dies == 1 {
					home.crash()
				} else if dies == 2 && other != nil {
					other.crash()
				}
			})
			w.run(3 * w.times.Lease)
			w.net.lose, w.net.delay = nil, nil
			w.ends(t, "trouble %d, who dies %d", bad, dies)
		}
	}
}

// spoil makes the network lose, double or delay a third of all packets.
func (w *world) spoil(how int) {
	switch how {
	case 0:
		w.net.lose = func(*machine, *machine, packet) bool { return w.chance(0.33) }
	case 1:
		w.net.double = 0.9
	case 2:
		w.net.delay = func(*machine, *machine, packet) time.Duration {
			if w.chance(0.1) {
				return w.between(time.Second, time.Hour)
			}
			return 0
		}
	}
}

// onFirst does something once when a machine first notes a kind for a shard; "" stands for any shard, nil for any machine.
func (w *world) onFirst(k shard.Kind, s stream.Shard, m *machine, do func()) {
	done := false
	w.check.watch = func(by *machine, n group.Note) {
		if !done && n.Kind == k && (s == "" || n.Shard == s) && (m == nil || m == by) {
			done = true
			w.after(0, do)
		}
	}
}

// Three join at once and learn of each other late; a giver or a taker dies at a release.
func TestScenario_04_ThreeJoinAtOnce(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("seconds of work")
	}
	for dies := range 5 {
		w := swarm(t, uint64(400+dies), 3, shard.LabTimes, 6)
		w.roster.quick = false
		for range 3 {
			w.member()
		}
		kind := shard.Gave
		if dies >= 2 {
			kind = shard.Took
		}
		if dies > 0 {
			w.crashOnFirst(kind)
		}
		w.run(12 * w.times.Lease)
		w.ends(t, "case %d", dies)
	}
}

// crashOnFirst crashes the machine that first notes a kind, for three leases.
func (w *world) crashOnFirst(k shard.Kind) {
	done := false
	w.check.watch = func(m *machine, n group.Note) {
		if !done && n.Kind == k {
			done = true
			w.after(0, m.crash)
			w.after(3*w.times.Lease, m.start)
		}
	}
}

// A network grows to two and three members, loses one for good, and goes on.
func TestScenario_05_OneIsLostForGood(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("seconds of work")
	}
	for n := 2; n <= 4; n++ {
		for lost := 1; lost < n; lost++ {
			w := swarm(t, uint64(500+n*10+lost), n, shard.LabTimes, 3)
			m := w.machines[lost]
			m.crash()
			m.gone, m.retired = true, true
			w.run(w.times.Out + w.times.Day + w.times.Careful + 6*w.times.Lease)
			w.ends(t, "%d members, %s is lost", n, m.name)
		}
	}
}

// A line is split 2/1/0 for a short time, until the other is out, and for longer than a day; then it heals.
func TestScenario_06_Split(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("seconds of work")
	}
	lab := shard.LabTimes
	for i, d := range []time.Duration{lab.Out / 2, lab.Out + lab.Careful, lab.Out + 2*lab.Day} {
		for alone := range 3 {
			w := swarm(t, uint64(600+10*i+alone), 4, lab, 4)
			line := w.line(shardOf(w.machines[0]))
			apart := line[min(alone, len(line)-1)].index
			w.net.divide(func(index int) int {
				if index == apart {
					return 1
				}
				return 0
			})
			w.run(d)
			w.net.divide(func(int) int { return 0 })
			w.run(2 * w.times.Lease)
			w.ends(t, "%s apart for %v", nameOf(apart), d)
		}
	}
}

// A backup is restored on the leader, a follower, or a home; then another copy is lost.
func TestScenario_07_BackupRestored(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("seconds of work")
	}
	for which := range 3 {
		for later := range 2 {
			w := swarm(t, uint64(700+2*which+later), 4, shard.LabTimes, 4)
			line := w.line(shardOf(w.machines[1]))
			m := line[which]
			m.saved = m.disk.clone()
			w.run(6 * w.times.Lease)
			m.crash()
			m.restore()
			w.run(time.Duration(later) * 2 * w.times.Lease)
			m.start()
			w.run(8 * w.times.Lease)
			other := line[(which+1)%3]
			other.crash()
			other.wipe()
			w.run(w.times.Lease)
			other.start()
			w.ends(t, "backup of %s, then %s is empty", m.name, other.name)
		}
	}
}

// Power fails everywhere; one home starts without its store, one with an old one.
func TestScenario_08_PowerCut(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("seconds of work")
	}
	for seed := uint64(800); seed < 804; seed++ {
		w := swarm(t, seed, 5, shard.LabTimes, 4)
		old := w.machines[1]
		old.saved = old.disk.clone()
		w.run(5 * w.times.Lease)
		for _, m := range w.machines {
			m.crash()
		}
		w.machines[2].wipe()
		old.restore()
		w.run(w.times.Lease)
		for _, m := range w.machines {
			w.after(w.between(0, w.times.Lease), m.start)
		}
		w.run(6 * w.times.Lease)
		w.ends(t, "power cut")
	}
}

// Members lead and follow each other with slow disks, lost packets, links that work one way, and addresses that cannot be dialled.
func TestScenario_09_BadNetwork(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("seconds of work")
	}
	for seed := uint64(900); seed < 904; seed++ {
		w := swarm(t, seed, 5, shard.LabTimes, 4)
		w.net.loss = 0.1
		for i, m := range w.machines {
			m.slow, m.unsteady = w.between(50*time.Millisecond, 3*time.Second), w.now
			w.net.cut(m, w.machines[(i+1)%len(w.machines)], link{cut: i%2 == 0, loss: 0.3})
		}
		w.net.undialled[1], w.net.undialled[3] = true, true
		w.net.touch()
		w.run(12 * w.times.Lease)
		w.ends(t, "bad network")
	}
}

// Two that must agree elect one of them although a vote takes longer to come than members wait for each other on fast lines.
func TestScenario_SlowLinesElect(t *testing.T) {
	for seed := uint64(950); seed < 974; seed++ {
		w := swarm(t, seed, 3, shard.LabTimes, 3)
		home := w.machines[0]
		s := shardOf(home)
		acts := false
		w.onFirst(shard.Acts, s, nil, func() { acts = true })
		w.net.delay = func(*machine, *machine, packet) time.Duration {
			return w.between(500*time.Millisecond, time.Second)
		}
		home.crash()
		if w.until(12*w.times.Lease, func() bool { return acts }); !acts {
			t.Errorf("seed %d: nobody leads after %v; %s", seed, 12*w.times.Lease, w.report())
		}
	}
}

// Copies that have gone apart are merged in any order, twice.
func TestScenario_10_DivergedCopies(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("seconds of work")
	}
	for parts := 2; parts <= 4; parts++ {
		w := swarm(t, uint64(1000+parts), 4, shard.LabTimes, 4)
		for range 2 {
			w.net.divide(func(i int) int { return i % parts })
			w.run(w.times.Careful + 4*w.times.Lease)
			for healed := 1; healed < parts; healed++ {
				w.net.divide(func(i int) int { return max(0, i%parts-healed) })
				w.run(2 * w.times.Lease)
			}
		}
		w.ends(t, "%d parts", parts)
	}
}

// What a member brings to a leader that has just died is with its successor soon after that one acts: before others are lent the domain.
func TestScenario_PutFollowsTheLeader(t *testing.T) {
	beat := shard.LabTimes.Beat
	for seed := uint64(1400); seed < 1406; seed++ {
		w := swarm(t, seed, 5, shard.LabTimes, 3)
		d := w.load.domains[0]
		s, _ := w.roster.layoutOf(w.founder).Home(d)
		leader := w.leaderOf(s)
		w.until(12*w.times.Lease, func() bool { // two of three go on when one is away
			return slices.ContainsFunc(leader.node.Look(), func(v shard.View) bool { return v.Shard == s && len(v.Voters) == 3 })
		})
		bringer := w.line(s)[0]
		if bringer == leader {
			bringer = w.line(s)[1]
		}
		leader.crash()
		var acts, stored time.Duration
		w.check.watch = func(_ *machine, n group.Note) {
			if n.Kind == shard.Acts && n.Shard == s {
				acts = w.now
			}
		}
		var put func()
		put = func() { // again and again, as its reports do
			bringer.node.Put(d, itemsBody([]stream.Item{{Domain: d, Key: "u0", Value: item(flagKnown, 1)}}), leader.id, func(ok bool) {
				if ok {
					stored = w.now
				} else {
					w.after(beat/4, put)
				}
			})
			bringer.plan(0)
		}
		put()
		w.until(12*w.times.Lease, func() bool { return stored > 0 })
		if acts == 0 || stored == 0 || stored-acts > 3*beat {
			t.Errorf("seed %d: another acts after %v, and has it after %v", seed, acts, stored)
		}
		leader.start()
		w.ends(t, "seed %d", seed)
	}
}

// The leader of a line of two is stopped, or sleeps, until the other acts carefully. When it goes on it first asks what the other has lent.
func TestScenario_SleeperAsksWhatWasLent(t *testing.T) {
	for seed := uint64(1500); seed < 1520; seed++ {
		w := swarm(t, seed, 2, shard.LabTimes, 6)
		leader := w.leaderOf(shardOf(w.machines[seed%2]))
		other := w.machines[1-leader.index]
		careful, acts, after := 0, map[stream.Shard]bool{}, time.Duration(0)
		w.check.watch = func(m *machine, n group.Note) {
			switch lent := w.load.crawler[other.index].leases[n.Domain]; {
			case m == other && n.Kind == shard.Granted && n.Text == "careful":
				careful++
			case m == leader && n.Kind == shard.Acts:
				acts[n.Shard] = true
			case n.Peer == other.id || w.now < after: // what was asked for before it was stopped
			case m == leader && n.Kind == shard.Granted && !acts[n.Shard]:
				t.Errorf("seed %d: %s lends %s before it has asked", seed, m.name, n.Domain)
			case m == leader && n.Kind == shard.Granted && lent != nil && lent.lease.Careful && other.node.Live(lent.lease):
				t.Errorf("seed %d: %s is lent twice", seed, n.Domain)
			}
		}
		leader.freeze()
		if seed%4 < 2 { // stopped, and its clock goes on
			leader.clock.thaw()
		}
		w.run(w.times.Careful + 2*w.times.Lease + time.Duration(seed%5)*w.times.Beat/5)
		leader.thaw()
		after = w.now + w.times.Beat/10
		w.run(2 * w.times.Lease)
		if careful == 0 {
			t.Errorf("seed %d: nothing was lent carefully", seed)
		}
		w.ends(t, "seed %d", seed)
	}
}

// A computer is stopped, and its clock goes on. That it heard nobody meanwhile says nothing of the others: when it goes on, before it
// is connected again, it does not act carefully.
func TestScenario_StoppedIsNotAlone(t *testing.T) {
	for seed := uint64(1600); seed < 1612; seed++ {
		w := swarm(t, seed, 3, shard.LabTimes, 6)
		m := w.machines[seed%3]
		w.check.watch = func(by *machine, n group.Note) {
			if by == m && n.Kind == shard.Careful {
				t.Errorf("seed %d: %s acts carefully", seed, m.name)
			}
		}
		w.net.part[m.index] = 1
		m.freeze()
		m.clock.thaw()
		w.run(w.times.Careful + 2*w.times.Lease)
		m.thaw()
		w.run(4 * w.times.Beat)
		w.net.part[m.index] = 0
		w.run(2 * w.times.Lease)
		w.ends(t, "seed %d", seed)
	}
}

// One of two leaves, and one of its packets is lost meanwhile: what it gave is known to the other before it goes, for
// alone the other cannot lead the line that they had.
func TestScenario_LeavesALineOfTwo(t *testing.T) {
	for k := 1; k <= 90; k++ {
		if short() && k > 30 && k%3 != 0 {
			continue
		}
		w := swarm(t, 500, 2, shard.LabTimes, 4)
		goes, left := w.machines[1-w.founder], k
		w.net.lose = func(from, _ *machine, _ packet) bool {
			if from != goes {
				return false
			}
			left--
			return left >= 0 && left < 3
		}
		w.leave(goes)
		why := ""
		if !w.until(6*w.times.Lease, func() bool { why = ending{w}.unsettled(); return !goes.leaving && why == "" }) {
			t.Fatalf("packets %d to %d lost: %s", k-2, k, why)
		}
	}
}
