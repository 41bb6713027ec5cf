package app

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
)

// A computer is suspended with leases held, and wakes up when others have long taken
// over: it sends no request for what it held, and gives back what it kept.
func TestSim_SuspendWithLeasesHeld(t *testing.T) {
	whole(t)
	sleep := 5 * time.Minute
	long := os.Getenv("FORAGE_LONG") != ""
	if long {
		sleep = 8 * time.Hour
	}
	n := 8
	simulate(t, 3*n, 60, func(s *simSwarm) {
		if long {
			s.prepare = realTimes
		}
		s.web.delays = [5]int{10, 4, 15, 12, 7}
		s.gather(n)
		asleep := s.busiest()
		t.Logf("%v: %s sleeps with %d leases", s.at(), asleep.name, len(asleep.node.pool.Domains()))
		s.split = true
		s.suspend(asleep)
		s.run(sleep)
		s.resume(asleep)
		t.Logf("%v: %s wakes up with %d leases", s.at(), asleep.name, len(asleep.node.pool.Domains()))
		s.run(time.Minute) // connections that are not there any more must be found out
		if long {
			s.run(2 * time.Minute) // it is out, and members try it every minute
		}
		s.split, s.met, s.changed = false, time.Now(), time.Now()
		s.finish(2 * time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkTwice(1)
	})
}

// One of two nodes is gone. The other says what it waits for, then works carefully.
func TestSim_OneOfTwoSaysWhatItWaitsFor(t *testing.T) {
	simulate(t, 6, 60, func(s *simSwarm) {
		s.gather(2)
		s.run(20 * time.Second)
		gone, left := s.nodes[0], s.nodes[1]
		s.crash(gone)
		s.run(15 * time.Second)
		says := func() api.Status {
			status, err := left.node.Status(api.WithLang(t.Context(), "en"))
			if err != nil {
				t.Fatal(err)
			}
			return status
		}
		if is := says(); !strings.Contains(is.Sentence, "Waiting for other computers") {
			t.Errorf("it says %q: %+v", is.Sentence, is)
		}
		s.run(30 * time.Second)
		if is := says(); is.Careful == 0 || strings.Contains(is.Sentence, "Waiting for other computers") {
			t.Errorf("later it says %q with %d careful", is.Sentence, is.Careful)
		}
	})
}

// busiest returns the node that holds the most leases.
func (s *simSwarm) busiest() *simNode {
	return slices.MaxFunc(s.members(), func(a, b *simNode) int { return len(a.node.pool.Domains()) - len(b.node.pool.Domains()) })
}

// The same for a moment shorter than a lease, outside a lab: leases that are not over are
// worked on.
func TestSim_SuspendForAMoment(t *testing.T) {
	n := sized(8, 5)
	simulate(t, 3*n, sized(30, 20), func(s *simSwarm) {
		s.prepare = realTimes
		s.gather(n)
		s.split = true
		for i := range sized(6, 3) {
			asleep := s.nodes[1+i]
			s.suspend(asleep)
			s.run(time.Duration(5+20*i) * time.Second)
			s.resume(asleep)
			s.run(20 * time.Second)
		}
		s.run(time.Minute)
		s.split, s.met, s.changed = false, time.Now(), time.Now()
		s.finish(2 * time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkTwice(len(s.nodes))
	})
}

// The wall clocks of some computers are set, by an hour and both ways. No site notices, except that a page may be fetched again.
func TestSim_WallClocksAreSet(t *testing.T) {
	n := sized(8, 6)
	simulate(t, 5*n, sized(16, 10), func(s *simSwarm) {
		s.gather(n)
		for i, step := range []time.Duration{time.Hour, -time.Hour, time.Hour, -time.Hour} {
			s.nodes[1+i].clock.set(step)
			s.run(3 * time.Second)
		}
		s.run(10 * time.Second)
		for i, step := range []time.Duration{-time.Hour, time.Hour} {
			s.nodes[1+i].clock.set(step)
			s.run(3 * time.Second)
		}
		s.finish(30 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		if again := s.fetchedAgain(); again > 3 {
			t.Errorf("%d requests were repeated, want at most 3", again)
		}
	})
}

// The archive of a node is full: it fetches nothing more, keeps its books, and others
// fetch what is its own.
func TestSim_DiskOfANodeIsFull(t *testing.T) {
	n := sized(8, 5)
	simulate(t, 5*n, 16, func(s *simSwarm) {
		started := 0
		s.prepare = func(o *Options) {
			if started++; started == 4 {
				o.Lab.NoLimits = false
				o.Config.Limits.Disk.Max = 40_000
			}
		}
		s.gather(n)
		full := s.nodes[3]
		s.finish(time.Hour)
		isFull := func(r limits.Reason) bool { return r.Kind == limits.DiskMaxReached }
		if d, _ := full.node.Decision(); !slices.ContainsFunc(d.Reasons, isFull) {
			t.Errorf("the archive of %s is not full: %d bytes", full.name, full.node.archive.Size())
		}
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkTwice(1)
	})
}

// What a node sends and hears is two seconds on its way, longer than any answer to it is
// waited for.
func TestSim_SlowNode(t *testing.T) {
	whole(t)
	n := 8
	simulate(t, 5*n, 16, func(s *simSwarm) {
		s.prepare = realTimes
		s.gather(n)
		s.split = true // some think that it is down, or out
		slow := s.nodes[3]
		s.net.Slow(slow.host, 2*time.Second)
		s.run(5 * time.Minute)
		s.net.Slow(slow.host, 0)
		s.run(time.Minute)
		s.split, s.met, s.changed = false, time.Now(), time.Now()
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkTwice(1)
	})
}

// What one node sends does not reach another, for a few pairs of them, while all hear
// what those send.
func TestSim_AsymmetricReach(t *testing.T) {
	whole(t)
	n := 8
	simulate(t, 5*n, 16, func(s *simSwarm) {
		s.gather(n)
		s.split = true
		for i := range 3 {
			s.net.CutFrom(s.nodes[i].host, s.nodes[7-i].host, true)
		}
		s.run(2 * time.Minute)
		for i := range 3 {
			s.net.CutFrom(s.nodes[i].host, s.nodes[7-i].host, false)
		}
		s.run(time.Minute)
		s.split, s.met, s.changed = false, time.Now(), time.Now()
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkTwice(0)
	})
}
