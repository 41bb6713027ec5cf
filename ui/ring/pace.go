package ring

import "time"

const (
	// MostRate is how many frames follow each other in a second at most.
	MostRate = 10
	// stillEvery is the time between two frames where no motion is wanted.
	stillEvery = 5 * time.Second
	// baseEvery: what lasts is painted again at most so often; with many sites, which take longer, more rarely.
	baseEvery     = time.Second
	baseEveryMany = 3 * time.Second
	// ageEvery: without any event it is painted again after this, since sites fade.
	ageEvery = 10 * time.Minute
)

// pace is when frames are needed: never while nothing changes.
type pace struct {
	between time.Duration
	still   bool
	// asked is that the user waits to see something, urgent that it is of what lasts.
	asked, urgent bool
	// changed is that what lasts is not what was painted.
	changed bool
	// painted says that there is a picture, last when it was made, base when what lasts was painted into it.
	painted    bool
	last, base time.Time
}

// baseDue is when what lasts may be painted again.
func (p *pace) baseDue(stars int) time.Time {
	if !p.painted || p.urgent {
		return time.Time{}
	}
	if stars > manyStars {
		return p.base.Add(baseEveryMany)
	}
	return p.base.Add(baseEvery)
}

// next is when the next frame is needed, if one is. Marks are moving if some have yet to vanish from the picture; if
// not, first is when one begins, if one does.
func (p *pace) next(now time.Time, moving bool, first time.Time, begins bool, stars int) (time.Time, bool) {
	if !p.painted || now.Before(p.last) {
		return now, true
	}
	soonest := p.last.Add(p.between)
	if p.asked {
		return later(soonest, now), true
	}
	due, ok := time.Time{}, false
	add := func(at time.Time) {
		if !ok || at.Before(due) {
			due, ok = at, true
		}
	}
	if p.still {
		soonest = p.last.Add(stillEvery)
	}
	if moving {
		add(soonest)
	}
	if begins {
		add(later(first, soonest))
	}
	if p.changed {
		add(later(p.baseDue(stars), soonest))
	}
	if stars > 0 {
		add(later(p.base.Add(ageEvery), soonest))
	}
	return later(due, now), ok
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
