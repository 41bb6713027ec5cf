package group_test

import (
	"os"
	"testing"
	"time"

	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// After the crash of a leader another acts within 15 s, with the real times.
func TestSim_TakeoverInRealTimes(t *testing.T) {
	const most = 15 * time.Second
	seeds := uint64(50)
	if testing.Short() || underRace {
		seeds = 10
	}
	var worst, sum time.Duration
	for seed := uint64(1); seed <= seeds; seed++ {
		w := swarm(t, seed, 5, shard.RealTimes, 3)
		w.run(w.between(0, w.times.Lease))
		s := shardOf(w.machines[seed%5])
		w.leaderOf(s).crash()
		from := w.now
		for w.leaderOf(s) == nil && w.now-from < 2*time.Minute && w.run(w.times.Beat/40) {
		}
		took := w.now - from
		if worst, sum = max(worst, took), sum+took; took > most || w.failed != nil {
			t.Errorf("seed %d: another leader of %s acts after %v, want at most %v\n%s", seed, w.shard(s), took, most, w.report())
		}
	}
	t.Logf("a successor acts after %v in the mean, %v at most", sum/time.Duration(seeds), worst)
}

// A line that has lost a member for good is whole again within two minutes after that one is declared out.
func TestSim_LineOfThreeHealsWithin2Minutes(t *testing.T) {
	const most = 2 * time.Minute
	var worst time.Duration
	seeds := uint64(10)
	if testing.Short() || underRace {
		seeds = 2
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		w := swarm(t, seed, 5, shard.RealTimes, 3)
		s := shardOf(w.machines[0])
		lost := w.line(s)[1+seed%2]
		lost.crash()
		lost.gone, lost.retired = true, true
		if !w.until(3*w.times.Out, func() bool { return w.roster.newest[lost.index].is == out }) {
			t.Fatalf("seed %d: %s was not declared out\n%s", seed, lost.name, w.report())
		}
		from := w.now
		w.until(20*time.Minute, func() bool {
			return ending{w}.shardUnsettled(w.roster.layoutOf(w.founder), s) == "" && !w.votes(s, lost)
		})
		if took := w.now - from; took > most || w.failed != nil {
			t.Errorf("seed %d: the line of %s was whole after %v, want at most %v\n%s", seed, w.shard(s), took, most, w.report())
		} else {
			worst = max(worst, took)
		}
	}
	t.Logf("whole after %v at most", worst)
}

// votes reports whether a machine is a voter of a shard.
func (w *world) votes(s stream.Shard, m *machine) bool {
	_, views := w.leadersOf(s)
	return len(views) == 0 || contains(views[0].Voters, m.id)
}

// A thousand members, each of which leaves or returns every four hours, say less than 4 KB/s each.
func TestLong_ThousandMembers(t *testing.T) {
	if os.Getenv("FORAGE_LONG") == "" {
		t.Skip("set FORAGE_LONG to run a thousand members for an hour")
	}
	const (
		members = 1000
		span    = time.Hour
		most    = 4096 // bytes per second and member
	)
	w := newWorld(1, shard.RealTimes, 10*time.Second)
	w.crowd(members)
	w.load.begin(200)
	if !w.run(20 * time.Minute) {
		t.Fatal(w.report())
	}
	before := w.spoken()
	w.restless(4 * time.Hour)
	if !w.run(span) {
		t.Fatal(w.report())
	}
	after, total := w.spoken(), 0.0
	for lane := range after {
		rate := float64(after[lane]-before[lane]) / span.Seconds() / members
		total += rate
		t.Logf("lane %d: %.0f bytes per second and member", lane, rate)
	}
	if total > most {
		t.Errorf("a member says %.0f bytes per second, want at most %d", total, most)
	}
}

// crowd makes many members at once: their views agree from the beginning, and nobody founded the network. Each home
// claims what nobody has acted for during a day, which is a minute at first.
func (w *world) crowd(n int) {
	for range n {
		m := w.addMachine()
		w.roster.views[m.index].records[m.index] = record{}
	}
	for i := range w.machines {
		for at := range w.machines {
			w.roster.take(at, i, record{seq: 1, units: 1, is: in})
		}
	}
	day := w.times.Day
	w.times.Day, w.machines[w.founder].founded = time.Minute, true
	for _, m := range w.machines {
		w.after(w.between(0, time.Minute), m.start)
		w.after(6*time.Minute+w.between(0, 5*time.Minute), func() {
			w.times.Day = day
			m.crash()
			m.start()
		})
	}
}

// restless lets each member leave, or crash, and return: one of the two every period in the mean.
func (w *world) restless(period time.Duration) {
	for _, m := range w.machines[1:] {
		var next func()
		next = func() {
			switch {
			case !m.up:
				w.comeAgain(m)
			case w.chance(0.5):
				w.leave(m)
			default:
				m.crash()
			}
			w.after(w.between(0, 2*period), next)
		}
		w.after(w.between(0, 2*period), next)
	}
}

// spoken sums the bytes that all machines have sent, by lane.
func (w *world) spoken() (sum [stream.NumLanes]uint64) {
	for _, m := range w.machines {
		for lane, n := range w.net.bytes(m) {
			sum[lane] += n
		}
	}
	return sum
}
