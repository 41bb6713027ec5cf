package stats

import (
	"fmt"
	"maps"
	"slices"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/away"
	"github.com/forage-net/forage/storage"
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

// readMilestones finds the milestones in the days that are kept, of which there is one for each day with work.
func readMilestones(b *storage.Bucket) ([]api.Milestone, error) {
	var all tally
	var was, is away.Marks
	var list []api.Milestone
	var first, year uint64
	c := b.Cursor()
	s := spans[api.UnitDay]
	for key, raw := c.Seek([]byte{s.first}); key != nil && key[0] == s.first; key, raw = c.Next() {
		start, ok := s.start(key)
		if !ok {
			return nil, fmt.Errorf("damaged statistics: a key of %d bytes", len(key))
		}
		var t tally
		if _, err := decodeStat(raw, &t); err != nil {
			return nil, err
		}
		if !t.isHelp() {
			continue
		}
		day := dayOf(start)
		if first == 0 {
			first = day
		}
		year = yearsBetween(first, day)
		all.add(&t)
		is = away.Marks{Pages: all.Pages, Sites: all.Domains, Days: was.Days + 1, Years: year, Languages: all.tongues()}
		for _, m := range away.Reached(was, is) {
			m.Day = day
			list = append(list, TellMilestone(m))
		}
		was = is
	}
	slices.Reverse(list)
	return list[:min(len(list), maxMilestones)], nil
}

// yearsBetween returns how many whole years lie between two days.
func yearsBetween(from, to uint64) uint64 {
	a, b := dayStart(from), dayStart(to)
	years := b.Year() - a.Year()
	if a.AddDate(years, 0, 0).After(b) {
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
