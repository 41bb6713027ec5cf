package app

import (
	"slices"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
)

// Glance returns what the node's icon in the tray shows, with its sentence in a language, "en" or "de". It reads no
// directories and counts nothing, so that it may be asked for at each change.
func (n *Node) Glance(lang string) (api.Glance, error) {
	t, err := n.frontier.Totals()
	if err != nil {
		return api.Glance{}, err
	}
	state, causes := n.stateNow(t)
	g := api.Glance{
		State: state, Sentence: n.sentence(lang, causes), Consent: n.consented(), Pages: n.pages.Load(), Notices: n.notices(),
	}
	decided, fault := n.arbiter.decision()
	g.Mode = n.arbiter.mode(decided)
	g.Run, g.Watched, g.HelpNow = n.arbiter.run(), n.opts.hasUser(), n.arbiter.canHelp()
	g.Back, g.Fullscreen = n.absence.glance(lang), n.arbiter.fullscreen()
	g.Resting = resting(state, causes, decided.Reasons)
	g.Troubles = troubles(causes, decided.Reasons, fault)
	if n.opts.Lab == nil && n.slow() > 1 {
		g.Troubles = append(g.Troubles, api.TroubleRefused)
	}
	return g, nil
}

// stateNow returns the state as users see it, and why it is so.
func (n *Node) stateNow(t totalCounts) (api.State, []cause) {
	state, causes := n.governor.why()
	if inFlight, leases := n.pool.InFlight(); state == api.StateWorking && (inFlight == 0 && leases == 0 || n.fruitless.Load() >= manyFruitless) {
		return api.StateWaiting, []cause{n.whatWeWaitFor(t)}
	}
	return state, causes
}

// notices returns the notifications that the settings ask for. In a lab nobody wants any, unless that is what is tried.
func (n *Node) notices() api.Notices {
	if n.opts.Lab != nil && !n.opts.Lab.Notices {
		return api.Notices{}
	}
	c := &n.opts.Config
	if last := n.lastGood.Load(); last != nil {
		c = last
	}
	is := c.Notify
	return api.Notices{FirstPage: is.FirstPage, Paused: is.Paused, Problem: is.Problem, Away: is.Away}
}

// mode returns what the user has asked for by hand.
func (a *arbiter) mode(d limits.Decision) api.Mode {
	a.mu.Lock()
	mode, _ := a.state.Manual(a.now())
	a.mu.Unlock()
	switch {
	case mode == limits.Paused:
		return api.ModePaused
	case mode == limits.On:
		return api.ModeWork
	case slices.ContainsFunc(d.Reasons, func(r limits.Reason) bool { return r.Kind == limits.Finishing }):
		return api.ModeFinish
	}
	return api.ModeAuto
}

// resting returns a word for what keeps the node from working.
func resting(state api.State, causes []cause, reasons []limits.Reason) string {
	if state != api.StatePaused || len(causes) == 0 {
		return ""
	}
	if causes[0].key != causeLimits {
		return causes[0].key
	}
	for _, r := range reasons {
		if r.Allows == limits.Off {
			return r.Kind.String()
		}
	}
	return ""
}

// troubles returns what is wrong, the worst first. fault is what is wrong with the settings.
func troubles(causes []cause, reasons []limits.Reason, fault error) (list []api.Trouble) {
	for _, c := range causes {
		switch c.key {
		case causeStore:
			list = append(list, api.TroubleStore)
		case causeArchive:
			list = append(list, api.TroubleArchive)
		}
	}
	for _, r := range reasons {
		if r.Kind == limits.DiskNearlyFull && r.Allows == limits.Off {
			list = append(list, api.TroubleDisk)
		}
	}
	if fault != nil {
		list = append(list, api.TroubleSettings)
	}
	return list
}
