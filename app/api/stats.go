package api

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// Counter is the part of a Node that counts what it did. All of it is counted with what it is about: what is settled is
// in here, and nothing else. Hours are of UTC, days and years too unless a zone is given.
type Counter interface {
	// Stats returns the totals, and the last hours in which something happened, at most so many; 0 is none.
	Stats(ctx context.Context, hours int) (Stats, error)
	// Series returns the newest points that a query asks for, oldest first.
	Series(ctx context.Context, q SeriesQuery) (Series, error)
	// Best returns what stands out, by the days of a zone; nil is UTC.
	Best(ctx context.Context, zone *time.Location) (Best, error)
}

// Counts are what a node did in some time.
type Counts struct {
	// Pages counts pages fetched; Duplicates are those whose content was known.
	Pages      int64 `json:"pages"`
	Duplicates int64 `json:"duplicates"`
	// Firsts counts pages whose URL nobody had fetched before, by what the log of its domain
	// knows, and whose content this node had not archived before under another URL. Domains that came
	// from others bring their history with them; where that was lost, a page may be a first twice.
	Firsts    int64 `json:"firsts"`
	Redirects int64 `json:"redirects"`
	// Unchanged counts pages visited again that were as before, Gone answers
	// with no page: 404 and the like, and what is no text.
	Unchanged int64 `json:"unchanged"`
	Gone      int64 `json:"gone"`
	// Failed counts requests that came to nothing, Forbidden URLs that robots.txt keeps us from.
	Failed    int64 `json:"failed"`
	Forbidden int64 `json:"forbidden"`
	// Found counts URLs seen for the first time, Links the links of pages fetched, without repeats within a page.
	Found int64 `json:"found"`
	Links int64 `json:"links"`
	// HelpedS counts the seconds in which the node was allowed to work and a request was in flight or a domain leased.
	HelpedS int64 `json:"helped_s"`
	// BytesReceived and BytesSent are of sites, PeerReceived and PeerSent of other nodes and of what finds them.
	BytesReceived int64 `json:"bytes_received"`
	BytesSent     int64 `json:"bytes_sent"`
	PeerReceived  int64 `json:"peer_received"`
	PeerSent      int64 `json:"peer_sent"`
	// Connects counts connections to sites, ConnectMs is what it took to open them, all together: how far away they
	// were.
	Connects  int64 `json:"connects"`
	ConnectMs int64 `json:"connect_ms"`
}

// Hour is what a node did in one hour.
type Hour struct {
	// Start is on the hour, in UTC.
	Start time.Time `json:"start"`
	Counts
}

// Stats are counts over time.
type Stats struct {
	// Hours are the last hours in which something happened, oldest first.
	Hours []Hour `json:"hours"`
	// Totals are since ever.
	Totals Counts `json:"totals"`
}

// Unit is what a Point is of.
type Unit string

const (
	UnitHour Unit = "hour" // kept for 400 days
	UnitDay  Unit = "day"  // kept for ever, as years are
	UnitYear Unit = "year"
)

// MaxHours are all hours that are kept.
const MaxHours = 400 * 24

// SeriesQuery asks for points.
type SeriesQuery struct {
	Unit Unit
	// From is the start of the first point at the earliest, To comes after the start of the last; zero means no bound.
	From, To time.Time
	// Limit is how many points are returned at most, 1 to 1000: the newest.
	Limit int
	// Zone has days and years be those of a time zone; each starts at the midnight of UTC of its date. Nil is UTC.
	Zone *time.Location
}

// Tally is Counts with what is counted by the name.
type Tally struct {
	Counts
	// Domains counts domains that became this node's: first heard of, or come from others.
	Domains int64 `json:"domains"`
	// Languages counts pages fetched that say what language they are in, by its ISO 639 code. There
	// are at most 65; the rest is OtherLanguages.
	Languages map[string]int64 `json:"languages"`
}

// OtherLanguages is the key of Tally.Languages for those that have no place of their own.
const OtherLanguages = "other"

// Point is what a node did in one hour, day or year.
type Point struct {
	// Start is in UTC.
	Start time.Time `json:"start"`
	Tally
}

// Series are points over time.
type Series struct {
	Unit Unit `json:"unit"`
	// Points are those in which something happened, oldest first.
	Points []Point `json:"points"`
	// Totals are the sum of the points.
	Totals Tally `json:"totals"`
}

// Best is what stands out of what a node did. Each of its days starts at the midnight of UTC of its date.
type Best struct {
	// FirstPage is the first that was ever fetched and settled, nil if there is none or it is
	// older than what is kept of it.
	FirstPage *FirstPage `json:"first_page"`
	// BusiestDay is the day with the most pages, nil if there is none.
	BusiestDay *BusiestDay `json:"busiest_day"`
	// DaysHelped counts days on which something was fetched or the node was at work, StreakDays those of
	// them in a row that end today or yesterday.
	DaysHelped int64 `json:"days_helped"`
	StreakDays int64 `json:"streak_days"`
	// Milestones are the newest that were reached, the newest first; 100 at most.
	Milestones []Milestone `json:"milestones"`
}

// Milestone is a round number that was reached, or a first page in a language.
type Milestone struct {
	// Kind is "pages", "sites" (to look after), "days" (on which the node helped), "years" or "language". New ones may
	// be added.
	Kind string `json:"kind"`
	// Count is the number, 0 of a language. Language is its ISO 639 code, else "".
	Count    int64  `json:"count"`
	Language string `json:"language"`
	// Day is the one on which it was reached, nil in the report of an absence.
	Day *time.Time `json:"day"`
}

// FirstPage is a page that was fetched.
type FirstPage struct {
	Time time.Time `json:"time"`
	URL  string    `json:"url"`
	// Title is "" if it has none.
	Title string `json:"title"`
}

// BusiestDay is a day and its pages.
type BusiestDay struct {
	Start time.Time `json:"start"`
	Pages int64     `json:"pages"`
}

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
