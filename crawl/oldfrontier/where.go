package frontier

import (
	"fmt"

	"github.com/forage-net/forage/crawl"
)

// State says what a log has to do with a domain.
type State uint8

const (
	// StateNone is of a domain that nothing is known of.
	StateNone State = iota
	// StateOpen is of one that may be leased.
	StateOpen
	// StateUnasked is of one that others are to be asked about first.
	StateUnasked
	// StateClosing is of one on its way to Place.Peer.
	StateClosing
	// StateArriving is of one on its way here from Place.Peer.
	StateArriving
	// StateGone is of one that has moved to Place.Peer within the last day.
	StateGone
)

// String returns the word for people.
func (s State) String() string {
	return [...]string{"unknown", "open", "to be asked about", "moving away", "moving in", "moved away"}[min(s, StateGone)]
}

// Place says where a domain is.
type Place struct {
	State State
	Peer  string // that it moves to or from
	N     uint64 // of the move
	Last  string // who holds the last lease, or held it, of a domain that is open: "" for this node's fetcher, or nobody
}

// Where returns what this log has to do with a domain.
func (f *Frontier) Where(d crawl.Domain) (Place, error) {
	places, err := f.WhereAll([]crawl.Domain{d})
	if err != nil {
		return Place{}, err
	}
	return places[0], nil
}

// WhereAll returns what this log has to do with domains, at one moment, in their order.
func (f *Frontier) WhereAll(domains []crawl.Domain) ([]Place, error) {
	places := make([]Place, len(domains))
	err := f.view(func(b *buckets) (err error) {
		for i, d := range domains {
			if places[i], err = b.where(d); err != nil {
				return fmt.Errorf("look for %s: %w", d, err)
			}
		}
		return nil
	})
	return places, err
}

func (b *buckets) where(d crawl.Domain) (Place, error) {
	r, ok, err := b.readDomain(d)
	switch {
	case err != nil:
		return Place{}, err
	case ok:
		return r.place(), nil
	case !validDomain(d):
		return Place{}, nil
	}
	g, ok, err := b.readGone(d)
	if err != nil || !ok {
		return Place{}, err
	}
	return Place{State: StateGone, Peer: g.To, N: g.N}, nil
}

func (d *domainRecord) place() Place {
	switch {
	case d.Closing != nil:
		return Place{State: StateClosing, Peer: d.Closing.To, N: d.Closing.N}
	case d.Arriving != nil:
		return Place{State: StateArriving, Peer: d.Arriving.From, N: d.Arriving.N}
	case d.Unasked:
		return Place{State: StateUnasked}
	}
	return Place{State: StateOpen, Last: d.Last}
}

// Names returns at most limit domains that are here, open or to be asked about,
// in the order of their names, beginning after the given one.
func (f *Frontier) Names(after crawl.Domain, limit int) (list []crawl.Domain, err error) {
	err = f.view(func(b *buckets) error {
		c := b.domains.Cursor()
		key, _ := c.Seek([]byte(after))
		if key != nil && after != "" && string(key) == string(after) {
			key, _ = c.Next()
		}
		for ; key != nil && len(list) < limit; key, _ = c.Next() {
			d, _, err := b.readDomain(crawl.Domain(key))
			if err != nil {
				return err
			}
			if d.isHome() {
				list = append(list, crawl.Domain(key))
			}
		}
		return nil
	})
	return list, err
}
