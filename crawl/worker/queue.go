package worker

import (
	"container/heap"
	"context"
	"time"
)

// turns is a heap of turns by the time of their next request.
type turns []*turn

func (t turns) Len() int { return len(t) }
func (t turns) Less(i, j int) bool {
	if t[i].at.Equal(t[j].at) {
		return t[i].due.Before(t[j].due) // of those that wait for the same page
	}
	return t[i].at.Before(t[j].at)
}
func (t turns) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t *turns) Push(x any)   { *t = append(*t, x.(*turn)) }
func (t *turns) Pop() any {
	old := *t
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*t = old[:len(old)-1]
	return last
}

// schedule hands turns to the fetchers when their time has come. It is the
// only owner of the heaps: a lease between two requests holds no fetcher. Turns
// of slow domains wait apart, for as many fetchers as those may have, and so do
// turns that go before others.
func (p *Pool) schedule(ctx context.Context) {
	var quick, slow, before turns
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	rests := false // nothing is held that time could change
	for {
		p.noteQueue(quick, slow, before)
		var out chan *turn
		var first *turn
		from := &quick
		if len(slow) > 0 && (len(quick) == 0 || slow[0].at.Before(quick[0].at)) && p.slow.hasRoom() {
			from = &slow
		}
		if len(before) > 0 && goesBefore(before[0], *from, p.cfg.Now()) {
			from = &before
		}
		if len(*from) > 0 {
			first = (*from)[0]
			if p.mustWait(first) {
				heap.Fix(from, 0)
				continue
			}
			if wait := first.at.Sub(p.cfg.Now()); wait <= 0 {
				if first.recalled || p.bounds.hasRoom() {
					out = p.work
				}
			} else {
				timer.Reset(wait)
			}
		}
		select {
		case out <- first:
			heap.Pop(from)
			p.bounds.add(1)
			if from == &slow {
				p.slow.add(1)
			}
		case t := <-p.back:
			p.noteBack(t)
			if rests {
				second.Reset(time.Second)
				rests = false
			}
			if p.isResting() || p.isUnwanted(t) {
				t.at, t.recalled = time.Time{}, true
			} else if t.paged {
				t.at = p.bounds.pageDue() // its bound may have changed
			}
			t.slow = !t.recalled && !t.gate.IsValid() && p.slow.is(t.Domain)
			switch {
			case t.slow:
				heap.Push(&slow, t)
			case t.first && !t.recalled:
				heap.Push(&before, t)
			default:
				heap.Push(&quick, t)
			}
		case <-timer.C:
		case <-p.lane:
		case <-second.C:
			p.cutOver()
			p.ticking.Go(p.gates.Tick)
			if p.recallSurplus(quick) {
				heap.Init(&quick)
			}
			if requests, leases := p.InFlight(); requests+leases == 0 && len(quick)+len(slow)+len(before) == 0 {
				second.Stop()
				rests = true
			}
		case <-p.kick: // paused or stopping: nothing is worth waiting for
			p.ticking.Go(p.gates.Tick)
			quick, slow, before = append(append(quick, slow...), before...), nil, nil
			for _, t := range quick {
				t.at, t.recalled, t.slow = time.Time{}, true, false
			}
		case <-p.rebound:
			for _, heaped := range []turns{quick, slow, before} {
				for _, t := range heaped {
					if t.paged && !t.recalled {
						t.at = p.bounds.pageDue()
					}
				}
				heap.Init(&heaped)
			}
		case <-p.unwanted:
			p.ticking.Go(p.gates.Tick)
			quick = append(append(quick, p.takeUnwanted(&slow)...), p.takeUnwanted(&before)...)
			for _, t := range quick {
				if p.isUnwanted(t) {
					t.at, t.recalled, t.slow = time.Time{}, true, false
				}
			}
			heap.Init(&quick)
		case <-ctx.Done():
			return
		}
	}
}

// goesBefore reports whether a turn that goes before others is handed out before those of a heap: when its time has
// come, unless the first of them goes before all, or when it comes earlier.
func goesBefore(t *turn, heaped turns, now time.Time) bool {
	if len(heaped) == 0 || t.at.Before(heaped[0].at) {
		return true
	}
	return !t.at.After(now) && !heaped[0].at.IsZero()
}

// takeUnwanted takes the turns out of a heap that are wanted back.
func (p *Pool) takeUnwanted(from *turns) (taken turns) {
	kept := (*from)[:0]
	for _, t := range *from {
		if p.isUnwanted(t) {
			taken = append(taken, t)
		} else {
			kept = append(kept, t)
		}
	}
	clear((*from)[len(kept):])
	*from = kept
	heap.Init(from)
	return taken
}
