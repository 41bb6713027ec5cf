package stats

import (
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/away"
)

// maxMilestones bounds how many milestones are told, the newest.
const maxMilestones = 100

// marks are what milestones are counted of, except for the years.
func (a *allTime) marks() away.Marks {
	return away.Marks{Pages: a.Tally.Pages, Sites: a.Tally.Domains, Days: a.DaysHelped, Languages: a.Tally.tongues()}
}

// tongues are the codes of the languages that pages are in.
func (t *tally) tongues() []string {
	list := slices.Sorted(maps.Keys(t.Languages))
	return slices.DeleteFunc(list, func(l string) bool { return l == api.OtherLanguages })
}

// milestones finds those that were reached on days, of which the oldest come first; the newest milestone comes first.
func milestones(days []dated) (list []api.Milestone) {
	var all tally
	var was, is away.Marks
	var first time.Time
	for i := range days {
		t, start := &days[i].tally, days[i].start
		if !t.isHelp() {
			continue
		}
		if first.IsZero() {
			first = start
		}
		all.add(t)
		is = away.Marks{
			Pages: all.Pages, Sites: all.Domains, Days: was.Days + 1, Years: yearsBetween(first, start),
			Languages: all.tongues(),
		}
		for _, m := range away.Reached(was, is) {
			m.Day = dayOf(start)
			list = append(list, TellMilestone(m))
		}
		was = is
	}
	slices.Reverse(list)
	return list[:min(len(list), maxMilestones)]
}

// yearsBetween returns how many whole years lie between two days.
func yearsBetween(from, to time.Time) uint64 {
	years := to.Year() - from.Year()
	if from.AddDate(years, 0, 0).After(to) {
		years--
	}
	return uint64(max(years, 0))
}

// TellMilestone puts a milestone into the form of the API.
func TellMilestone(m away.Milestone) api.Milestone {
	told := api.Milestone{Kind: string(m.Kind), Count: int64(m.Count), Language: m.Language}
	if m.Day > 0 {
		day := dayStart(m.Day)
		told.Day = &day
	}
	return told
}
