package nodeapi

import (
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/storage"
)

// Totals are the counts of a frontier.
type Totals struct {
	frontier.Totals
	Leases uint64
}

// DomainInfo is what front ends show of a domain.
type DomainInfo struct {
	frontier.DomainInfo
	Leased bool
}

// Books reads a frontier.
type Books struct {
	DB       *storage.DB
	Frontier *frontier.Frontier
	// Leased returns who fetches domains. It may be nil.
	Leased func() map[crawl.Domain]crawl.PeerID
}

// OpenBooks returns those of a store that no node uses, by the clock of that store.
func OpenBooks(db *storage.DB, steady *clock.Clock) Books {
	return Books{
		DB:       db,
		Frontier: frontier.New(frontier.Config{Items: swarm.Items{}, Now: steady.Now, Calendar: steady.Latest}),
	}
}

// Read returns what fn finds in a transaction.
func Read[T any](b Books, fn func(tx *storage.Tx) (T, error)) (out T, err error) {
	err = b.DB.View(func(tx *storage.Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	return out, err
}

// live returns who fetches domains.
func (b Books) live() map[crawl.Domain]crawl.PeerID {
	if b.Leased == nil {
		return nil
	}
	return b.Leased()
}

// Totals returns the counts over all domains.
func (b Books) Totals() (Totals, error) {
	leases := len(b.live())
	return Read(b, func(tx *storage.Tx) (Totals, error) {
		t, err := b.Frontier.Totals(tx)
		return Totals{Totals: t, Leases: uint64(leases)}, err
	})
}

// Domains returns domains in the order of their names.
func (b Books) Domains(after crawl.Domain, limit int) ([]DomainInfo, error) {
	leases := b.live()
	return Read(b, func(tx *storage.Tx) ([]DomainInfo, error) {
		list, err := b.Frontier.Domains(tx, after, limit)
		infos := make([]DomainInfo, len(list))
		for i, d := range list {
			_, leased := leases[d.Domain]
			infos[i] = DomainInfo{d, leased}
		}
		return infos, err
	})
}
