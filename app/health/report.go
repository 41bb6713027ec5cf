package health

import (
	"time"
)

// Report is what front ends show. Counts of domains are of distinct ones; they
// are estimates where Sampled is set.
type Report struct {
	// Sentence is that of In, which its caller fills in.
	Sentence string
	// Factor is that of Tracker.Factor.
	Factor int
	// Answered counts domains that answered in the last 24 hours, Refused those of
	// them whose last answer was a refusal or a challenge, Challenged the
	// challenges among these.
	Answered, Refused, Challenged int64
	// The same for the day before, and for the last 7 days.
	AnsweredBefore, RefusedBefore             int64
	AnsweredWeek, RefusedWeek, ChallengedWeek int64
	// Waits counts answers that asked us to wait, Forbidden the pages left out
	// because robots.txt says so, in the last 24 hours and in the last 7 days.
	Waits, WaitsWeek, Forbidden, ForbiddenWeek int64
	// Sampled says that there were too many domains to count each.
	Sampled bool
}

// Factor returns by how much to slow down: 1, 2, 4 or 8. Pages a minute are divided by
// it, the smallest gap between requests to a site is multiplied by it.
func (t *Tracker) Factor(now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.judge(now)
	return t.slow.factor()
}

// Report returns everything at once. A day is 21 to 24 hours, depending on
// how far the present slot of time has got.
func (t *Tracker) Report(now time.Time) Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.judge(now)
	day, before, week := t.day, t.tally(dayMask<<daySlots), t.tally(weekMask)
	return Report{
		Factor:   t.slow.factor(),
		Answered: day.answered, Refused: day.refused, Challenged: day.challenged,
		AnsweredBefore: before.answered, RefusedBefore: before.refused,
		AnsweredWeek: week.answered, RefusedWeek: week.refused, ChallengedWeek: week.challenged,
		Waits: t.sum(AskedToWait, daySlots), WaitsWeek: t.sum(AskedToWait, weekSlots),
		Forbidden: t.sum(Forbidden, daySlots), ForbiddenWeek: t.sum(Forbidden, weekSlots),
		Sampled: t.level > 0,
	}
}
