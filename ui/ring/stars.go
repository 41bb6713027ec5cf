package ring

import (
	"cmp"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
)

// mostStars are drawn at most; those that were not visited for longest give way.
const mostStars = 2000

// longestName is the length in bytes of a domain name, beyond which nothing is one.
const longestName = 253

// star is a site of this node.
type star struct {
	at      float64
	domain  string
	fetched int64
	// last is when a page was fetched last, zero if that is not known.
	last time.Time
	// language is that of the latest page of which one is known, "" if none is.
	language string
	// turn grows with each visit: the lowest was not visited for longest.
	turn uint64
}

// stars are the sites of this node: as the node listed them, and as events say since.
type stars struct {
	all   []star
	index map[string]int
	turn  uint64
}

// list takes a new list, the latest visited first. What an event told later than the list is kept.
func (s *stars) list(domains []api.RingDomain) {
	before, index := s.all, s.index
	s.all = make([]star, 0, min(len(domains), mostStars))
	s.index = make(map[string]int, cap(s.all))
	for _, d := range domains[:min(len(domains), mostStars)] {
		if _, twice := s.index[d.Domain]; twice || !known(d.At) || len(d.Domain) > longestName {
			continue
		}
		next := star{at: d.At, domain: d.Domain, fetched: max(0, d.Fetched)}
		next.language = d.Language[:min(len(d.Language), 3)]
		if d.Last != nil {
			next.last = *d.Last
		}
		if i, ok := index[d.Domain]; ok && before[i].last.After(next.last) {
			next.last, next.language = before[i].last, cmp.Or(before[i].language, next.language)
		}
		s.add(next)
	}
	s.takeTurns()
}

// takeTurns orders who gives way first: the one that was visited before the others.
func (s *stars) takeTurns() {
	for i := range s.all {
		// Nanoseconds since 1970 grow as turns do, and what was never visited comes first.
		s.all[i].turn = uint64(max(0, s.all[i].last.UnixNano()))
		if s.all[i].last.IsZero() {
			s.all[i].turn = 0
		}
		s.turn = max(s.turn, s.all[i].turn)
	}
}

// note takes what came of a visit to an own site; the answer is whether anything changed.
func (s *stars) note(e *api.Event) bool {
	if e.Code == api.CodeDomainLeft {
		return s.remove(e.Domain)
	}
	if e.Code != api.CodeFetched && e.Code != api.CodeUnchanged {
		return false
	}
	if e.Peer != "" || !known(e.At) || len(e.Domain) > longestName {
		return false
	}
	i, ok := s.index[e.Domain]
	if !ok {
		if len(s.all) >= mostStars {
			s.remove(slices.MinFunc(s.all, func(a, b star) int { return cmp.Compare(a.turn, b.turn) }).domain)
		}
		i = s.add(star{at: e.At, domain: e.Domain})
	}
	at := &s.all[i]
	if e.Time.After(at.last) { // the list has counted what came before
		if e.Code == api.CodeFetched {
			at.fetched++
			at.language = cmp.Or(e.Language[:min(len(e.Language), 3)], at.language)
		}
		at.last = e.Time
	}
	s.turn++
	at.turn = s.turn
	return true
}

func (s *stars) add(next star) int {
	if s.index == nil {
		s.index = map[string]int{}
	}
	s.index[next.domain] = len(s.all)
	s.all = append(s.all, next)
	return len(s.all) - 1
}

func (s *stars) remove(domain string) bool {
	i, ok := s.index[domain]
	if !ok {
		return false
	}
	end := len(s.all) - 1
	s.all[i] = s.all[end]
	s.index[s.all[i].domain] = i
	s.all[end] = star{}
	s.all = s.all[:end]
	delete(s.index, domain)
	return true
}

// visited says whether there is a site of which a page was fetched.
func (s *stars) visited() bool {
	return slices.ContainsFunc(s.all, func(x star) bool { return x.fetched > 0 })
}

// get returns the star of a domain, nil if it has none. It holds until the next change.
func (s *stars) get(domain string) *star {
	if i, ok := s.index[domain]; ok {
		return &s.all[i]
	}
	return nil
}

// depth is at which part of the radius a domain is.
func (s *stars) depth(domain string) float64 {
	if at := s.get(domain); at != nil {
		return depth(at.fetched)
	}
	return depth(0)
}
