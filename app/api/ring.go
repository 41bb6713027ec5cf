package api

import (
	"context"
	"time"
)

// Circler is the part of a Node that knows the ring.
type Circler interface {
	// Ring returns the ring as it is now. It is cheap to call often.
	Ring(ctx context.Context) (Ring, error)
}

// Bounds of a Ring.
const (
	MaxRingPoints  = 4096
	MaxRingArcs    = 8192
	MaxRingDomains = 2000
)

// Ring is a picture of the ring: who owns which part of all keys. Places on it are the first 64 bits of a key as a
// fraction, 0 ≤ x < 1, with 9 digits; the last arc ends at 1.
type Ring struct {
	// Self is this node's ID.
	Self string `json:"self"`
	// Members own keys, this node first, whether it does or not, then the nearest, and at the end those of which
	// nobody knows how far they are.
	Members []RingMember `json:"members"`
	// Points are the members' points, in order: of more than MaxRingPoints all of this node, and some of the others.
	Points []RingPoint `json:"points"`
	// Arcs are the whole circle without gaps, in order; empty while nobody owns anything. Exact says that they are
	// exact to a millionth; where that would take more than MaxRingArcs, they are as at 4096 places.
	Arcs  []RingArc `json:"arcs"`
	Exact bool      `json:"exact"`
	// Domains are those of this node that were fetched last, the latest first, then others that it knows.
	Domains []RingDomain `json:"domains"`
	// Fill is which part of the bits of their Bloom filters is set, 0 to 1, as the first 256 tell; -1 if nothing does.
	Fill float64 `json:"fill"`
	// Version changes when Members, Points or Arcs do, except for who is connected.
	Version string `json:"version"`
}

// RingMember is a node that owns keys.
type RingMember struct {
	ID        string `json:"id"`
	Self      bool   `json:"self"`
	Connected bool   `json:"connected"`
	// Share is its part of the ring, 0 to 1, Capacity its units.
	Share    float64 `json:"share"`
	Capacity int64   `json:"capacity"`
	// AwayMs is the round trip between it and this node in milliseconds as their coordinates tell, -1 if they do
	// not, 0 for this node.
	AwayMs float64 `json:"away_ms"`
	// Bearing is in which direction it lies from this node where coordinates are shown in two dimensions, as a part
	// of a turn clockwise from the top, 0 ≤ Bearing < 1; -1 if nothing tells.
	Bearing float64 `json:"bearing"`
}

// RingPoint is a point of a member.
type RingPoint struct {
	At float64 `json:"at"`
	// Member is an index of the ring's members.
	Member int `json:"member"`
}

// RingArc is a part of the circle that one member owns: From ≤ x < To.
type RingArc struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Member int     `json:"member"`
}

// RingDomain is a domain of this node.
type RingDomain struct {
	At     float64 `json:"at"`
	Domain string  `json:"domain"`
	// Fetched counts pages.
	Fetched int64 `json:"fetched"`
	// Last is when a page of it was fetched last, nil if not since the start of the node.
	Last *time.Time `json:"last"`
	// Language is the ISO 639 code of what the latest page of it is in that says so, "" if none is known.
	Language string `json:"language"`
}
