package frontier

import "fmt"

// Mended is one kind of damage that Repair has met.
type Mended struct {
	// Count is how often, 1 at least.
	Count int
	// Found names what was wrong, in the plural; Done says what was done about it.
	Found, Done string
}

// String returns for example "damaged tasks in the queue: 3, dropped".
func (m Mended) String() string { return fmt.Sprintf("%s: %d, %s", m.Found, m.Count, m.Done) }

// trouble is a kind of damage.
type trouble uint8

const (
	uncounted trouble = iota
	missingBucket
	damagedMeta
	damagedFilter
	damagedShape
	damagedPage
	damagedTask
	oddTask
	doubledVisit
	strayVisit
	wrongQueued
	damagedClock
	lostClock
	wrongReady
	damagedDomain
	wrongDomainCount
	wrongLease
	wrongLeaseTask
	wrongDue
	strayLater
	lostLater
	lostKnown
	lowNumber
	wrongTotals
	damagedLink
	strayAside
	wrongMove
	damagedSlot
	wrongSlot
	troubles
)

// words say what was found and what is done about it.
func (t trouble) words() (found, done string) {
	switch t {
	case missingBucket:
		return "missing parts of the log", "made anew, empty"
	case damagedMeta:
		return "damaged head of the log", "made anew from the rest"
	case damagedFilter:
		return "damaged blocks of filters", "dropped; what they alone knew may be visited again"
	case damagedShape:
		return "damaged counts of URLs with parameters", "begun anew"
	case damagedPage:
		return "damaged records of pages", "dropped; those pages are not visited again"
	case damagedTask:
		return "damaged tasks in the queue", "dropped"
	case oddTask:
		return "tasks whose URL was spelt in an old way", "spelt anew"
	case doubledVisit:
		return "pages queued twice for another visit", "one visit of each kept"
	case strayVisit:
		return "tasks for another visit of a page without record", "made first visits"
	case wrongQueued:
		return "pages with a wrong note of being queued", "corrected"
	case damagedClock:
		return "damaged times of next visits", "begun anew"
	case lostClock:
		return "domains without a time of the next visit", "left alone for a while first"
	case wrongReady:
		return "hosts wrongly in or missing from the list of those ready", "corrected"
	case damagedDomain:
		return "damaged or missing records of domains", "made anew from queue and pages, or dropped"
	case wrongDomainCount:
		return "domains with wrong counts", "counted again"
	case wrongLease:
		return "leases that only the domain or only the list knew", "made to agree"
	case wrongLeaseTask:
		return "leased tasks that were not queued", "taken out of the lease"
	case wrongDue:
		return "places wrongly in or missing from the order of visits", "corrected"
	case strayLater:
		return "visits planned of nothing that is known", "dropped"
	case lostLater:
		return "pages and domains whose next visit was not planned", "planned"
	case lostKnown:
		return "known URLs missing from the filters", "put back"
	case lowNumber:
		return "wrong numbers for the next task or lease", "corrected"
	case wrongTotals:
		return "wrong totals", "counted again"
	case damagedLink:
		return "damaged links to domains of other members", "dropped"
	case strayAside:
		return "damaged notes of domains that move here, or of none that does", "dropped; such pages may be found and visited again"
	case damagedSlot:
		return "damaged records of who visits which address", "made anew; such an address is left alone for a while"
	case wrongSlot:
		return "notes of who visits which address that did not agree", "corrected"
	case wrongMove:
		return "notes of domains that move or have moved which do not agree", "corrected; a move that cannot go on is declined"
	}
	return "", ""
}

// report returns what was found.
func (r *repairer) report() []Mended {
	var list []Mended
	for t := uncounted + 1; t < troubles; t++ {
		if n := r.found[t]; n > 0 {
			m := Mended{Count: n}
			m.Found, m.Done = t.words()
			list = append(list, m)
		}
	}
	return list
}
