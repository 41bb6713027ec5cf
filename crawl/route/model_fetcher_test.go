package route_test

// A fetcher counts a lease from when it sent its question. One question is open at a
// time; an answer to another one is not taken.

// isOver reports whether a lease that is counted from then is over.
func (w *world) isOver(r *rules, f int, from reading) bool {
	d := w.pcs[pcOf(f)].sub(from)
	return r.byBoot && d.boot >= leaseTime || r.byMono && d.mono >= leaseTime || r.byWall && d.wall >= leaseTime ||
		r.bySteps && abs(d.wall-d.boot) >= stepFrom
}

func abs(d int64) int64 { return max(d, -d) }

// untilOver returns how long it is until the lease of a fetcher is over by one of
// its clocks, if nothing happens but that time passes.
func (w *world) untilOver(r *rules, f int) (ms int64, ok bool) {
	x, pc := &w.fetch[f], &w.pcs[pcOf(f)]
	if x.held == 0 || w.isOver(r, f, x.from) {
		return 0, false
	}
	d := pc.sub(x.from)
	take := func(counts bool, passed int64) {
		if left := pc.until(leaseTime - passed); counts && (!ok || left < ms) {
			ms, ok = left, true
		}
	}
	take(r.byBoot && pc.rest <= asleep, d.boot)
	take(r.byMono && pc.rest == awake, d.mono)
	take(r.byWall, d.wall)
	return ms, ok
}

// isLive reports whether a fetcher takes its lease for live.
func (w *world) isLive(r *rules, f int) bool {
	x := &w.fetch[f]
	return x.held != 0 && !w.isOver(r, f, x.from)
}

func (w *world) ask(f int) bool {
	x := &w.fetch[f]
	if !w.isAwake(pcOf(f)) || x.asking || x.held != 0 || x.flying != 0 {
		return false
	}
	x.seq++
	x.asking, x.asked, x.askedAt = true, x.seq, w.pcs[pcOf(f)].reading
	w.send(message{kind: askFor, f: uint8(f), seq: x.seq})
	return true
}

// giveUp stops waiting for the answers to open questions.
func (w *world) giveUp(f int) bool {
	x := &w.fetch[f]
	if !w.isAwake(pcOf(f)) || !x.asking && !x.renewing {
		return false
	}
	x.asking, x.renewing = false, false
	return true
}

// takeGrant takes an answer.
func (w *world) takeGrant(r *rules, f int, a message) bool {
	x := &w.fetch[f]
	if !w.isAwake(pcOf(f)) {
		return false
	}
	switch {
	case x.asking && x.asked == a.seq:
	case r.takesTwice && x.held == 0 && a.seq == x.asked:
	case r.returnsTwice && x.held == a.id:
		w.send(message{kind: releaseOf, f: uint8(f), id: a.id})
		return true
	default:
		return false
	}
	x.asking, x.renewing = false, false
	x.held, x.from = a.id, x.askedAt
	if r.countsFromAnswer {
		x.from = w.pcs[pcOf(f)].reading
	}
	w.noteTaken(a)
	return true
}

func (w *world) begin(r *rules, f int) bool {
	x := &w.fetch[f]
	if !w.isAwake(pcOf(f)) || x.held == 0 || x.flying != 0 || r.checks && w.isOver(r, f, x.from) {
		return false
	}
	x.flying = x.held
	w.noteBegin(f)
	return true
}

func (w *world) end(f int) bool {
	x := &w.fetch[f]
	if !w.isAwake(pcOf(f)) || x.flying == 0 {
		return false
	}
	w.noteEnd(f)
	x.flying = 0
	return true
}

// cut ends what is in flight for leases that are over.
func (w *world) cut(r *rules) {
	for f := range w.fetch {
		x := &w.fetch[f]
		if x.flying != 0 && w.isAwake(pcOf(f)) && r.cuts && x.held == x.flying && w.isOver(r, f, x.from) {
			w.end(f)
		}
	}
}

func (w *world) renew(r *rules, f int) bool {
	x := &w.fetch[f]
	if !w.isAwake(pcOf(f)) || x.renewing || !w.isLive(r, f) {
		return false
	}
	x.seq++
	x.renewing, x.renewal, x.renewalAt = true, x.seq, w.pcs[pcOf(f)].reading
	w.send(message{kind: renewOf, f: uint8(f), seq: x.seq, id: x.held})
	if r.renewsItself {
		x.from = x.renewalAt
	}
	return true
}

func (w *world) takeRenewal(r *rules, f int, a message) bool {
	x := &w.fetch[f]
	if !w.isAwake(pcOf(f)) || !x.renewing || x.renewal != a.seq || x.held != a.id || r.endIsEnd && w.isOver(r, f, x.from) {
		return false
	}
	x.renewing = false
	x.from = x.renewalAt
	if r.renewsFromAnswer {
		x.from = w.pcs[pcOf(f)].reading
	}
	return true
}

// giveBack ends a lease early, or tells that it is over.
func (w *world) giveBack(r *rules, f int) bool {
	x := &w.fetch[f]
	if !w.isAwake(pcOf(f)) || x.held == 0 || x.flying != 0 && !r.returnsInFlight {
		return false
	}
	w.send(message{kind: releaseOf, f: uint8(f), id: x.held})
	x.held, x.renewing = 0, false
	return true
}

// failFetcher ends the process of a fetcher and starts it again. It gives back what it
// finds that it held.
func (w *world) failFetcher(f int) bool {
	x := &w.fetch[f]
	if !w.isAwake(pcOf(f)) {
		return false
	}
	if x.flying != 0 {
		w.end(f)
	}
	if x.held != 0 {
		w.send(message{kind: releaseOf, f: uint8(f), id: x.held})
	}
	*x = fetcher{seq: x.seq}
	return true
}
