package worker

import (
	"container/heap"
	"context"
	"time"
)

// turns is a heap of turns by the time of their next request.
type turns []*turn

func (t turns) Len() int           { return len(t) }
func (t turns) Less(i, j int) bool { return t[i].at.Before(t[j].at) }
func (t turns) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *turns) Push(x any)        { *t = append(*t, x.(*turn)) }
func (t *turns) Pop() any {
	old := *t
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*t = old[:len(old)-1]
	return last
}

// schedule hands turns to the fetchers when their time has come. It is the
// only owner of the heap: a lease between two requests holds no fetcher.
func (p *Pool) schedule(ctx context.Context) {
	var waiting turns
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		var out chan *turn
		var first *turn
		if len(waiting) > 0 {
			first = waiting[0]
			if wait := first.at.Sub(p.cfg.Now()); wait <= 0 {
				out = p.work
			} else {
				timer.Reset(wait)
			}
		}
		select {
		case out <- first:
			heap.Pop(&waiting)
		case t := <-p.back:
			if p.isStopped() {
				t.at, t.recalled = time.Time{}, true
			}
			heap.Push(&waiting, t)
		case <-timer.C:
		case <-second.C:
			p.cutOver()
		case <-p.kick:
			for _, t := range waiting { // paused or stopping: nothing is worth waiting for
				t.at, t.recalled = time.Time{}, true
			}
		case <-ctx.Done():
			return
		}
	}
}
