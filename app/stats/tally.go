package stats

import (
	"cmp"
	"maps"
	"slices"

	"golang.org/x/text/language"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
)

// tally counts what this node did in some time.
type tally struct {
	Pages        uint64            `cbor:"1,keyasint,omitempty"`
	Duplicates   uint64            `cbor:"2,keyasint,omitempty"`
	Redirects    uint64            `cbor:"3,keyasint,omitempty"`
	Failed       uint64            `cbor:"4,keyasint,omitempty"`
	Forbidden    uint64            `cbor:"5,keyasint,omitempty"`
	Received     uint64            `cbor:"6,keyasint,omitempty"` // bytes of sites
	Sent         uint64            `cbor:"7,keyasint,omitempty"`
	Found        uint64            `cbor:"8,keyasint,omitempty"` // URLs seen for the first time
	Unchanged    uint64            `cbor:"9,keyasint,omitempty"`
	Gone         uint64            `cbor:"10,keyasint,omitempty"` // answered, but with no page
	Firsts       uint64            `cbor:"11,keyasint,omitempty"`
	Links        uint64            `cbor:"12,keyasint,omitempty"`
	Helped       uint64            `cbor:"13,keyasint,omitempty"` // seconds
	PeerReceived uint64            `cbor:"14,keyasint,omitempty"` // bytes of other nodes
	PeerSent     uint64            `cbor:"15,keyasint,omitempty"`
	Domains      uint64            `cbor:"16,keyasint,omitempty"` // that became this node's
	Languages    map[string]uint64 `cbor:"17,keyasint,omitempty"`
	Connects     uint64            `cbor:"18,keyasint,omitempty"` // connections to sites
	ConnectMs    uint64            `cbor:"19,keyasint,omitempty"` // that these took, together
}

// numbers are all that are added up.
func (t *tally) numbers() [18]*uint64 {
	return [...]*uint64{
		&t.Pages, &t.Duplicates, &t.Redirects, &t.Failed, &t.Forbidden, &t.Received, &t.Sent, &t.Found,
		&t.Unchanged, &t.Gone,
		&t.Firsts, &t.Links, &t.Helped, &t.PeerReceived, &t.PeerSent, &t.Domains, &t.Connects, &t.ConnectMs,
	}
}

// see counts an outcome that was settled.
//
// A page is a first if the log of its domain knows of no visit before, and its payload was not in
// the archive of this node. What other logs had known is lost where theirs were.
func (t *tally) see(o *crawl.Outcome) {
	if o.Connect > 0 {
		t.Connects++
		t.ConnectMs += uint64(o.Connect.Milliseconds())
	}
	switch o.Result {
	case crawl.Fetched:
		t.Pages++
		t.Links += uint64(max(o.Links, 0))
		if o.Duplicate {
			t.Duplicates++
		} else if IsFirst(o) {
			t.Firsts++
		}
		if name := ShortLanguage(o.Language); name != "" {
			if t.Languages == nil {
				t.Languages = make(map[string]uint64)
			}
			t.Languages[name]++
		}
	case crawl.Unchanged:
		t.Unchanged++
	case crawl.Redirected:
		t.Redirects++
	case crawl.Forbidden:
		t.Forbidden++
	case crawl.Gone, crawl.Skipped:
		t.Gone++
	case crawl.Deferred, crawl.Declined:
		// nothing came of it, and nothing went wrong
	default:
		t.Failed++
	}
}

// add adds what was counted in another time.
func (t *tally) add(u *tally) {
	from := u.numbers()
	for i, n := range t.numbers() {
		*n += *from[i]
	}
	if len(u.Languages) > 0 && t.Languages == nil {
		t.Languages = make(map[string]uint64, len(u.Languages))
	}
	for _, name := range slices.Sorted(maps.Keys(u.Languages)) {
		t.speak(name, u.Languages[name])
	}
}

// speak counts pages in a language. When there is no place left, the rarest makes room for one that is
// not rarer: who makes languages up cannot keep those out that pages are in.
func (t *tally) speak(name string, pages uint64) {
	_, known := t.Languages[name]
	_, rest := t.Languages[api.OtherLanguages]
	own := len(t.Languages)
	if rest {
		own--
	}
	if known || name == api.OtherLanguages || own < api.MaxLanguages {
		t.Languages[name] += pages
		return
	}
	rarest := name
	for other, n := range t.Languages {
		if other == api.OtherLanguages || rarest == name && n > pages {
			continue
		}
		if rarest == name || cmp.Or(cmp.Compare(n, t.Languages[rarest]), cmp.Compare(rarest, other)) < 0 {
			rarest = other
		}
	}
	if rarest != name {
		t.Languages[api.OtherLanguages] += t.Languages[rarest]
		delete(t.Languages, rarest)
		t.Languages[name] = pages
		return
	}
	t.Languages[api.OtherLanguages] += pages
}

// takeOff takes off what is a part of t, and reports whether anything is left.
func (t *tally) takeOff(part *tally) (left bool) {
	from := part.numbers()
	for i, n := range t.numbers() {
		*n -= min(*n, *from[i])
		left = left || *n > 0
	}
	for name, pages := range part.Languages {
		if rest := t.Languages[name]; rest > pages {
			t.Languages[name] = rest - pages
		} else {
			delete(t.Languages, name)
		}
	}
	return left
}

// isHelp reports whether a day with these counts is one on which the node helped.
func (t *tally) isHelp() bool {
	return t.Helped+t.Pages+t.Unchanged+t.Redirects+t.Gone+t.Forbidden+t.Failed > 0
}

func (t *tally) counts() api.Counts {
	return api.Counts{
		Pages: int64(t.Pages), Duplicates: int64(t.Duplicates), Firsts: int64(t.Firsts), Redirects: int64(t.Redirects),
		Unchanged: int64(t.Unchanged), Gone: int64(t.Gone), Failed: int64(t.Failed), Forbidden: int64(t.Forbidden),
		Found: int64(t.Found), Links: int64(t.Links), HelpedS: int64(t.Helped), BytesReceived: int64(t.Received),
		BytesSent:    int64(t.Sent),
		PeerReceived: int64(t.PeerReceived), PeerSent: int64(t.PeerSent), Connects: int64(t.Connects),
		ConnectMs: int64(t.ConnectMs),
	}
}

func (t *tally) shown() api.Tally {
	a := api.Tally{Counts: t.counts(), Domains: int64(t.Domains), Languages: make(map[string]int64, len(t.Languages))}
	for name, n := range t.Languages {
		a.Languages[name] = int64(n)
	}
	return a
}

// ShortLanguage returns the ISO 639 code of what a page says its language is, by the rules of BCP 47: "pt" of
// "pt-BR", "de" of "DEU". It is "" for what is none.
func ShortLanguage(tag string) string {
	n := 0
	for n < len(tag) && tag[n] != '-' && tag[n] != '_' {
		n++
	}
	if n < 2 || n > 3 {
		return ""
	}
	base, err := language.ParseBase(tag[:n])
	if err != nil {
		return ""
	}
	switch name := base.String(); name {
	case "und", "mul", "mis", "zxx": // none, or more than one
		return ""
	default:
		return name
	}
}

// IsFirst reports whether a page was fetched that nobody in the network had fetched before: its owner knew of no
// visit, and its content was not known from elsewhere.
func IsFirst(o *crawl.Outcome) bool {
	return o.Result == crawl.Fetched && !o.Duplicate && o.Task.Prior == nil
}
