package api

import (
	"context"
	"time"
)

// Gatherer is the part of a Node that knows the others of its network.
type Gatherer interface {
	// Peers returns what is known of them, in the language of ctx.
	Peers(ctx context.Context) (Peers, error)
	// Invitation returns a line that brings another computer here.
	Invitation(ctx context.Context) (Invitation, error)
	// Helping returns the domains of others that this node fetches now.
	Helping(ctx context.Context) ([]Domain, error)
}

// Peers are this node's place in its network, and the others it knows.
type Peers struct {
	// ID is this node's own.
	ID string `json:"id"`
	// Addrs are where it can be reached, to be given to others as --bootstrap.
	Addrs []string `json:"addrs"`
	// Reachability says in a sentence who can open a connection to it.
	Reachability string `json:"reachability"`
	// Invite is a line for "forage join" on another computer; that of a private network is told by /api/invite alone,
	// and "" here.
	Invite string `json:"invite"`
	// Private says that only who has the network's secret belongs to it.
	Private bool `json:"private"`
	// Alone says that no other member was found.
	Alone bool `json:"alone"`
	// Members counts those that own domains, this node among them.
	Members int64 `json:"members"`
	// Share is this node's part of the ring, 0 to 1.
	Share float64 `json:"share"`
	Peers []Peer  `json:"peers"`
	// Traffic is what was exchanged with other nodes since the start.
	Traffic []Traffic `json:"traffic"`
	// Shared counts what happened between this node and others since the start: "links sent", "leases lent", "domains
	// taken". Offences counts what was refused of others, by what was wrong with it.
	Shared   map[string]int64 `json:"shared"`
	Offences map[string]int64 `json:"offences"`
}

// Invitation is what brings another computer to this node's network.
type Invitation struct {
	// Invite is a line for "forage join". Who has that of a private network can join it and invite others.
	Invite string `json:"invite"`
	// Private says that the line holds the network's secret.
	Private bool `json:"private"`
}

// Traffic is what requests of one kind and their replies moved, as frames after compression, or what the streams of one
// protocol did. The former goes over the latter; encryption and packets come on top of both.
type Traffic struct {
	// Kind is that of requests ("report"), "" for those of a protocol.
	Kind string `json:"kind"`
	// Protocol is that of streams, "" for requests, and while a stream's protocol is being agreed on.
	Protocol string `json:"protocol"`
	// Sent and Received count frames, 0 for streams.
	Sent          int64 `json:"sent"`
	Received      int64 `json:"received"`
	BytesSent     int64 `json:"bytes_sent"`
	BytesReceived int64 `json:"bytes_received"`
}

// Peer is another node.
type Peer struct {
	ID string `json:"id"`
	// State says in plain words what it is: "owns and fetches", "leaving".
	State string `json:"state"`
	// Connection is "direct", "through a relay" or "none now".
	Connection string `json:"connection"`
	Addr       string `json:"addr"`
	// Reach says who can open a connection to it.
	Reach string `json:"reach"`
	// Capacity is in units of the ring, Share its part of it, 0 to 1.
	Capacity int64   `json:"capacity"`
	Share    float64 `json:"share"`
	// RTTMs is the time of a request there and back, 0 if unknown.
	RTTMs float64 `json:"rtt_ms"`
	// LeasesHeld counts its leases that this node works, LeasesLent those of this node that it works.
	LeasesHeld int64 `json:"leases_held"`
	LeasesLent int64 `json:"leases_lent"`
	// Outcomes counts what it reported of the domains that this node leads, Checks how much of that another was to
	// fetch again, ChecksAgreed how often that one found the same, ChecksAlone at how many sites within a week it stood
	// alone against two others.
	Outcomes     int64 `json:"outcomes"`
	Checks       int64 `json:"checks"`
	ChecksAgreed int64 `json:"checks_agreed"`
	ChecksAlone  int64 `json:"checks_alone"`
	// BarredUntil is until when this node lends it nothing because of that, nil if it lends.
	BarredUntil *time.Time `json:"barred_until"`
	Version     string     `json:"version"`
}
