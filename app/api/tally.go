package api

import (
	"cmp"
	"maps"
	"slices"
)

// Sum sets the totals, and makes lists and maps of what is nil.
func (s *Series) Sum() {
	if s.Points == nil {
		s.Points = []Point{}
	}
	s.Totals = Tally{}
	for i := range s.Points {
		p := &s.Points[i].Tally
		if p.Languages == nil {
			p.Languages = map[string]int64{}
		}
		s.Totals.add(p)
	}
	s.Totals.Languages = boundLanguages(s.Totals.Languages)
}

// add adds what was counted in another time.
func (t *Tally) add(u *Tally) {
	for i, n := range t.fields() {
		*n += *u.fields()[i]
	}
	if len(u.Languages) > 0 && t.Languages == nil {
		t.Languages = make(map[string]int64, len(u.Languages))
	}
	for name, n := range u.Languages {
		t.Languages[name] += n
	}
}

// fields are all that are numbers.
func (t *Tally) fields() [18]*int64 {
	c := &t.Counts
	return [...]*int64{
		&c.Pages, &c.Duplicates, &c.Firsts, &c.Redirects, &c.Unchanged, &c.Gone, &c.Failed, &c.Forbidden, &c.Found,
		&c.Links, &c.HelpedS,
		&c.BytesReceived, &c.BytesSent, &c.PeerReceived, &c.PeerSent, &t.Domains, &c.Connects, &c.ConnectMs,
	}
}

// MaxLanguages is how many languages a Tally tells apart.
const MaxLanguages = 64

// boundLanguages keeps the most frequent, and the rest together.
func boundLanguages(all map[string]int64) map[string]int64 {
	bounded := make(map[string]int64, min(len(all), MaxLanguages+1))
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b], all[a]), cmp.Compare(a, b))
	})
	own := 0
	for _, name := range names {
		if name != OtherLanguages && own < MaxLanguages {
			bounded[name] = all[name]
			own++
			continue
		}
		bounded[OtherLanguages] += all[name]
	}
	return bounded
}
