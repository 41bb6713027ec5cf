package find

import (
	"sync"

	"github.com/forage-net/forage/storage/index"
)

// trail knows the place in the archive before which every page has been dealt with. Pages are written and dealt
// with in any order; the ones that are not dealt with yet hold the place back.
type trail struct {
	mu   sync.Mutex
	open map[*Ticket]bool
	end  index.Place // behind the last page that was written
	// behind is held by pages that have to be read from the archive, nil if there are none; missed counts how
	// often such a page came up.
	behind *Ticket
	missed int
	// live is a place from which on no page was missed, so that none has to be read; the zero value if none is known.
	live index.Place
}

// Ticket holds back the place up to which the archive is in the index, until its page is.
type Ticket struct{ floor index.Place }

// before reports whether p is before q in the archive. Names of files order as the files do.
func before(p, q index.Place) bool {
	return p.File < q.File || p.File == q.File && p.Offset < q.Offset
}

// begin returns a ticket for a page that is about to be written.
func (t *trail) begin() *Ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &Ticket{t.end}
	if t.open == nil {
		t.open = make(map[*Ticket]bool)
	}
	t.open[k] = true
	return k
}

// done is told that a page is dealt with.
func (t *trail) done(k *Ticket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, k)
}

// wrote is told where a page ends that has been written.
func (t *trail) wrote(end index.Place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before(t.end, end) {
		t.end = end
	}
}

// queued is told where a page begins that need not be read.
func (t *trail) queued(at index.Place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live == (index.Place{}) || before(at, t.live) {
		t.live = at
	}
}

// enough reports whether nothing has to be read from a place on.
func (t *trail) enough(at index.Place) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live != (index.Place{}) && !before(at, t.live)
}

// miss leaves a page to be read from the archive.
func (t *trail) miss(k *Ticket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.missed++
	t.live = index.Place{}
	delete(t.open, k)
	switch {
	case t.behind == nil:
		t.behind = &Ticket{k.floor}
		t.open[t.behind] = true
	case before(k.floor, t.behind.floor):
		t.behind.floor = k.floor
	}
}

// place returns the place before which every page is dealt with.
func (t *trail) place() index.Place {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.end
	for k := range t.open {
		if before(k.floor, at) {
			at = k.floor
		}
	}
	return at
}

// toRead returns from where on the archive has to be read, and what caughtUp wants to know; ok is false if
// nothing has to be read.
func (t *trail) toRead() (from index.Place, missed int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.behind == nil {
		return from, 0, false
	}
	return t.behind.floor, t.missed, true
}

// gap returns between which places pages may lie that are not dealt with; to is the zero value if that is the
// end of the archive. ok is false if there are none.
func (t *trail) gap() (from, to index.Place, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.behind == nil {
		return from, to, false
	}
	return t.behind.floor, t.live, true
}

// advance is told how far reading has come. If a page was missed meanwhile, what lies before this place was
// read all the same.
func (t *trail) advance(at index.Place, missed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.behind != nil && t.missed == missed && before(t.behind.floor, at) {
		t.behind.floor = at
	}
}

// caughtUp is told that the archive was read to its end. It is not caught up if a page was missed since toRead.
func (t *trail) caughtUp(missed int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missed != missed {
		return false
	}
	delete(t.open, t.behind)
	t.behind = nil
	return true
}
