package limits

import "time"

// State is what Decide remembers from one call to the next, and what the user asked for by
// hand. It is a value: copies are independent, and may be compared with ==. The zero
// State is that of a node that has just started. What must survive a restart
// is in Saved.
type State struct {
	manual manual
	paused manual // timed work that a pause interrupts: what is left of it goes on afterwards
	finish bool
	use    Ledger
	ahead  mark // since when the ledger has days to come

	awake      bool // KeptAwake at the last look
	awakeEnded mark // when it ended, while that counts
	battery    hold
	fullscreen hold
	shared     hold
	apps       hold
	app        string // which one
	cpu        hold
	warm       hold
	hot        hold
	fan        hold
	calm       calm
	diskFull   bool

	began [Kinds]origin
	// present is the use of the computer that goes on, or was last; both are times of input.
	present struct{ first, last mark }
}

// manual is what the user asked for; times are Clock.Steady.
type manual struct {
	mode  Mode
	since time.Duration
	end   time.Duration
	ends  bool
}

// mark is a time, if it is set.
type mark struct {
	at  time.Duration
	set bool
}

// origin is when what a reason is about began.
type origin struct {
	mark
	name string // of what: a program, a network
}

// Pause stops work for d, or until Resume if d is not above 0. It ends an earlier pause and work without an
// end; of timed work goes on afterwards what is left until its end.
func (s *State) Pause(now Clock, d time.Duration) {
	if s.manual.mode == On {
		s.paused = manual{}
		if s.manual.ends {
			s.paused = s.manual
		}
	}
	s.setManual(Paused, now, d)
}

// Work asks for work for d although the user is there and whatever the hours of work
// are, or until Resume if d is not above 0. It ends a pause, and takes back Finish.
func (s *State) Work(now Clock, d time.Duration) {
	s.setManual(On, now, d)
	s.paused, s.finish = manual{}, false
}

// Resume ends a pause, or else timed work, and takes back Finish: it is left to the settings again, or to the
// timed work that the pause interrupted.
func (s *State) Resume() {
	if s.manual.mode != Paused {
		s.paused = manual{}
	}
	s.manual, s.paused, s.finish = s.paused, manual{}, false
}

// Clear takes back all that the user asked for by hand: it is left to the settings.
func (s *State) Clear() { s.manual, s.paused, s.finish = manual{}, manual{}, false }

// Finish lets what is in flight come to its end, and starts nothing more.
func (s *State) Finish() { s.finish = true }

// IsFinishing reports whether Finish was called and not taken back.
func (s *State) IsFinishing() bool { return s.finish }

func (s *State) setManual(m Mode, now Clock, d time.Duration) {
	s.manual = manual{mode: m, since: now.Steady}
	if d > 0 {
		s.manual.end, s.manual.ends = now.Steady+min(d, MaxDuration), true
	}
}

// Manual returns what the user asked for by hand, and until when; the zero time if it
// has no end.
func (s *State) Manual(now Clock) (mode Mode, until time.Time) {
	m := s.current(now)
	return m.mode, m.until(now)
}

// current is what holds now of what the user asked for by hand; the zero manual if nothing does.
func (s *State) current(now Clock) manual {
	for _, m := range []manual{s.manual, s.paused} {
		if !m.over(now) {
			return m
		}
	}
	return manual{}
}

func (m manual) over(now Clock) bool { return m.ends && now.Steady >= m.end }

func (m manual) until(now Clock) time.Time {
	if !m.ends {
		return time.Time{}
	}
	return now.wallAt(m.end)
}

// Spend counts n bytes that went over the network, of whatever kind and direction, some of which were for sites.
func (s *State) Spend(now Clock, n, sites int64) { s.use.addFor(dayOf(now.Wall), n, sites) }

// Used returns how many bytes went over the network on this day and in this month of data.
func (s *State) Used(now Clock, d Data) (today, month int64) {
	first, _ := periodOf(now.Wall, d.MonthStarts)
	return s.use.since(dayOf(now.Wall)), s.use.since(first)
}

// UsedForSites returns how many bytes of those that Used returns were for sites.
func (s *State) UsedForSites(now Clock, d Data) (today, month int64) {
	first, _ := periodOf(now.Wall, d.MonthStarts)
	return s.use.sum(dayOf(now.Wall)).Sites, s.use.sum(first).Sites
}

// Saved is what survives a restart: pauses, work that has an end, and what was used. It is for encoding;
// the zero Saved is that of a node that never ran. A pause without an Until lasts until Resume.
type Saved struct {
	Mode  Mode      `json:"mode"`
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
	Use   []DayUse  `json:"use,omitempty"`
}

// Save returns what is to survive.
func (s *State) Save(now Clock) Saved {
	var saved Saved
	if m := s.current(now); m.mode == Paused || m.mode == On && m.ends {
		saved.Mode, saved.Since, saved.Until = m.mode, now.wallAt(m.since).Round(0), m.until(now).Round(0)
	}
	for _, e := range s.use {
		if e.Bytes > 0 {
			saved.Use = append(saved.Use, e)
		}
	}
	return saved
}

// Restore returns the state of a node that starts now. Between runs nothing but the wall
// clock counts; if it was set back, what the user asked for lasts no longer than it
// was to last in all. What cannot have been saved is dropped.
func Restore(saved Saved, now Clock) State {
	var s State
	for _, e := range saved.Use[:min(len(saved.Use), ledgerDays)] {
		if e.Bytes > 0 {
			s.use.addFor(e.Day, e.Bytes, e.Sites)
		}
	}
	if saved.Mode == Paused && saved.Until.IsZero() && !saved.Since.IsZero() {
		s.manual = manual{mode: Paused, since: now.Steady - min(max(now.Wall.Sub(saved.Since), 0), MaxDuration)}
		return s
	}
	length := min(saved.Until.Sub(saved.Since), MaxDuration)
	left := min(saved.Until.Sub(now.Wall), length)
	if saved.Until.IsZero() || saved.Since.IsZero() || left <= 0 || saved.Mode != On && saved.Mode != Paused {
		return s
	}
	end := now.Steady + left
	s.manual = manual{mode: saved.Mode, since: end - length, end: end, ends: true}
	return s
}
