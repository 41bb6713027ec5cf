package limits

import (
	"cmp"
	"slices"
	"time"
)

// Decision is what a node may do now, and why.
type Decision struct {
	Level   Level   `json:"level"`
	Footing Footing `json:"footing"`
	// Budget is all zero when Silent; on Standby it is what keeping the books may use.
	Budget Budget `json:"budget"`
	// DataLeft is how many bytes may go over the network until the quota of the day or that
	// of the month is used up, NoLimit if neither is set.
	DataLeft int64 `json:"data_left"`
	// DiskAllowed is how many bytes may be stored in all, and DiskLeft how many more than are,
	// by disk.max alone if the disk is not known. NoLimit is none.
	DiskAllowed int64 `json:"disk_allowed"`
	DiskLeft    int64 `json:"disk_left"`
	// RAM is the soft limit of memory in bytes, whatever the level.
	RAM int64 `json:"ram"`
	// Finishing says that what is in flight may come to its end within Budget, while Level
	// is Off.
	Finishing bool `json:"finishing"`
	// Reasons are all that hold, those that allow least first; never nil. Without any, nothing
	// limits the node but its full budget.
	Reasons []Reason `json:"reasons"`
	// Next is how long this can be true at most if no sensor changes and nothing is
	// spent. It is above 0 and at most eight days.
	Next time.Duration `json:"next_ns"`
	// SilentUntil is when the silence ends at the earliest, zero if nobody knows or the node is
	// not Silent.
	SilentUntil time.Time `json:"silent_until,omitzero"`
}

// Decide returns what a node may do, and the state to give it the next time. It is a pure
// function: the same input gives the same output, and nothing that it is given changes.
func Decide(cfg Config, s Sensors, st State, now Clock) (Decision, State) {
	now.Wall = now.Wall.Round(0)
	e := eval{reasons: []Reason{}, cfg: &cfg, s: &s, st: &st, now: now, next: gridHorizon, dataLeft: NoLimit,
		diskAllowed: NoLimit, diskLeft: NoLimit}
	e.consent()
	e.recall()
	e.manual()
	e.zero()
	e.hours()
	e.presence()
	e.programs()
	e.otherCPU()
	e.heat()
	e.power()
	e.network()
	e.data()
	e.disk()
	d := e.conclude()
	for k := range st.began {
		if e.seen&(1<<k) == 0 {
			st.began[k] = origin{}
		}
	}
	return d, st
}

// eval is one call of Decide.
type eval struct {
	cfg *Config
	s   *Sensors
	st  *State
	now Clock

	// lifted says that the user asked for work in spite of being there.
	lifted  bool
	reasons []Reason
	seen    uint64 // the set of their kinds
	next    time.Duration

	dataLeft, diskAllowed, diskLeft int64
}

// add adds a reason. One that allows work lets the node do its duty.
func (e *eval) add(r Reason) {
	if r.Allows > Off {
		r.Footing = Duty
	} else if r.Footing == Standby && !e.cfg.Footing.Standby {
		r.Footing = Silent
	}
	if at := e.began(r.Kind, r.Name); r.Since.IsZero() {
		r.Since = e.now.wallAt(at)
	}
	e.reasons = append(e.reasons, r)
}

// addUnlessLifted adds a reason that is there for the sake of the user's presence. Where timed work lifts it, it
// goes on nevertheless, and tells the right time when that ends.
func (e *eval) addUnlessLifted(r Reason) {
	if e.lifted {
		e.began(r.Kind, r.Name)
		return
	}
	e.add(r)
}

// began returns when what a reason is about began, and notes that it holds. Another program or network is
// another thing; settings that are 0 may be several at once.
func (e *eval) began(k Kind, name string) time.Duration {
	e.seen |= 1 << k
	m := &e.st.began[k]
	if k == SetToZero {
		name = ""
	}
	if !m.set || m.at > e.now.Steady || m.name != name {
		*m = origin{mark{e.now.Steady, true}, name}
	}
	return m.at
}

// unknown adds that a sensor which should answer does not: that counts as use.
func (e *eval) unknown(k Kind) {
	e.addUnlessLifted(Reason{Kind: k, Allows: e.cfg.Level.InUse, Footing: Standby})
}

// at says that the decision may change at a steady time.
func (e *eval) at(t time.Duration) {
	if d := t - e.now.Steady; d > 0 {
		e.next = min(e.next, d)
	}
}

// atWall says that the decision may change at a time of the wall clock.
func (e *eval) atWall(t time.Time) {
	if d := t.Sub(e.now.Wall); d > 0 && !t.IsZero() {
		e.next = min(e.next, d)
	}
}

// conclude puts the reasons together.
func (e *eval) conclude() Decision {
	level, footing := Full, Duty
	for _, r := range e.reasons {
		level, footing = min(level, r.Allows), max(footing, r.Footing)
	}
	level, footing = e.gentleZero(level, footing)
	d := Decision{
		Level: level, Footing: footing, Budget: e.cfg.budget(level, footing), RAM: e.cfg.RAM.Max,
		DataLeft: e.dataLeft, DiskAllowed: e.diskAllowed, DiskLeft: e.diskLeft,
	}
	if e.st.finish {
		e.add(Reason{Kind: Finishing, Allows: Off})
		d.Finishing = level > Off
		d.Level = Off
		d.Budget.PagesPerMin = 0
	}
	slices.SortStableFunc(e.reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Allows, b.Allows), cmp.Compare(b.Footing, a.Footing), cmp.Compare(a.Kind, b.Kind))
	})
	d.Reasons, d.Next, d.SilentUntil = e.reasons, e.next, e.silentUntil(footing)
	return d
}

// zero stops work where the whole budget has nothing of something.
func (e *eval) zero() {
	b := e.cfg.budget(Full, Duty)
	if name := b.stops(); name != "" {
		e.addZero("budget.full."+name, b.mute() != "")
	}
}

// gentleZero does so with the gentle budget, if that or the narrower one of standby is what is left.
func (e *eval) gentleZero(level Level, footing Footing) (Level, Footing) {
	b := e.cfg.budget(Gentle, Duty)
	if name := b.stops(); level == Gentle && name != "" {
		footing = max(footing, e.addZero("budget.gentle."+name, b.mute() != ""))
		level = Off
	}
	if name := b.mute(); footing == Standby && name != "" {
		footing = e.addZero("budget.gentle."+name, true)
	}
	return level, footing
}

// addZero adds that a setting means stop.
func (e *eval) addZero(key string, silent bool) Footing {
	r := Reason{Kind: SetToZero, Allows: Off, Footing: Standby, Name: key}
	if silent {
		r.Footing = Silent
	}
	e.add(r)
	return e.reasons[len(e.reasons)-1].Footing
}

// silentUntil returns when the last of the reasons for a silence ends.
func (e *eval) silentUntil(f Footing) (until time.Time) {
	if f != Silent {
		return time.Time{}
	}
	for _, r := range e.reasons {
		if r.Footing != Silent {
			continue
		}
		if r.Until.IsZero() {
			return time.Time{}
		}
		if r.Until.After(until) {
			until = r.Until
		}
	}
	return until
}
