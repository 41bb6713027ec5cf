package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/limits"
)

// userStory is a node whose user comes and goes in simulated time.
type userStory struct {
	*simSwarm
	c *computer
	n *simNode
}

// tellUser tells a story of a node with the settings that users have unless they change them. It begins so long
// after midnight UTC.
func tellUser(t *testing.T, hour time.Duration, tune func(*Options), story func(*userStory)) {
	simulate(t, 12, 400, func(s *simSwarm) {
		time.Sleep(hour)
		s.apart = true // who is silent for long is no member meanwhile
		c := newComputer(t)
		s.prepare = func(o *Options) {
			o.Lab.NoLimits, o.Lab.Limits, o.Sense = false, true, c.options()
			o.Config.Limits.Pause.OtherCPU = 100
			o.Config.Limits.Disk = limits.Disk{Max: limits.NoLimit, MaxPercent: limits.NoLimit}
			o.Config.Limits.Data.Day, o.Config.Limits.Data.Month = limits.NoLimit, limits.NoLimit
			tune(o)
		}
		story(&userStory{s, c, s.start(nil, 0)})
		s.stopAll()
		c.served.Wait()
	})
}

// first returns how long after a time a request began, and whether one did.
func (s *userStory) first(since time.Time) (time.Duration, bool) {
	after, any := time.Duration(0), false
	for _, r := range s.web.requests() {
		if d := r.begin.Sub(since); d >= 0 && (!any || d < after) {
			after, any = d, true
		}
	}
	return after, any
}

// stopped lets time pass and fails the test unless the last request in it began within two seconds; the footing is
// then what it should be, and the first reason.
func (s *userStory) stopped(what string, within, d time.Duration, k limits.Kind, f limits.Footing) {
	s.t.Helper()
	since := time.Now()
	s.run(d)
	if after, any := s.first(since.Add(within)); any {
		s.t.Errorf("%s: a request began %v later", what, within+after)
	}
	is, _ := s.n.node.Decision()
	if is.Level != limits.Off || s.n.node.gate.Now() != f || len(is.Reasons) == 0 || is.Reasons[0].Kind != k {
		s.t.Errorf("%s: level %v, footing %v, %+v", what, is.Level, s.n.node.gate.Now(), is.Reasons)
	}
}

// worksAfter lets time pass and fails the test unless the first request began so long after a time, or up
// to slack later.
func (s *userStory) worksAfter(what string, since time.Time, d, slack time.Duration) {
	s.t.Helper()
	s.run(time.Until(since.Add(d + slack)))
	if after, any := s.first(since.Add(stopWithin)); !any || after+stopWithin < d {
		s.t.Errorf("%s: the first request began %v later (%v), want %v to %v", what, after+stopWithin, any, d, d+slack)
	}
}

// What a user does, and how long it lasts, by the settings that hold where none is changed.
func TestSim_UserComesAndGoes(t *testing.T) {
	const gap = 40 * time.Second // in which some site is due
	tellUser(t, 0, func(o *Options) { o.Config.Limits.Pause.Apps = []string{"Blender.exe"} }, func(s *userStory) {
		s.worksAfter("the start", time.Now(), 0, gap)

		touched := time.Now()
		s.c.touch()
		s.stopped("the user is there", stopWithin, 4*time.Minute, limits.UserPresent, limits.Standby)
		s.worksAfter("the user has left", touched, 5*time.Minute, 5*time.Second+gap)

		s.c.power(false)
		s.stopped("the plug is pulled", stopWithin, 10*time.Minute, limits.BatteryPower, limits.Silent)
		plugged := time.Now()
		s.c.power(true)
		s.worksAfter("the plug is in again", plugged, 2*time.Minute, 5*time.Second+gap)

		const looks = 10 * time.Second // of the list of programs
		s.c.program(4711, "blender")
		s.stopped("a named program begins", looks+stopWithin, 5*time.Minute, limits.AppRunning, limits.Standby)
		ended := time.Now()
		if err := os.RemoveAll(filepath.Join(s.c.dir, "proc", "4711")); err != nil {
			s.t.Fatal(err)
		}
		s.worksAfter("it ends", ended, 15*time.Second, looks+5*time.Second+gap)

		s.c.play(true)
		s.stopped("a film begins", stopWithin, 2*time.Hour, limits.KeptAwake, limits.Standby)
		ended = time.Now()
		s.c.play(false)
		s.worksAfter("it ends", ended, 5*time.Minute, 5*time.Second+gap)

		s.c.pay(true)
		s.stopped("the network costs", stopWithin, time.Hour, limits.MeteredNetwork, limits.Silent)
		ended = time.Now()
		s.c.pay(false)
		s.worksAfter("it costs no more", ended, 0, 5*time.Second+gap)

		s.c.loseBuses()
		s.stopped("nothing tells any more", 2*stopWithin, time.Hour, limits.UnknownInput, limits.Standby)
	})
}

// When the data of a day are used up nothing is sent before the next one begins.
func TestSim_DataOfTheDay(t *testing.T) {
	whole(t)
	const day = 150_000
	tellUser(t, 20*time.Hour, func(o *Options) { o.Config.Limits.Data.Day = day }, func(s *userStory) {
		s.worksAfter("the start", time.Now(), 0, 40*time.Second)
		s.n.node.bandwidth.Debit(bandwidth.Pages, false, day) // nothing that is simulated is counted
		const looks = 10 * time.Second                        // in a simulation
		y, m, d := time.Now().Date()
		midnight := time.Date(y, m, d+1, 0, 0, 0, 0, time.Local)
		s.stopped("the data are used up", looks+stopWithin, time.Until(midnight)-time.Second, limits.DayUsedUp, limits.Silent)
		s.worksAfter("midnight", midnight, 0, 45*time.Second)
	})
}
