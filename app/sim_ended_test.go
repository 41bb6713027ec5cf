//go:build !items

package app

import (
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/config"
	group "github.com/forage-net/forage/p2p/oldgroup"
)

// keeps returns who has a copy of a node's log, but for itself.
func (s *simSwarm) keeps(owner *simNode) (list []*simNode) {
	for _, x := range s.running() {
		if x.host.ID() != owner.host.ID() && x.node.logs.groups.Get(string(owner.host.ID())) != nil {
			list = append(list, x)
		}
	}
	return list
}

// await lets time pass until something is so, looking at everything every second.
func (s *simSwarm) await(limit time.Duration, what string, is func() bool) {
	s.t.Helper()
	looked := time.Now()
	for end := looked.Add(limit); !is(); {
		if time.Now().After(end) {
			s.t.Fatalf("%v: %s not within %v", s.at(), what, limit)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if time.Since(looked) >= time.Second {
			looked = time.Now()
			s.reap()
			s.look()
		}
	}
}

// A member is gone for good, and one of those that keep its log is off until that has ended. Its copy ends, too.
func TestSim_WhoIsOffWhileALogEnds(t *testing.T) {
	whole(t)
	simulate(t, 40, 8, func(s *simSwarm) {
		s.gather(6)
		s.settleGroups(time.Minute)
		gone := s.nodes[2]
		off := s.keeps(gone)[0]
		s.crash(gone)
		s.crashFor(off)
		s.await(10*time.Minute, "its log ended", func() bool { return len(s.keeps(gone)) == 0 })
		off = s.revive(off, s.members()...)
		s.run(10 * time.Second)
		if len(s.keeps(gone)) == 0 {
			t.Fatal("no copy of the log is left: this tests nothing")
		}
		s.await(4*labBeginAnew, "the last copy of it ended", func() bool { return len(s.keeps(gone)) == 0 })
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
	})
}

// A member that was out is back for a moment, in which it is no member of its own log, and off again until that has ended.
func TestSim_LogEndsBeforeItsOwnerIsTakenIn(t *testing.T) {
	whole(t)
	logEndsBefore(t, false, "it knows that it is no member", func(s group.Status) bool { return s.Removed })
}

// The same when it has begun to copy what the others have.
func TestSim_LogEndsBeforeItsOwnerHasCopiedIt(t *testing.T) {
	whole(t)
	logEndsBefore(t, true, "it copies its log", func(s group.Status) bool { return s.Partial })
}

// logEndsBefore has an owner, back for a moment, reach the others that keep its log, and who leads that only if it is to be taken in.
func logEndsBefore(t *testing.T, takenIn bool, what string, is func(group.Status) bool) {
	simulate(t, 40, 8, func(s *simSwarm) {
		s.gather(6)
		s.settleGroups(time.Minute)
		x := s.nodes[2]
		others := append(append([]*simNode{}, s.nodes[:2]...), s.nodes[3:]...)
		id := string(x.host.ID())
		s.cutBetween([]*simNode{x}, others, true)
		var leader *simNode
		s.await(5*time.Minute, "the others go on without it", func() bool {
			for _, y := range others {
				leader = y
				if g := y.node.logs.groups.Get(id); g != nil && g.Leads() {
					for _, m := range g.Status().Members {
						if m.Peer == id {
							return false
						}
					}
					return true
				}
			}
			return false
		})
		s.cutBetween([]*simNode{x}, others, false)
		s.cutBetween([]*simNode{x}, []*simNode{leader}, !takenIn)
		s.await(time.Minute, what, func() bool { return is(x.node.logs.own().Status()) })
		s.crashFor(x)
		s.await(10*time.Minute, "its log ended", func() bool { return len(s.keeps(x)) == 0 })
		x = s.revive(x, s.members()...)
		s.split, s.met = false, time.Now()
		s.await(4*labBeginAnew, "its log goes on", x.leadsShared)
		s.settleGroups(time.Minute)
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
	})
}

// loseStore has a node lose power, and what it knew. Its key is not lost.
func (s *simSwarm) loseStore(x *simNode) {
	s.t.Helper()
	s.crash(x)
	home, err := config.Resolve(x.home+"+", func(string) string { return "" }, runtime.GOOS)
	if err == nil {
		err = os.Remove(StorePath(home.State))
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// leadsShared reports whether a node leads its own log, and others keep it.
func (x *simNode) leadsShared() bool {
	g := x.node.logs.own()
	return g != nil && g.Leads() && g.Shared()
}

// A node that has lost its store gets its log from those who keep it: nothing is lost, and it takes none of theirs for its new one.
func TestSim_StoreIsLost(t *testing.T) {
	for name, wait := range map[string]time.Duration{"and back at once": 0, "and back when another acts for it": 30 * time.Second} {
		t.Run(name, func(t *testing.T) {
			if wait == 0 {
				whole(t)
			}
			simulate(t, 40, 8, func(s *simSwarm) {
				s.gather(6)
				s.settleGroups(time.Minute)
				x := s.nodes[2]
				log := string(x.host.ID())
				epoch := x.node.logs.own().Epoch()
				s.loseStore(x)
				s.run(wait)
				x = s.revive(x, s.members()...)
				s.await(2*time.Minute, "its log is back", x.leadsShared)
				if now := x.node.logs.own().Epoch(); now != epoch {
					t.Errorf("its log is in epoch %v, want %v", now, epoch)
				}
				s.settleGroups(time.Minute)
				for _, y := range s.keeps(x) {
					if now := y.node.logs.groups.Get(log).Epoch(); now != epoch {
						t.Errorf("%s has it in epoch %v, want %v", y.name, now, epoch)
					}
				}
				s.finish(time.Hour)
				s.checkEnd()
				s.web.checkCoverage(t)
			})
		})
	}
}

// The same when those who keep it cannot be reached at first: there are two logs of one owner then, which become one.
func TestSim_StoreIsLostAndNobodyIsThere(t *testing.T) {
	whole(t)
	simulate(t, 40, 8, func(s *simSwarm) {
		s.gather(6)
		s.settleGroups(time.Minute)
		x := s.nodes[2]
		epoch := x.node.logs.own().Epoch()
		others := append(append([]*simNode{}, s.nodes[:2]...), s.nodes[3:]...)
		s.loseStore(x)
		s.split = true
		x = s.revive(x, others...)
		s.cutBetween([]*simNode{x}, others, true)
		s.await(2*time.Minute, "it has a log of its own", func() bool { g := x.node.logs.own(); return g != nil && g.Leads() })
		if now := x.node.logs.own().Epoch(); now.Compare(epoch) <= 0 {
			t.Errorf("its new log is in epoch %v, which is not above %v", now, epoch)
		}
		s.run(30 * time.Second)
		s.cutBetween([]*simNode{x}, others, false)
		s.await(10*time.Minute, "others keep its log", x.leadsShared)
		s.run(time.Minute)
		s.split, s.met, s.changed = false, time.Now(), time.Now()
		s.settleGroups(5 * time.Minute)
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
	})
}

// And when its log has ended meanwhile: it does not wait for what nobody has.
func TestSim_StoreIsLostAndTheLogHasEnded(t *testing.T) {
	whole(t)
	simulate(t, 40, 8, func(s *simSwarm) {
		s.gather(6)
		s.settleGroups(time.Minute)
		x := s.nodes[2]
		s.loseStore(x)
		s.await(10*time.Minute, "its log ended", func() bool { return len(s.keeps(x)) == 0 })
		x = s.revive(x, s.members()...)
		s.await(labBeginAnew, "it has a log again", x.leadsShared)
		s.settleGroups(time.Minute)
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
	})
}
