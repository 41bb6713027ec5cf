package frontier

import (
	"context"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// isPassing reports whether a key is of a domain of which things are being
// deleted or put elsewhere.
func (r *repairer) isPassing(key []byte) bool {
	d, _ := splitHostKey(key)
	return r.passing[d]
}

// readable returns the record of a domain that checkDomains will keep.
func (r *repairer) readable(d crawl.Domain) (rec domainRecord, ok bool) {
	raw := r.b.domains.Get([]byte(d))
	ok = raw != nil && validDomain(d) && decode.Unmarshal(raw, &rec) == nil && !rec.isAbsurd()
	return rec, ok
}

// valid reports whether a domain may be arriving like that.
func (a *arriving) valid() bool { return a.From != "" && len(a.From) <= MaxPeer && a.Kind <= itemTask }

// fixState makes what a record says of moves possible, and reports whether it was
// not. a is how the domain arrives, nil if it does not.
func (d *domainRecord) fixState(a *arriving) (changed bool) {
	if d.Arriving != nil && a == nil {
		d.Arriving, changed = nil, true
	}
	if c := d.Closing; c != nil && (d.Arriving != nil || c.To == "" || len(c.To) > MaxPeer) {
		d.Closing, changed = nil, true
	}
	return changed
}

// checkGone makes the notes of domains that have moved away agree. What is to be
// deleted of them stays so, unless the domain is here.
func (r *repairer) checkGone(ctx context.Context) error {
	return r.sweep(ctx, r.b.gone, wrongMove, func(key, raw []byte) error {
		ok := false
		switch {
		case key[0] == goneRest:
			d := crawl.Domain(key[1:])
			_, here := r.readable(d)
			if ok = validDomain(d) && !here; ok {
				r.passing[d] = true
			}
		case key[0] == goneOrder:
			at, name := splitDueKey(key[1:])
			rec, is := r.readGone(name)
			ok = is && rec.At == at
		default:
			rec, is := r.readGone(key)
			if ok = is; ok {
				r.gone++
				if order := goneOrderKey(rec.At, crawl.Domain(key)); r.b.gone.Get(order) == nil {
					r.found[wrongMove]++
					r.put(r.b.gone, order, []byte{})
				}
			}
		}
		if !ok {
			r.found[wrongMove]++
			r.delete(r.b.gone, key)
		}
		return nil
	})
}

func (r *repairer) readGone(name []byte) (rec goneRecord, ok bool) {
	raw := r.b.gone.Get(name)
	ok = raw != nil && validDomain(crawl.Domain(name)) && decode.Unmarshal(raw, &rec) == nil
	return rec, ok && rec.At >= 0 && rec.To != "" && len(rec.To) <= MaxPeer
}

// checkMoves makes the notes of moves to here agree with each other and with the
// records of domains. A move whose state is lost is ended.
func (r *repairer) checkMoves(ctx context.Context) error {
	states, err := r.readMoves(ctx)
	if err != nil {
		return err
	}
	if err := r.flush(); err != nil {
		return err
	}
	err = r.b.domains.ForEach(func(key, _ []byte) error { // checkDomains drops what is damaged
		rec, ok := r.readable(crawl.Domain(key))
		if !ok || rec.Arriving == nil || !rec.Arriving.valid() {
			return nil
		}
		a := rec.Arriving
		r.moving[crawl.Domain(key)] = a
		move := string(moveKey(a.From, a.N))
		if state := states[move]; state == MoveNone || state.over() {
			r.found[wrongMove]++
			states[move] = MoveAborting
			if err := r.putRecord(r.b.arriving, moveStateKey(a.From, a.N), &moveRecord{State: MoveAborting}); err != nil {
				return err
			}
		}
		r.passing[crawl.Domain(key)] = a.Putting || a.Restoring || states[move] == MoveAborting
		if list := moveDomainKey(a.From, a.N, crawl.Domain(key)); r.b.arriving.Get(list) == nil {
			r.found[wrongMove]++
			r.put(r.b.arriving, list, []byte{})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.listMoves(ctx, states); err != nil {
		return err
	}
	return r.checkAside(ctx)
}

// checkAside drops what is put aside of a domain that does not arrive, and what
// cannot be read. Tasks and pages are looked at when they are put back.
func (r *repairer) checkAside(ctx context.Context) error {
	return r.sweep(ctx, r.b.aside, strayAside, func(key, raw []byte) error {
		d, _ := splitHostKey(key)
		a := r.moving[d]
		ok := a != nil && a.Aside && len(key) > len(d)+1
		if ok {
			var rec domainRecord
			switch part, rest := key[len(d)+1], key[len(d)+2:]; part {
			case asideRecord:
				ok = len(rest) == 0 && decode.Unmarshal(raw, &rec) == nil && !rec.isAbsurd()
			default:
				ok = part == asidePage || part == asideTask
			}
		}
		if !ok {
			r.found[strayAside]++
			r.delete(r.b.aside, key)
		}
		return nil
	})
}

// readMoves returns the states of all moves.
func (r *repairer) readMoves(ctx context.Context) (map[string]MoveState, error) {
	states := make(map[string]MoveState)
	err := r.sweep(ctx, r.b.arriving, wrongMove, func(key, raw []byte) error {
		if key[0] != moveState {
			return nil
		}
		_, _, rest, ok := splitMoveKey(key[1:])
		var mv moveRecord
		if !ok || len(rest) > 0 || key[1] == 0 || decode.Unmarshal(raw, &mv) != nil || mv.State < MoveArriving || mv.State > MoveDeclined {
			r.found[wrongMove]++
			r.delete(r.b.arriving, key)
			return nil
		}
		states[string(key[1:])] = mv.State
		return nil
	})
	return states, err
}

// listMoves makes the lists of moves agree with their states.
func (r *repairer) listMoves(ctx context.Context, states map[string]MoveState) error {
	listed := make(map[string]bool)
	err := r.sweep(ctx, r.b.arriving, wrongMove, func(key, _ []byte) error {
		ok := false
		switch move := key[1:]; key[0] {
		case moveState:
			return nil
		case moveLive:
			state := states[string(move)]
			ok = state != MoveNone && !state.over()
			listed[string(move)] = listed[string(move)] || ok
		case moveOver:
			at, move := splitDueKey(move)
			ok = at >= 0 && states[string(move)].over() && !listed[string(move)]
			listed[string(move)] = listed[string(move)] || ok
		case moveDomain:
			from, n, d, is := splitMoveKey(move)
			a := r.moving[crawl.Domain(d)]
			ok = is && a != nil && a.From == from && a.N == n
		}
		if !ok {
			r.found[wrongMove]++
			r.delete(r.b.arriving, key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for move, state := range states {
		key := append([]byte{moveLive}, move...)
		if state.over() {
			r.movesOver++
			key = append([]byte{moveOver}, dueKey(r.now, []byte(move))...)
		} else {
			r.moves++
		}
		if !listed[move] {
			r.found[wrongMove]++
			r.put(r.b.arriving, key, []byte{})
		}
	}
	return nil
}

// checkLists makes the lists of domains in some state agree with their records.
func (r *repairer) checkLists(ctx context.Context) error {
	for _, list := range []struct {
		b  *storage.Bucket
		is func(*tally) bool
	}{
		{r.b.unasked, func(t *tally) bool { return t.unasked }},
		{r.b.closing, func(t *tally) bool { return t.closing }},
	} {
		err := r.sweep(ctx, list.b, wrongMove, func(key, _ []byte) error {
			if t := r.domains[crawl.Domain(key)]; t == nil || !t.seen || !list.is(t) {
				r.found[wrongMove]++
				r.delete(list.b, key)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for d, t := range r.domains {
			if t.seen && list.is(t) && list.b.Get([]byte(d)) == nil {
				r.found[wrongMove]++
				r.put(list.b, []byte(d), []byte{})
			}
		}
	}
	return nil
}

// checkOutbox drops links that cannot be read, and counts the others.
func (r *repairer) checkOutbox(ctx context.Context) error {
	return r.sweep(ctx, r.b.outbox, damagedLink, func(key, value []byte) error {
		if _, err := readOut(key, value); err != nil {
			r.found[damagedLink]++
			r.delete(r.b.outbox, key)
			return nil
		}
		r.totals.Outbox++
		r.totals.OutboxBytes += uint64(len(key) + len(value))
		return nil
	})
}
