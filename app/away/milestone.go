package away

import "slices"

// Milestone is a round number that was reached, or a first page in a language. Day is the one on which it was, 0 if
// that is not said; days are numbered from 1970.
type Milestone struct {
	Kind     Kind   `cbor:"1,keyasint"`
	Count    uint64 `cbor:"2,keyasint,omitempty"`
	Language string `cbor:"3,keyasint,omitempty"`
	Day      uint64 `cbor:"4,keyasint,omitempty"`
}

// Kind says what is counted. It is written to disk.
type Kind string

// The kinds.
const (
	Pages    Kind = "pages"    // fetched
	Sites    Kind = "sites"    // that became this node's to look after
	Days     Kind = "days"     // on which the node helped
	Years    Kind = "years"    // since the first of them
	Language Kind = "language" // a first page in one
)

// Marks are what milestones are counted of, up to some time.
type Marks struct {
	Pages, Sites, Days, Years uint64
	// Languages are the codes of those that there were pages in.
	Languages []string
}

// rounds are the numbers that are told of each kind; of years, each is.
var rounds = map[Kind][]uint64{
	Pages: {100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000},
	Sites: {10, 100, 1000, 10_000, 100_000, 1_000_000},
	Days:  {7, 30, 100, 365, 1000},
}

// Reached returns the milestones that lie between two marks, the first of them not with it.
func Reached(from, to Marks) (list []Milestone) {
	for _, c := range []struct {
		kind     Kind
		from, to uint64
	}{{Pages, from.Pages, to.Pages}, {Sites, from.Sites, to.Sites}, {Days, from.Days, to.Days}} {
		for _, n := range rounds[c.kind] {
			if c.from < n && n <= c.to {
				list = append(list, Milestone{Kind: c.kind, Count: n})
			}
		}
	}
	if to.Years > from.Years {
		list = append(list, Milestone{Kind: Years, Count: to.Years})
	}
	for _, l := range to.Languages {
		if !slices.Contains(from.Languages, l) {
			list = append(list, Milestone{Kind: Language, Language: l})
		}
	}
	return list
}
