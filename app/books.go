package app

import (
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/storage"
)

type (
	dropLimit    = frontier.Limit
	revisitTimes = frontier.Revisit
	urlBudget    = frontier.Budget
	swarmEvent   = swarm.Event
)

const (
	limitForeign, limitShape, limitFull, limitTrap = frontier.LimitForeign, frontier.LimitShape, frontier.LimitFull, frontier.LimitTrap
	limitRetired, limitBrought                     = frontier.LimitRetired, frontier.LimitBrought
	maxDropped                                     = frontier.MaxDropped
)

// totalCounts are the counts of a frontier.
type totalCounts struct {
	frontier.Totals
	Leases uint64
}

// domainInfo is what front ends show of a domain.
type domainInfo struct {
	frontier.DomainInfo
	Leased bool
}

// books reads a frontier.
type books struct {
	db *storage.DB
	f  *frontier.Frontier
	// leased returns who fetches domains. It may be nil.
	leased func() map[crawl.Domain]crawl.PeerID
}

func openBooks(db *storage.DB, steady *clock.Clock) books {
	return books{db: db, f: frontier.New(frontier.Config{Items: swarm.Items{}, Now: steady.Now, Calendar: steady.Latest})}
}

func view[T any](b books, fn func(tx *storage.Tx) (T, error)) (out T, err error) {
	err = b.db.View(func(tx *storage.Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	return out, err
}

// live returns who fetches domains.
func (b books) live() map[crawl.Domain]crawl.PeerID {
	if b.leased == nil {
		return nil
	}
	return b.leased()
}

// Totals returns the counts over all domains.
func (b books) Totals() (totalCounts, error) {
	leases := len(b.live())
	return view(b, func(tx *storage.Tx) (totalCounts, error) {
		t, err := b.f.Totals(tx)
		return totalCounts{Totals: t, Leases: uint64(leases)}, err
	})
}

// Domains returns domains in the order of their names.
func (b books) Domains(after crawl.Domain, limit int) ([]domainInfo, error) {
	leases := b.live()
	return view(b, func(tx *storage.Tx) ([]domainInfo, error) {
		list, err := b.f.Domains(tx, after, limit)
		infos := make([]domainInfo, len(list))
		for i, d := range list {
			_, leased := leases[d.Domain]
			infos[i] = domainInfo{d, leased}
		}
		return infos, err
	})
}

// Briefs, BriefsOf and FilterFill are as those of frontier.Frontier.
func (b books) Briefs(limit int) ([]frontier.Brief, error) {
	return view(b, func(tx *storage.Tx) ([]frontier.Brief, error) { return b.f.Briefs(tx, limit) })
}

func (b books) BriefsOf(domains []crawl.Domain) ([]frontier.Brief, error) {
	return view(b, func(tx *storage.Tx) ([]frontier.Brief, error) { return b.f.BriefsOf(tx, domains) })
}

func (b books) FilterFill(domains []crawl.Domain) (float64, error) {
	return view(b, func(tx *storage.Tx) (float64, error) { return b.f.FilterFill(tx, domains), nil })
}
