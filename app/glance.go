package app

import (
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limiter"
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
	v := n.View()
	g := api.Glance{
		State: state, Sentence: n.sentence(lang, causes), Consent: v.Consent, Pages: n.pages.Load(), Notices: n.notices(),
		Mode: v.Mode, Run: v.Run, Watched: n.opts.rules().HasUser(), HelpNow: v.HelpNow, Back: n.absence.glance(lang), Fullscreen: v.Fullscreen,
		Resting: resting(state, causes, v.Reasons), Troubles: troubles(causes, v.Reasons, v.Fault),
	}
	if n.opts.Lab == nil && n.slow() > 1 {
		g.Troubles = append(g.Troubles, api.TroubleRefused)
	}
	return g, nil
}

// stateNow returns the state as users see it, and why it is so.
func (n *Node) stateNow(t totalCounts) (api.State, []limiter.Cause) {
	state, causes := n.governor.Why()
	if inFlight, leases := n.pool.InFlight(); state == api.StateWorking && (inFlight == 0 && leases == 0 || n.fruitless.Load() >= manyFruitless) {
		return api.StateWaiting, []limiter.Cause{n.whatWeWaitFor(t)}
	}
	return state, causes
}

// notices returns the notifications that the settings ask for. In a lab nobody wants any, unless that is what is tried.
func (n *Node) notices() api.Notices {
	if n.opts.Lab != nil && !n.opts.Lab.Notices {
		return api.Notices{}
	}
	is := n.Keeper.Now().Notify
	return api.Notices{FirstPage: is.FirstPage, Paused: is.Paused, Problem: is.Problem, Away: is.Away}
}

// resting returns a word for what keeps the node from working.
func resting(state api.State, causes []limiter.Cause, reasons []limits.Reason) string {
	if state != api.StatePaused || len(causes) == 0 {
		return ""
	}
	if causes[0].Key != limiter.CauseLimits {
		return causes[0].Key
	}
	for _, r := range reasons {
		if r.Allows == limits.Off {
			return r.Kind.String()
		}
	}
	return ""
}

// troubles returns what is wrong, the worst first. fault is what is wrong with the settings.
func troubles(causes []limiter.Cause, reasons []limits.Reason, fault error) (list []api.Trouble) {
	for _, c := range causes {
		switch c.Key {
		case limiter.CauseStore:
			list = append(list, api.TroubleStore)
		case limiter.CauseArchive:
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
