package route_test

import "time"

// healsWithin is how long the domain may stay without a fetcher when faults have ended: a member that
// has just restarted counts a lease in full, and the gap behind it, by a clock that runs slow.
const healsWithin = 145 * time.Second

// heal ends all faults and lets everybody do what they should. It returns how long
// it took until a fetcher had a new lease; what was on its way is lost. ok is false if it took too long, or
// if there is no majority of members with their logs.
func (w *world) heal(r *rules) (took time.Duration, ok bool) {
	w.onWay, w.net = 0, [maxNet]message{}
	for pc := range w.pcs {
		w.wake(r, pc)
	}
	for m := range int(w.size) {
		w.restart(r, m)
	}
	for f := range w.fetch {
		w.end(f)
		w.giveUp(f)
	}
	start, grants := w.now, w.grants
	for range 40 {
		l := w.anyLeader(r)
		if l < 0 || trueTime(w.now-start) > healsWithin {
			return trueTime(w.now - start), false
		}
		w.do(r, step{do: spread, a: uint8(l)})
		for m := range w.size {
			w.do(r, step{do: admit, a: uint8(l), b: m})
		}
		w.do(r, step{do: lapse, a: uint8(l)})
		for f := range uint8(fetchers) {
			if !w.isLive(r, int(f)) { // it goes home, and is not heard
				w.fetch[f].held = 0
			}
			w.do(r, step{do: ask, a: f})
			for n := range uint8(maxNet) {
				w.do(r, step{do: hearAsk, a: uint8(l), b: f, nth: n})
			}
		}
		w.do(r, step{do: spread, a: uint8(l)})
		for f := range uint8(fetchers) {
			for n := range uint8(maxNet) {
				w.do(r, step{do: takeGrant, a: f, nth: n})
			}
		}
		if w.grants > grants {
			return trueTime(w.now - start), true
		}
		w.do(r, step{do: passTime})
	}
	return trueTime(w.now - start), false
}

// anyLeader returns a member that leads with the others behind it, and has one elected
// if there is none. It is -1 if none can be.
func (w *world) anyLeader(r *rules) int {
	best := -1
	for m := range int(w.size) {
		if w.acts(m) && w.members[m].leads && (best < 0 || w.members[m].term > w.members[best].term) {
			best = m
		}
	}
	if best >= 0 && w.leads(r, best) {
		return best
	}
	if best >= 0 { // others have not heard of it yet
		w.spread(r, best)
		if w.leads(r, best) {
			return best
		}
	}
	for c := range int(w.size) {
		for v := range int(w.size) {
			if w.elect(r, c, v) {
				w.spread(r, c)
				if w.leads(r, c) {
					return c
				}
			}
		}
	}
	return -1
}
