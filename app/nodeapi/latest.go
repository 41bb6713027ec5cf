package nodeapi

import (
	"cmp"
	"container/list"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
)

// maxLatest is how many domains are remembered as fetched last.
const maxLatest = api.MaxRingDomains

// latest remembers the domains of this node of which pages were fetched last, and
// when. The zero value knows none.
type latest struct {
	mu      sync.Mutex
	order   list.List // of latestDomain, the latest first
	domains map[crawl.Domain]*list.Element
}

// latestDomain is one of them. Its time is zero if it is not known. Its language is that of the latest page that says
// which it is in.
type latestDomain struct {
	domain   crawl.Domain
	at       time.Time
	language string
}

// note remembers that a page of a domain was fetched.
func (l *latest) note(x latestDomain) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.domains[x.domain]; e != nil {
		x.language = cmp.Or(x.language, e.Value.(latestDomain).language)
		e.Value = x
		l.order.MoveToFront(e)
		return
	}
	l.insert(x.domain, l.order.PushFront(x))
}

// addOld remembers domains that were fetched before those it knows, as far as there is room. Of those it knows it
// remembers the language, if there was none.
func (l *latest) addOld(domains []latestDomain) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range domains {
		if e := l.domains[x.domain]; e != nil {
			known := e.Value.(latestDomain)
			known.language = cmp.Or(known.language, x.language)
			e.Value = known
		} else if l.order.Len() < maxLatest {
			l.insert(x.domain, l.order.PushBack(x))
		}
	}
}

// insert is told of an element that is new. l.mu is held.
func (l *latest) insert(d crawl.Domain, e *list.Element) {
	if l.domains == nil {
		l.domains = make(map[crawl.Domain]*list.Element)
	}
	l.domains[d] = e
	if l.order.Len() > maxLatest {
		last := l.order.Remove(l.order.Back()).(latestDomain)
		delete(l.domains, last.domain)
	}
}

// keepOnly forgets all but the given ones, of a list that all returned before.
func (l *latest) keepOnly(kept map[crawl.Domain]bool, of []latestDomain) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range of {
		if e := l.domains[x.domain]; e != nil && !kept[x.domain] && e.Value.(latestDomain) == x {
			l.order.Remove(e)
			delete(l.domains, x.domain)
		}
	}
}

// all returns what is remembered, the latest first.
func (l *latest) all() []latestDomain {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]latestDomain, 0, l.order.Len())
	for e := l.order.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(latestDomain))
	}
	// Outcomes of others come later than they happened.
	slices.SortStableFunc(all, func(a, b latestDomain) int { return b.at.Compare(a.at) })
	return all
}
