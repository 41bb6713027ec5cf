package wire

import (
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// MaxTasks is the most tasks of a lease.
	MaxTasks = 128
	// MaxRef is the longest ID of a task, in bytes.
	MaxRef = 600
	// MaxPlace is the longest name of a place, in bytes.
	MaxPlace = 16
	// MaxLoads is of how many fetchers a leader tells.
	MaxLoads = 32
	// maxTaskBytes bounds the URLs of one lease.
	maxTaskBytes = MaxTasks * crawl.MaxURL
)

// Ask says how many leases the sender would take now. What it is not granted
// at once is remembered for a while.
type Ask struct {
	_     struct{} `cbor:",toarray"`
	Slots uint16
	Most  uint16 // how many it would have at a time, those that it has included
	Place string // where it is, as far as it tells
	Lent  []Load // whom it lends sites to, those with the most
}

// Load says how many sites a leader has lent to a fetcher, which is told by a hash of its ID.
type Load struct {
	_       struct{} `cbor:",toarray"`
	Fetcher uint32
	Sites   uint16
}

func (a *Ask) validate() error {
	if len(a.Place) > MaxPlace || len(a.Lent) > MaxLoads {
		return invalid("place of %d bytes, %d loads", len(a.Place), len(a.Lent))
	}
	return nil
}

// Lease is a crawl.Lease on the wire. Its times are durations: who receives it
// counts from when it asked.
type Lease struct {
	_      struct{} `cbor:",toarray"`
	ID     crawl.LeaseID
	Domain crawl.Domain
	ForMs  int64
	GapMs  int64
	// Depth is that of the first task; Tasks are their URLs by AppendLinks, Refs
	// their IDs by appendTexts.
	Depth    uint8
	Tasks    []byte
	Refs     []byte
	Attempts []byte // of each task, nothing if all are new
	Priors   []Prior
}

// Prior is the last visit of a task that is visited again.
type Prior struct {
	_            struct{} `cbor:",toarray"`
	Index        uint8
	Date         int64 // Unix seconds
	Digest       []byte
	ETag         string
	LastModified modified
}

func (l *Lease) validate() error {
	if err := checkDomain(l.Domain); err != nil {
		return err
	}
	if err := checkMillis(l.ForMs); err != nil {
		return err
	}
	if err := checkMillis(l.GapMs); err != nil {
		return err
	}
	if l.ID == 0 || l.ForMs == 0 {
		return invalid("lease %d for %d ms", l.ID, l.ForMs)
	}
	if len(l.Attempts) > MaxTasks || len(l.Priors) > MaxTasks {
		return invalid("lease with %d attempts and %d visits", len(l.Attempts), len(l.Priors))
	}
	for _, p := range l.Priors {
		if len(p.Digest) != 0 && len(p.Digest) != 20 || len(p.ETag) > crawl.MaxValidator ||
			len(p.LastModified.text) > crawl.MaxValidator ||
			p.Date < 0 || p.Date > maxModified {
			return invalid("last visit of task %d", p.Index)
		}
	}
	return nil
}

// LeaseOf returns a lease as it goes over the wire.
func LeaseOf(l crawl.Lease) Lease {
	w := Lease{ID: l.ID, Domain: l.Domain, ForMs: l.For.Milliseconds(), GapMs: l.Gap.Milliseconds()}
	links := make([]crawl.Outlink, len(l.Tasks))
	attempts, refs := make([]byte, len(l.Tasks)), make([]string, len(l.Tasks))
	for i, t := range l.Tasks {
		refs[i] = string(t.ID)
		links[i] = crawl.Outlink{URL: t.URL, Depth: t.Depth, Redirects: t.Redirects,
			Priority: crawl.PriorityNormal, Source: t.Source}
		if attempts[i] = t.Attempts; t.Attempts > 0 {
			w.Attempts = attempts
		}
		if p := t.Prior; p != nil {
			prior := Prior{Index: uint8(i), Date: p.Date.Unix(), ETag: p.ETag, LastModified: modified{p.LastModified}}
			if p.Digest != ([20]byte{}) {
				prior.Digest = p.Digest[:]
			}
			w.Priors = append(w.Priors, prior)
		}
	}
	if len(links) > 0 {
		w.Depth = links[0].Depth
	}
	w.Tasks = AppendLinks(nil, w.Depth, links)
	w.Refs = appendTexts(nil, refs)
	return w
}

// DecodeLease reads a lease. The error wraps ErrInvalid.
func DecodeLease(raw []byte) (crawl.Lease, error) {
	w, err := Decode[Lease](raw)
	if err != nil {
		return crawl.Lease{}, err
	}
	return w.Lease()
}

// Lease returns the lease. All tasks are of its domain and of one origin. The error
// wraps ErrInvalid.
func (w *Lease) Lease() (crawl.Lease, error) {
	l := crawl.Lease{
		ID: w.ID, Domain: w.Domain, For: time.Duration(w.ForMs) * time.Millisecond,
		Gap: time.Duration(w.GapMs) * time.Millisecond,
	}
	links, err := ParseLinks(w.Tasks, w.Depth, MaxTasks, maxTaskBytes)
	if err != nil {
		return l, err
	}
	refs, err := parseTexts(w.Refs, MaxTasks, MaxRef)
	if err != nil {
		return l, err
	}
	if len(links) == 0 || len(refs) != len(links) || len(w.Attempts) != 0 && len(w.Attempts) != len(links) {
		return l, invalid("lease of %d tasks with %d IDs and %d attempts", len(links), len(refs), len(w.Attempts))
	}
	l.Tasks = make([]crawl.Task, len(links))
	for i, o := range links {
		if o.URL.Domain() != w.Domain || o.URL.Origin() != links[0].URL.Origin() {
			return l, invalid("task %.200q of %s", o.URL, w.Domain)
		}
		l.Tasks[i] = crawl.Task{ID: crawl.TaskID(refs[i]), URL: o.URL, Depth: o.Depth, Redirects: o.Redirects,
			Source: o.Source}
		if len(w.Attempts) > 0 {
			l.Tasks[i].Attempts = w.Attempts[i]
		}
	}
	for _, p := range w.Priors {
		if int(p.Index) >= len(l.Tasks) {
			return l, invalid("last visit of task %d of %d", p.Index, len(l.Tasks))
		}
		prior := &crawl.Prior{Date: time.Unix(p.Date, 0), ETag: p.ETag, LastModified: p.LastModified.text}
		copy(prior.Digest[:], p.Digest)
		l.Tasks[p.Index].Prior = prior
	}
	return l, nil
}
