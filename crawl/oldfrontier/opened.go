package frontier

import (
	"bytes"

	"github.com/forage-net/forage/crawl"
)

// opened ends a move to here: its domains are joined with what was known of them
// and become visible together.
func (m *machine) opened(o *Opened) (Applied, error) {
	mv, err := m.move(o.From, o.N)
	if err != nil || mv.State != MoveArriving && mv.State != MoveOpening {
		return Applied{Move: mv.State}, err
	}
	if mv.Seq != o.Chunks {
		return Applied{Move: mv.State, Seq: mv.Seq}, nil
	}
	if mv.State == MoveArriving && o.Orphan {
		mv.Orphan = true
		if err := m.sift(mv.Last); err != nil {
			return Applied{}, err
		}
	}
	room := m.cfg.piece
	return m.open(o.From, o.N, mv, &room)
}

func (m *machine) open(from string, n uint64, mv moveRecord, room *int) (Applied, error) {
	domains := m.b.domainsOf(from, n)
	for _, name := range domains {
		if done, err := m.join(name, room); err != nil {
			return Applied{}, err
		} else if !done {
			mv.State = MoveOpening
			return Applied{Move: mv.State, Seq: mv.Seq, Again: true}, m.putMove(from, n, &mv)
		}
	}
	for _, name := range domains {
		if d, ok, err := m.domain(name); err != nil {
			return Applied{}, err
		} else if ok && mv.Orphan { // the source may be visiting it where nobody here can reach it
			m.beCareful(d, m.meta.At)
		}
		if err := m.show(name); err != nil {
			return Applied{}, err
		}
		m.came++
	}
	end := MoveOpened
	if mv.Orphan {
		end = MoveDeclined
	}
	return Applied{Move: end}, m.endMove(from, n, end, mv.Orphan)
}

// sift makes the filter of a domain of which the rest will not come, and what is counted of its URLs, those of the pages and tasks that
// have come: the filter came first, and knows all that its source had. What is not in it may be found again. It is at most
// one domain of a move, and done at once.
func (m *machine) sift(name crawl.Domain) error {
	d, ok, err := m.domain(name)
	if err != nil || !ok || d.Arriving == nil || d.Arriving.Putting {
		return err
	}
	m.touch(name)
	if err := m.filters.Flush(); err != nil {
		return err
	}
	prefix := hostKey(name, "")
	if err := dropAll(m.b.filters, prefix); err != nil {
		return err
	}
	d.Fetched, d.Forbidden, d.Failed, d.Other = 0, 0, 0, 0
	c := m.b.pages.Cursor()
	for key, value := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = c.Next() {
		rec, u, ok := readPage(key, value)
		if !ok {
			continue
		}
		if _, err := m.know(u); err != nil {
			return err
		}
		d.countVisit(rec.Result)
	}
	d.Duplicates, d.Gone = min(d.Duplicates, d.Fetched), min(d.Gone, d.Other)
	c = m.b.queue.Cursor()
	for key, value := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = c.Next() {
		if t, ok := readWhole(key, value); ok {
			if _, err := m.know(t.URL); err != nil {
				return err
			}
		}
	}
	return nil
}

// join brings what was put aside of a domain together with what has come, as far
// as there is room.
func (m *machine) join(name crawl.Domain, room *int) (done bool, err error) {
	d, ok, err := m.domain(name)
	if err != nil || !ok || d.Arriving == nil {
		return true, err
	}
	if d.Arriving.Putting { // nothing has come of it
		if done, err := m.putAside(name, d, room); err != nil || !done {
			return false, err
		}
	}
	if !d.Arriving.Aside {
		return true, nil
	}
	return m.merge(name, d, room)
}

// show makes a domain one of this log.
func (m *machine) show(name crawl.Domain) error {
	d, ok, err := m.domain(name)
	if err != nil || !ok || d.Arriving == nil {
		return err
	}
	m.meta.Totals.sub(d)
	d.Arriving = nil
	d.Known = d.closed() + d.Queued - d.Revisiting
	m.meta.Totals.add(d)
	if d.Unasked { // its source had not asked either, or the move was declined
		if err := m.b.unasked.Put([]byte(name), []byte{}); err != nil {
			return err
		}
	}
	if err := m.forgetOne(name); err != nil {
		return err
	}
	at, clocked := m.b.clock([]byte(name))
	if d.Parked {
		wait := int64(d.retiredFor())
		if clocked {
			wait = min(max(at-m.now, 0), int64(retireMost))
		}
		m.visitLater(m.today+wait, []byte(name))
	}
	prefix := hostKey(name, "")
	c := m.b.clocks.Cursor()
	var held [][]byte
	for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = c.Next() {
		held = append(held, bytes.Clone(key))
	}
	for _, host := range held {
		at, _ := m.b.clock(host)
		if err := m.b.setClock(host, at, true); err != nil {
			return err
		}
	}
	return m.rouse(name, d)
}

// abort ends a move to here that is not to be: what has come is deleted, and what
// was known before is as it was.
func (m *machine) abort(a *Abort) (Applied, error) {
	mv, err := m.move(a.From, a.N)
	if err != nil {
		return Applied{}, err
	}
	switch mv.State {
	case MoveNone:
		return Applied{Move: MoveDeclined}, m.endMove(a.From, a.N, MoveDeclined, false)
	case MoveArriving, MoveAborting:
		room := m.cfg.piece
		return m.undo(a.From, a.N, mv, &room)
	default:
		return Applied{Move: mv.State, Seq: mv.Seq}, nil
	}
}

func (m *machine) undo(from string, n uint64, mv moveRecord, room *int) (Applied, error) {
	for _, name := range m.b.domainsOf(from, n) {
		done, err := m.undoOne(name, room)
		if err != nil {
			return Applied{}, err
		}
		if !done {
			mv.State = MoveAborting
			return Applied{Move: mv.State, Seq: mv.Seq, Again: true}, m.putMove(from, n, &mv)
		}
		if err := m.b.arriving.Delete(moveDomainKey(from, n, name)); err != nil {
			return Applied{}, err
		}
	}
	return Applied{Move: MoveDeclined}, m.endMove(from, n, MoveDeclined, false)
}

// undoOne makes a domain what it was before it began to arrive, as far as there
// is room.
func (m *machine) undoOne(name crawl.Domain, room *int) (done bool, err error) {
	d, ok, err := m.domain(name)
	if err != nil || !ok || d.Arriving == nil {
		return true, err
	}
	if d.Arriving.Putting {
		if done, err := m.putAside(name, d, room); err != nil || !done {
			return false, err
		}
	}
	if !d.Arriving.Restoring {
		m.touch(name)
		if err := m.wipe(name, room); err != nil || *room <= 0 {
			return false, err
		}
		from := *d.Arriving
		from.Restoring = true
		*d = domainRecord{Arriving: &from}
	}
	if !d.Arriving.Aside { // nothing was here
		if err := m.dropHolds(name); err != nil {
			return false, err
		}
		return true, m.leave(name, d)
	}
	if done, err := m.restore(name, d, room); err != nil || !done {
		return false, err
	}
	key := asideKey(name, asideRecord, nil)
	var own domainRecord
	if _, err := getRecord(m.b.aside, key, &own); err != nil {
		return false, err
	}
	own.Arriving, own.Queued, own.Revisiting = d.Arriving, d.Queued, d.Revisiting
	*d = own
	if err := m.b.aside.Delete(key); err != nil {
		return false, err
	}
	return true, m.show(name)
}
