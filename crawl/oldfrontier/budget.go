package frontier

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// A domain may be endless: calendars, search results, shops that combine
// filters. What is taken in of it is bounded by a budget that others raise by
// linking to it (IRLbot's STAR: budgets from the in-links of other domains), and
// that falls with the share of its answers that were worth nothing.

// Budget bounds how many URLs of one domain are taken in.
type Budget struct {
	// Base is what every domain gets; 0 means DefaultBudget.
	Base uint64
	// Most is what no domain exceeds; 0 means DefaultMostBudget.
	Most uint64
}

const (
	// DefaultBudget is the budget of a domain that nobody else links to: most
	// sites are smaller, and at a page every few seconds it is a day's work.
	DefaultBudget = 10_000
	// DefaultMostBudget is the largest budget of a domain.
	DefaultMostBudget = 100_000

	// perLinking is what each further domain that links to a domain adds.
	perLinking = 1_000
	// perURL is the budget in bytes for each URL of the other budget: a few times
	// what pages are on the wire. Without it a site of endless pages of 2 MiB
	// would fill the disk.
	perURL = 128 << 10
	// judgedFrom is how many answers are needed before a domain is judged.
	judgedFrom = 100
	// tolerated is the share of worthless answers, in percent, that any site has.
	tolerated = 20
	// leastBudget is what the worst domain keeps.
	leastBudget = 200
)

func (b Budget) orDefaults() Budget {
	if b.Base == 0 {
		b.Base = DefaultBudget
	}
	if b.Most == 0 {
		b.Most = DefaultMostBudget
	}
	return b
}

// budget returns how many URLs of a domain may be known.
func (d *domainRecord) budget(b Budget) uint64 {
	n := min(b.Base+perLinking*d.linking(), b.Most)
	answers := d.Fetched + d.Failed + d.Gone
	if answers < judgedFrom {
		return n
	}
	worthless := d.Duplicates + d.Failed + d.Gone
	if worthless*100 <= answers*tolerated {
		return n
	}
	// By the square: a site of which half is worth something gets a quarter.
	useful := (answers - worthless) * 1000 / answers
	return max(n*useful*useful/1_000_000, leastBudget)
}

// linkedFrom notes that a page of another domain links here. It remembers
// groups of domains, so the count is a lower bound beyond a few dozen.
func (d *domainRecord) linkedFrom(own, other crawl.Domain) {
	if other == "" || other == own || d.Inlinks == 1<<64-1 {
		return
	}
	hash := bloom.HashOf(string(other))
	d.Inlinks |= 1 << (hash[0] & 63)
}

// linking returns about how many other domains link here, 64 at most.
func (d *domainRecord) linking() uint64 { return uint64(bits.OnesCount64(d.Inlinks)) }

// keepsOut returns the limit that keeps one URL more of a domain from being taken in.
func (m *machine) keepsOut(name crawl.Domain, d *domainRecord, u crawl.URL, foreign bool) (Limit, error) {
	budget := d.budget(m.cfg.Budget)
	switch {
	case d.Parked:
		return LimitRetired, nil
	case m.isFull():
		return LimitFull, nil
	case d.Known >= budget:
		return LimitBudget, nil
	case foreign && d.Foreign >= budget/2: // else whoever lists pages that a site does not have uses up its budget
		return LimitForeign, nil
	}
	if ok, err := m.takeShape(name, u); err != nil || !ok {
		return LimitShape, err
	}
	return LimitNone, nil
}

// isFull reports whether the frontier has as many tasks as it may. Those of
// retired domains count apart, up to as many again: else a few large ones would keep
// everything else out for a month.
func (m *machine) isFull() bool {
	t := &m.meta.Totals
	return t.Queued-min(t.Parked, maxQueued) >= maxQueued
}

// shapeLimits are how many URLs of one path with two, three, and more query
// parameters are taken in: forums and wikis need two, whoever combines more is
// a machine. With one or none the budget of the domain is all.
var shapeLimits = [...]uint16{2000, 500, 100}

// takeShape counts a URL with parameters against the limit of its path.
func (m *machine) takeShape(name crawl.Domain, u crawl.URL) (bool, error) {
	path, query, _ := strings.Cut(u.Path(), "?")
	class := strings.Count(query, "&") - 1
	if class < 0 {
		return true, nil
	}
	class = min(class, len(shapeLimits)-1)
	key := pageKey(name, u.Host()+path)
	counts := bytes.Clone(m.b.shapes.Get(key))
	if len(counts) != 2*len(shapeLimits) {
		counts = make([]byte, 2*len(shapeLimits))
	}
	n := binary.BigEndian.Uint16(counts[2*class:])
	if n >= shapeLimits[class] {
		return false, nil
	}
	binary.BigEndian.PutUint16(counts[2*class:], n+1)
	return true, m.b.shapes.Put(key, counts)
}

// repeat is a payload that came under several URLs of a domain.
type repeat struct {
	_      struct{} `cbor:",toarray"`
	Digest []byte   // its first bytes
	Count  uint32
}

const (
	// maxRepeats is how many repeated payloads a domain remembers.
	maxRepeats = 8
	// repeatLimit is how often a payload may come before it is taken for what
	// the site says to everything it does not know: a soft 404.
	repeatLimit = 4
	repeatBytes = 8
)

// isRepeat counts a duplicate and reports whether its links should not be
// followed: the same page under many addresses leads to as many addresses more.
// The rarest of the payloads remembered makes room for a new one.
func (m *machine) isRepeat(d *domainRecord, s *Settle, value []byte) bool {
	if s.Result != crawl.Fetched || !s.Duplicate || len(s.Digest) < repeatBytes || taskKind(value[1]).isRevisit() {
		return false
	}
	digest := s.Digest[:repeatBytes]
	i := slices.IndexFunc(d.Repeats, func(r repeat) bool { return bytes.Equal(r.Digest, digest) })
	if i < 0 {
		if i = len(d.Repeats); i < maxRepeats {
			d.Repeats = append(d.Repeats, repeat{})
		} else {
			i = 0
			for j, r := range d.Repeats {
				if r.Count < d.Repeats[i].Count {
					i = j
				}
			}
			d.Repeats[i].Count = 0 // what is forgotten may come back; its links were few
		}
		d.Repeats[i].Digest = bytes.Clone(digest)
	}
	d.Repeats[i].Count++
	return d.Repeats[i].Count >= repeatLimit
}
