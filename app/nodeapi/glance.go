package nodeapi

import (
	"slices"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/limits"
)

// Glance returns what the node's icon in the tray shows, with its sentence in a language, "en" or "de". It reads no
// directories and counts nothing, so that it may be asked for at each change.
func (o *Overview) Glance(lang string) (api.Glance, error) {
	t, err := o.Books.Totals()
	if err != nil {
		return api.Glance{}, err
	}
	state, causes := o.stateNow(t)
	v := o.Arbiter.View()
	g := api.Glance{
		State: state, Sentence: o.Sentence(lang, causes), Consent: v.Consent, Pages: o.Tally.Pages.Load(),
		Notices: o.notices(), Mode: v.Mode, Run: v.Run, Watched: o.Watched, HelpNow: v.HelpNow,
		Back: o.Absence.Last(lang), Fullscreen: v.Fullscreen,
		Resting: resting(state, causes, v.Reasons), Troubles: troubles(causes, v.Reasons, v.Fault),
	}
	if !o.Lab && o.Health.Slow() > 1 && !slices.Contains(g.Troubles, api.TroubleRefused) {
		g.Troubles = append(g.Troubles, api.TroubleRefused)
	}
	return g, nil
}

// stateNow returns the state as users see it, and why it is so.
func (o *Overview) stateNow(t Totals) (api.State, []limiter.Cause) {
	state, causes := o.Governor.Why()
	inFlight, leases := o.Fetchers.InFlight()
	idle := inFlight == 0 && leases == 0 || o.Health.Fruitless().Matters()
	if state == api.StateWorking && idle {
		return api.StateWaiting, []limiter.Cause{o.WaitsFor(t)}
	}
	return state, causes
}

// notices returns the notifications that the settings ask for. In a lab nobody wants any, unless that is what is tried.
func (o *Overview) notices() api.Notices {
	if o.Silent {
		return api.Notices{}
	}
	is := o.Keeper.Now().Notify
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
		case causeFruitless:
			list = append(list, api.TroubleFruitless)
		case causeRefused:
			list = append(list, api.TroubleRefused)
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
