package frontier

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// Standing is how a URL stands with the leader of its domain.
type Standing struct {
	// Page is what is known of it, if Known.
	Page  Page
	Known bool
	// Dropped says that it was kept out of the queue, as far as that is remembered, and By what would keep it out now.
	Dropped bool
	By      Limit
	// Domain is how its domain stands.
	Domain DomainInfo
}

// Standing returns how a URL stands. It changes nothing, and returns ErrNotLed for a domain without complete indexes.
func (f *Frontier) Standing(tx *storage.Tx, u crawl.URL) (s Standing, err error) {
	d := u.Domain()
	w, err := f.open(tx, d)
	if err != nil {
		return s, err
	}
	if s.Domain, err = f.Domain(tx, d); err != nil {
		return s, err
	}
	if s.Page, s.Known = f.Page(tx, u); s.Known {
		return s, nil
	}
	s.Dropped = w.filter.Noted(droppedName(u))
	s.By = w.keepsOut(u, false)
	return s, nil
}

// droppedName is what a domain's filter remembers a URL by that was kept out: the key of no URL.
func droppedName(u crawl.URL) string { return "dropped\x00" + u.SeenKey() }

// Waits reports whether a page waits for a visit.
func (p Page) Waits() bool { return p.State == store.Waiting }
