// Package away keeps what a node fetched while nobody was there, so that whoever comes back can be told.
//
// Somebody is there at moments: of an input, or of a look at window or dashboard. Least without one is an absence. A
// Record is about the time since the last such moment. It is a value: it is read, added to and written in the
// transaction that counts what it is about.
package away

import (
	"hash/fnv"
	"slices"
	"time"
)

const (
	// Least is how long nobody must have been there for it to be an absence: less is a break, of a few pages.
	Least = time.Hour
	// MaxSites bounds the sites that are told apart. The record is written with each commit: it has some 5 kB then.
	MaxSites = 1000
	// maxLanguages is more than there are in any absence but a liar's.
	maxLanguages = 64
	// maxText bounds titles, addresses and names that are kept, in bytes.
	maxText = 2048
)

// Record is what was fetched in some time.
type Record struct {
	// Since is when somebody was there last, Until when somebody came back; Unix seconds, 0 if nobody did yet.
	Since int64 `cbor:"1,keyasint"`
	Until int64 `cbor:"2,keyasint,omitempty"`
	// Pages counts pages fetched, Firsts those that nobody in the network had fetched before.
	Pages  uint64 `cbor:"3,keyasint,omitempty"`
	Firsts uint64 `cbor:"4,keyasint,omitempty"`
	// Sites are hashes of the domains of pages, at most MaxSites; More says that there were others.
	Sites []uint32 `cbor:"5,keyasint,omitempty"`
	More  bool     `cbor:"6,keyasint,omitempty"`
	// Languages are the codes of the languages that pages said they are in.
	Languages []string `cbor:"7,keyasint,omitempty"`
	// First is the newest of Firsts, one with a title if there is any.
	First Page `cbor:"8,keyasint,omitzero"`
	// Far is the domain that took longest to connect to, and FarMs how long, in milliseconds; "" if none was measured.
	Far   string `cbor:"9,keyasint,omitempty"`
	FarMs uint64 `cbor:"10,keyasint,omitempty"`
	// Reached are milestones that were reached meanwhile, at most maxReached.
	Reached []Milestone `cbor:"11,keyasint,omitempty"`
}

// maxReached bounds Record.Reached.
const maxReached = 16

// Reach notes a milestone.
func (r *Record) Reach(m Milestone) {
	if len(r.Reached) < maxReached {
		r.Reached = append(r.Reached, m)
	}
}

// Page is a page that was fetched.
type Page struct {
	URL    string `cbor:"1,keyasint,omitempty"`
	Domain string `cbor:"2,keyasint,omitempty"`
	Title  string `cbor:"3,keyasint,omitempty"`
}

// Fetched is a page that was fetched just now.
type Fetched struct {
	Page
	Language string // its code, "" if it says none
	First    bool
	Connect  time.Duration // 0 if that was not measured
}

// Add counts a page.
func (r *Record) Add(f Fetched) {
	r.Pages++
	h := fnv.New32a()
	h.Write([]byte(f.Domain))
	if site := h.Sum32(); !slices.Contains(r.Sites, site) {
		if len(r.Sites) < MaxSites {
			r.Sites = append(r.Sites, site)
		} else {
			r.More = true
		}
	}
	if f.Language != "" && len(r.Languages) < maxLanguages && !slices.Contains(r.Languages, f.Language) {
		r.Languages = append(r.Languages, f.Language)
	}
	if f.First {
		r.Firsts++
		if small := len(f.URL) <= maxText && len(f.Title) <= maxText; small && (f.Title != "" || r.First.Title == "") {
			r.First = f.Page
		}
	}
	if ms := uint64(f.Connect.Milliseconds()); ms > r.FarMs && len(f.Domain) <= maxText {
		r.Far, r.FarMs = f.Domain, ms
	}
}

// IsReturn reports whether somebody who is there at a time was away before, if somebody was there last at last.
func IsReturn(last, at time.Time) bool { return at.Sub(last) >= Least }
