package limits

import "time"

// consent keeps everything back until the user has agreed.
func (e *eval) consent() {
	if !e.cfg.Consent {
		e.add(Reason{Kind: NoConsent, Allows: Off, Footing: Silent})
	}
}

// recall pauses a version that its makers ask to, unless the user lets it go on, who is told all the same.
func (e *eval) recall() {
	asked, ok := e.s.Recall.Get()
	if !ok || !e.now.Wall.Before(asked.Until) {
		return
	}
	e.atWall(asked.Until)
	r := Reason{Kind: Recalled, Allows: Full, Until: asked.Until, Name: asked.Below, Value: int64(asked.Fault)}
	if e.cfg.Pause.Recall {
		r.Allows, r.Footing = Off, Standby
	}
	e.add(r)
}

// manual does what the user asked for by hand.
func (e *eval) manual() {
	m := &e.st.manual
	if m.over(e.now) {
		*m, e.st.paused = e.st.current(e.now), manual{}
	}
	if m.ends {
		e.at(m.end)
	}
	r := Reason{Since: e.now.wallAt(m.since), Until: m.until(e.now)}
	switch m.mode {
	case Paused:
		r.Kind, r.Allows, r.Footing = PausedByUser, Off, Silent
		e.add(r)
	case On:
		e.lifted = true
		r.Kind, r.Allows, r.Footing = TimedWork, max(e.cfg.Level.Away, e.cfg.Level.InUse), Standby
		e.add(r)
	}
}

// hours keeps to the weeks of work and of the network. Who has set none for the network alone
// has no hours of the network that timed work could break.
func (e *eval) hours() {
	sc, net := &e.cfg.Schedule, e.cfg.net()
	if !e.lifted || !sc.NetIsWork {
		e.hour(net, OutsideNetworkHours, Silent)
	}
	if !e.lifted && !sc.NetIsWork {
		e.hour(&sc.Work, OutsideHours, Standby)
	}
}

func (e *eval) hour(g *Grid, k Kind, f Footing) {
	e.atWall(g.change(e.now.Wall))
	if e.cfg.Schedule.NetIsWork {
		k = OutsideHours
	}
	if level := g.At(e.now.Wall); level < Full {
		e.add(Reason{Kind: k, Allows: level, Footing: f, Since: g.began(e.now.Wall), Until: g.rise(e.now.Wall)})
	}
}

// presence asks whether somebody uses the computer.
func (e *eval) presence() {
	held := e.keptAwake()
	last, inputKnown := e.input()
	after := e.cfg.Idle.After
	if e.lifted {
		if held {
			e.began(KeptAwake, "")
		}
		if !inputKnown {
			e.began(UnknownInput, "")
			e.began(UnknownInputIsAway, "")
		}
		return
	}
	in := Reason{Allows: e.cfg.Level.InUse, Footing: Standby, After: after}
	away := true
	if end := &e.st.awakeEnded; end.set && (e.now.Steady-end.at >= after || inputKnown && last > end.at) {
		*end = mark{}
	} else if end.set {
		in.Until = e.now.wallAt(end.at + after)
		e.at(end.at + after)
		held = true
	}
	if held {
		in.Kind, away = KeptAwake, false
		e.addLimit(in)
	}
	if inputKnown && e.now.Steady-last < after {
		in.Kind, in.Since, in.Until, away = UserPresent, e.now.wallAt(e.st.present.first.at),
			e.now.wallAt(last+after), false
		e.at(last + after)
		e.addLimit(in)
	}
	if e.s.KeptAwake.IsUnknown() {
		away = false
		e.unknown(UnknownKeptAwake)
	}
	if !inputKnown {
		r := Reason{Kind: UnknownInput, Allows: e.cfg.Level.InUse, Footing: Standby}
		if e.cfg.Idle.UnknownIs == Away {
			r.Kind, r.Allows = UnknownInputIsAway, Full
		} else {
			away = false
		}
		e.add(r)
	}
	if away {
		e.addLimit(Reason{Kind: AwayLimited, Allows: e.cfg.Level.Away, Footing: Standby})
	}
}

// input returns when the last input was, and whether that is known; and it notes when the use began that it belongs to.
func (e *eval) input() (last time.Duration, known bool) {
	last, known = e.s.LastInput.Get()
	last = min(last, e.now.Steady)
	p := &e.st.present
	if known && (!p.last.set || last-p.last.at >= e.cfg.Idle.After) {
		p.first = mark{last, true}
	}
	if known {
		p.last = mark{last, true}
	}
	return last, known
}

// keptAwake reports whether a program keeps the computer awake, and notes when one ceases to.
func (e *eval) keptAwake() bool {
	held, _ := e.s.KeptAwake.Get()
	switch {
	case held:
		e.st.awakeEnded = mark{}
	case e.st.awake:
		e.st.awakeEnded = mark{e.now.Steady, true}
	}
	e.st.awake = held
	return held
}

// addLimit adds a reason if it limits.
func (e *eval) addLimit(r Reason) {
	if r.Allows < Full {
		e.add(r)
	}
}

// afterPrograms is how long work waits after a program has left the screen, or ended.
const afterPrograms = 15 * time.Second

// programs makes way for what the user has on the screen, and for named programs.
func (e *eval) programs() {
	p := &e.cfg.Pause
	e.way(&e.st.fullscreen, p.Fullscreen, e.s.Fullscreen, FullscreenApp, UnknownFullscreen, "")
	e.way(&e.st.shared, p.ScreenShare, e.s.ScreenShared, ScreenIsShared, UnknownShared, "")
	running, ok := e.s.Apps.Get()
	name := ""
	for _, want := range p.Apps {
		for _, app := range running {
			if ok && name == "" && sameApp(app, want) {
				name = want
			}
		}
	}
	if name != "" {
		e.st.app = name
	}
	named := Reading[bool]{name != "", e.s.Apps.state}
	if !e.way(&e.st.apps, len(p.Apps) > 0, named, AppRunning, UnknownApps, e.st.app) {
		e.st.app = ""
	}
}

// way makes way while a condition holds, and afterPrograms longer. It reports whether that
// is so.
func (e *eval) way(h *hold, rule bool, r Reading[bool], k, unknown Kind, name string) bool {
	on, until := e.look(h, rule, r, unknown, 0, afterPrograms)
	if on {
		e.addUnlessLifted(Reason{Kind: k, Allows: Off, Footing: Standby, Until: until, After: afterPrograms,
			Name: name})
	}
	return on
}

// look updates a hold. A sensor that does not answer leaves it as it is, and that is said.
func (e *eval) look(
	h *hold, rule bool, r Reading[bool], unknown Kind, in, out time.Duration,
) (on bool, until time.Time) {
	if !rule {
		*h = hold{}
		return false, time.Time{}
	}
	holds, _ := r.Get()
	if r.IsUnknown() {
		holds = h.on
		e.unknown(unknown)
	}
	at, will := h.look(e.now.Steady, holds, in, out)
	if will {
		e.at(at)
		if h.on {
			until = e.now.wallAt(at)
		}
	}
	return h.on, until
}
