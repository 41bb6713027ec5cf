package roster

import (
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/signed"
)

const (
	// Lifetime is how long an item counts after it was issued. Members issue daily,
	// so one may fail to be heard once.
	Lifetime = 48 * time.Hour

	// MaxSkew is how far in the future an item may be dated: the difference of
	// clocks that is put up with.
	MaxSkew = signed.MaxSkew

	// MaxAddrs is the most addresses of a record, MaxAddr the largest in bytes.
	MaxAddrs = 8
	MaxAddr  = 128

	// MaxPlace and MaxVersion bound these texts, in bytes.
	MaxPlace   = 16
	MaxVersion = 32

	// MaxSeq is the highest sequence number: in milliseconds, the year 287396.
	MaxSeq = 1<<53 - 1

	// maxIssued keeps the arithmetic on dates far from overflow.
	maxIssued = 1<<40 - 1
)

// State is what a member does with its share of the ring. The values are part of
// the wire format.
type State uint8

const (
	StateActive  State = 1 // owns Capacity units
	StateLeaving State = 2 // owns nothing any more and hands over what it holds
	StateLeft    State = 3 // has handed over everything
	StateResting State = 4 // owns Capacity units, and is not expected to answer until it is active again
)

// String returns the state in lower case.
func (s State) String() string {
	switch s {
	case StateActive:
		return "active"
	case StateLeaving:
		return "leaving"
	case StateLeft:
		return "left"
	case StateResting:
		return "resting"
	}
	return "invalid"
}

// Reach is from where a member can be dialled. The values are part of the wire
// format.
type Reach uint8

const (
	ReachUnknown Reach = 0
	ReachLAN     Reach = 1 // from its own network only
	ReachPublic  Reach = 2 // from anywhere
	ReachRelayed Reach = 3 // by way of a relay
)

// String returns the reach in lower case.
func (r Reach) String() string {
	switch r {
	case ReachUnknown:
		return "unknown"
	case ReachLAN:
		return "lan"
	case ReachPublic:
		return "public"
	case ReachRelayed:
		return "relayed"
	}
	return "invalid"
}

// Record is what a member says of itself.
type Record struct {
	Peer     peer.ID        // of an Ed25519 key
	Seq      uint64         // 1 to MaxSeq; of two records the higher counts; see Set.NextSeq
	Issued   int64          // Unix seconds
	Addrs    []ma.Multiaddr // at most MaxAddrs; what Usable keeps
	Capacity uint8          // units: 0 (a fetcher), 1, 2, 4 or 8
	Reach    Reach
	State    State
	Seats    uint16         // fetchers it has room for
	Place    string         // printable, at most MaxPlace bytes, may be empty
	Version  string         // printable, at most MaxVersion bytes
	Joined   uint32         // since when it is a member without a break, in Unix hours; what its vouches are about
	Vouches  []signed.Vouch // at most MaxVouches, each of another signer
}

// check tells whether the record may be sealed, and is what a record from
// elsewhere must pass.
func (r *Record) check() error {
	if _, ok := signed.PublicKey(r.Peer); !ok {
		return invalid("peer ID of %d bytes holds no Ed25519 key", len(r.Peer))
	}
	if err := checkStamp(r.Seq, r.Issued); err != nil {
		return err
	}
	switch r.Capacity {
	case 0, 1, 2, 4, 8:
	default:
		return invalid("capacity %d", r.Capacity)
	}
	if r.Reach > ReachRelayed {
		return invalid("reach %d", r.Reach)
	}
	if r.State < StateActive || r.State > StateResting {
		return invalid("state %d", r.State)
	}
	if err := checkText("place", r.Place, MaxPlace); err != nil {
		return err
	}
	if err := checkText("version", r.Version, MaxVersion); err != nil {
		return err
	}
	if len(r.Addrs) > MaxAddrs {
		return invalid("%d addresses", len(r.Addrs))
	}
	for _, a := range r.Addrs {
		if err := checkAddr(a, r.Reach); err != nil {
			return err
		}
	}
	if int64(r.Joined)*signed.Hour > r.Issued {
		return invalid("joined in hour %d, after %d", r.Joined, r.Issued)
	}
	return r.checkVouches()
}

// fetcher tells whether the record claims no part in the ring.
func (r *Record) fetcher() bool { return r.State == StateActive && r.Capacity == 0 }

// owns tells whether the record claims a part in the ring. A member that rests keeps its own:
// those that keep its log with it act for it.
func (r *Record) owns() bool {
	return r.Capacity > 0 && (r.State == StateActive || r.State == StateResting)
}

func checkStamp(seq uint64, issued int64) error {
	if seq == 0 || seq > MaxSeq {
		return invalid("sequence %d", seq)
	}
	if issued <= 0 || issued > maxIssued {
		return invalid("issued at %d", issued)
	}
	return nil
}

// checkText refuses what could deceive or disturb whoever looks at it.
func checkText(what, text string, most int) error {
	if len(text) > most {
		return invalid("%s of %d bytes", what, len(text))
	}
	if !utf8.ValidString(text) {
		return invalid("%s is not UTF-8", what)
	}
	for _, c := range text {
		if !unicode.IsPrint(c) {
			return invalid("%s holds %U", what, c)
		}
	}
	return nil
}

// checkDates tells whether an item issued at a time counts now.
func checkDates(issued int64, now time.Time) error {
	if time.Unix(issued, 0).After(now.Add(MaxSkew)) {
		return ErrFuture
	}
	if expired(issued, now) {
		return ErrExpired
	}
	return nil
}

// expired tells whether the lifetime of an item is over.
func expired(issued int64, now time.Time) bool {
	return !time.Unix(issued, 0).Add(Lifetime).After(now)
}
