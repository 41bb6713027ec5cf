package frontier

import (
	"bytes"
	"cmp"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// arriving says where a domain comes from, and how far it is.
type arriving struct {
	From string `cbor:"1,keyasint"`
	N    uint64 `cbor:"2,keyasint"`
	// Kind is that of its last item.
	Kind itemKind `cbor:"3,keyasint,omitempty"`
	// Putting says that what was known of it here is being put aside, Aside that it was.
	Putting bool `cbor:"4,keyasint,omitempty"`
	Aside   bool `cbor:"5,keyasint,omitempty"`
	// Restoring says that it is being put back: what had come is deleted.
	Restoring bool `cbor:"6,keyasint,omitempty"`
}

// applyMove applies the entries of moves.
func (m *machine) applyMove(e Entry) (Applied, error) {
	switch {
	case e.Close != nil:
		return m.closeAll(e.Close)
	case e.Freeze != nil:
		return m.freeze(e.Freeze)
	case e.Gone != nil:
		return m.gone(e.Gone)
	case e.Reopen != nil:
		return m.reopen(e.Reopen)
	case e.Chunk != nil:
		return m.chunk(e.Chunk)
	case e.Opened != nil:
		return m.opened(e.Opened)
	case e.Abort != nil:
		return m.abort(e.Abort)
	default:
		return m.forget(e.Forget)
	}
}

// chunk takes a part of a move in, or nothing of it.
func (m *machine) chunk(c *Chunk) (Applied, error) {
	mv, err := m.move(c.From, c.N)
	if err != nil {
		return Applied{}, err
	}
	if mv.State == MoveNone {
		if c.Seq != 1 {
			return Applied{}, nil // it has to begin at the beginning
		}
		if m.meta.Moves >= maxMoves {
			return Applied{Again: true}, nil
		}
		mv.State = MoveArriving
		m.meta.Moves++
	}
	if mv.State != MoveArriving || c.Seq != mv.Seq+1 {
		return Applied{Move: mv.State, Seq: mv.Seq}, nil
	}
	free, err := m.makeWay(c)
	if err != nil {
		return Applied{}, err
	}
	if free {
		last, err := m.takeItems(c)
		if err != nil {
			return Applied{}, err
		}
		mv.Seq, mv.Mark, mv.Last = c.Seq, c.Mark, cmp.Or(last, mv.Last)
	}
	return Applied{Move: mv.State, Seq: mv.Seq, Again: !free}, m.putMove(c.From, c.N, &mv)
}

// makeWay makes sure that all domains of a chunk are arriving by its move. It
// does so by and by where much is known of them here.
func (m *machine) makeWay(c *Chunk) (free bool, err error) {
	free = true
	room := m.cfg.piece
	for _, raw := range c.Items {
		if itemKind(raw[0]) != itemDomain {
			continue
		}
		ok, err := m.makeWayFor(crawl.Domain(raw[1:]), c, &room)
		if err != nil {
			return false, err
		}
		free = free && ok
	}
	return free, nil
}

func (m *machine) makeWayFor(name crawl.Domain, c *Chunk, room *int) (bool, error) {
	if err := m.sweep(name, room); err != nil || m.b.gone.Get(goneRestKey(name)) != nil {
		return false, err
	}
	d, ok, err := m.domain(name)
	if err != nil {
		return false, err
	}
	switch {
	case !ok:
		m.begin(name, &domainRecord{Arriving: &arriving{From: c.From, N: c.N}})
		return true, m.b.arriving.Put(moveDomainKey(c.From, c.N, name), []byte{})
	case d.Closing != nil:
		return false, nil
	case d.Arriving == nil:
		if d, err = m.startAside(name, d, c); err != nil {
			return false, err
		}
	case d.Arriving.From != c.From || d.Arriving.N != c.N:
		return false, nil
	}
	if d.Arriving.Putting {
		return m.putAside(name, d, room)
	}
	return true, nil
}

// takeItems writes the items of a chunk where they belong. They were found
// possible; those that come in the wrong order are passed over. It returns the last domain.
func (m *machine) takeItems(c *Chunk) (name crawl.Domain, err error) {
	var d *domainRecord
	for _, raw := range c.Items {
		it, err := readItem(raw, name)
		if err != nil {
			return name, err
		}
		if it.kind == itemDomain {
			name = it.domain
			m.touch(name)
			if d, _, err = m.domain(name); err != nil {
				return name, err
			}
			continue
		}
		if it.kind < d.Arriving.Kind {
			continue
		}
		d.Arriving.Kind = it.kind
		if err := m.takeItem(name, d, &it); err != nil {
			return name, err
		}
	}
	return name, nil
}

func (m *machine) takeItem(name crawl.Domain, d *domainRecord, it *item) error {
	switch it.kind {
	case itemRecord:
		r := it.record.Record
		r.Queued, r.Revisiting, r.Arriving = d.Queued, d.Revisiting, d.Arriving
		*d = r
		if r.Careful > 0 {
			m.beCareful(d, m.meta.At-min(r.Careful, int64(carefulFor)))
		}
		most := crawl.MaxWait
		if d.Parked {
			most = retireMost
		}
		return m.notBefore([]byte(name), min(it.record.Due, most+time.Hour))
	case itemHold:
		host := hostKey(name, it.origin)
		if err := m.b.ready.Delete(host); err != nil {
			return err
		}
		return m.notBefore(host, it.hold)
	case itemShape:
		return m.b.shapes.Put(append(hostKey(name, ""), it.hash...), it.data)
	case itemFilter:
		return m.b.filters.Put(append(hostKey(name, ""), it.path...), it.data)
	case itemPage:
		return m.takePage(name, it)
	default:
		return m.takeTask(name, d, it)
	}
}

// notBefore sets the time of an arriving domain or host, without a place in the
// order of due times. A later one stays.
func (m *machine) notBefore(name []byte, wait time.Duration) error {
	at := m.now + int64(wait)
	if old, ok := m.b.clock(name); ok {
		at = max(at, old)
	}
	return m.b.setClock(name, at, false)
}

// know puts a URL into the filter of its domain, and reports whether it was new.
func (m *machine) know(u crawl.URL) (bool, error) {
	return m.filters.Add(append([]byte(u.Domain()), 0), bloom.HashOf(u.SeenKey()))
}

func (m *machine) takePage(name crawl.Domain, it *item) error {
	if _, err := m.know(it.url); err != nil {
		return err
	}
	p := &it.page
	key := pageKey(name, p.URL)
	if p.Every > 0 {
		wait := p.Later
		if wait < 0 { // it is queued, but its task may never come
			wait = p.Every
		}
		m.visitLater(m.today+wait*int64(time.Millisecond), key)
	}
	return m.b.putPage(key, &pageRecord{
		URL: p.URL, Date: p.Date, Result: p.Result, Status: p.Status, Digest: p.Digest, ETag: p.ETag, LastModified: p.LastModified,
		Every: p.Every, Depth: p.Depth, Source: p.Source, Misses: p.Misses,
	})
}

func (m *machine) takeTask(name crawl.Domain, d *domainRecord, it *item) error {
	if d.Queued >= maxQueued {
		d.countDrop(LimitFull)
		return nil
	}
	if _, err := m.know(it.url); err != nil {
		return err
	}
	kind := taskKind(it.task[1])
	if kind.isRevisit() {
		key := pageKey(name, it.url.String())
		rec, ok, err := m.b.page(key)
		if err != nil || ok && rec.Queued {
			return err
		}
		if ok && rec.URL == it.url.String() {
			rec.Queued = true
			if err := m.b.putPage(key, &rec); err != nil {
				return err
			}
		} else {
			kind &^= kindRevisit
		}
	}
	value := bytes.Clone(it.task)
	value[1] = byte(kind)
	host := hostKey(name, it.url.Origin())
	return m.place(m.newKey(host, it.depth, it.prio, value), value, host, d)
}

// place puts a task into the queue of a domain that is arriving.
func (m *machine) place(key, value, host []byte, d *domainRecord) error {
	if err := m.b.queue.Put(key, value); err != nil {
		return err
	}
	d.Queued++
	if taskKind(value[1]).isRevisit() {
		d.Revisiting++
	}
	if _, held := m.b.clock(host); held || m.b.ready.Get(host) != nil {
		return nil
	}
	return m.b.ready.Put(host, []byte{})
}
