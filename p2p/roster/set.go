package roster

import (
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/signed"
)

// DefaultMaxMembers is the size of a full roster. Twice as many take twice the
// memory and twice the traffic of daily records.
const DefaultMaxMembers = 5000

// MaxWaiting bounds what is held of those that are not admitted or own nothing. Each was brought by itself.
const MaxWaiting = 256

// Config is what a Set needs to know.
type Config struct {
	Network string  // the network's name; part of what is signed
	Self    peer.ID // this node, which there is always room for

	// Now is the wall clock; nil means time.Now.
	Now func() time.Time

	// MaxMembers bounds the admitted members in the Set; 0 means DefaultMaxMembers.
	MaxMembers int

	// MaxPerNet is the most owners in one IPv4 /24 or IPv6 /48 of public addresses, and a quarter of the most in one
	// IPv4 /16 or IPv6 /32; 0 means any number. A member with addresses in several counts in each. Nodes must agree on
	// it, or they disagree about owners.
	MaxPerNet int

	// Lab says that this is a closed test network: loopback addresses count as public ones, members are
	// established at once, and neither their networks nor their ages limit what they own.
	Lab bool

	// Founders are members that count without a vouch, and whose vouches count: those that an invite names.
	Founders []peer.ID

	// Pace tells whether a new record of a member may be looked at now; nil means any number. It is not asked about
	// those of an Import.
	Pace func(member peer.ID) bool

	// Entitled tells whether these peers, all different and each with a valid
	// signature if it is to count, may together end the victim's record. It is
	// called from Add, possibly by several goroutines at once, and may call the
	// Set. If it is nil no note is taken but by Import.
	Entitled func(victim peer.ID, signers []peer.ID) bool
}

// Member is what is known of a member. Its slices are shared: read them only.
type Member struct {
	Record
	Raw   []byte // the signed record
	Note  []byte // the signed out note, if Out
	Out   bool   // others have ended this record
	Units uint8  // how many units of the ring it owns, if it is among Owners
	// the member was there then: when the record was issued that this Set heard of first, or when it did if
	// that was earlier
	Since time.Time
}

// Set holds the newest items of every member.
type Set struct {
	cfg Config
	tag signed.Tag

	mu      sync.Mutex
	entries table
	trusted trust
	view    *view      // nil when entries have changed since
	judged  *admission // of the last view
	// told is the digest subscribers were last woken for; not valid after an item
	// that woke them without a view.
	told      [16]byte
	toldValid bool
	subs      map[chan struct{}]struct{}
}

// New returns an empty Set.
func New(cfg Config) *Set {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.MaxMembers <= 0 {
		cfg.MaxMembers = DefaultMaxMembers
	}
	s := &Set{cfg: cfg, tag: signed.TagOf(cfg.Network), entries: newTable(), subs: make(map[chan struct{}]struct{})}
	s.trusted = newTrust(&s.cfg)
	return s
}

// now returns the wall clock without a monotonic reading, which would hide steps.
func (s *Set) now() time.Time { return s.cfg.Now().Round(0) }

// Members returns all members, fetchers and those that left included, ordered by
// the bytes of their IDs. The slice is shared: read it only.
func (s *Set) Members() []Member { return s.current().members }

// Owners returns the members that have places on the ring, in the order of Members:
// those active or resting, with capacity, not out, and
//   - admitted (see admission);
//   - dialable from anywhere, unless no member that would own is;
//   - within what one network and newcomers may have (see chooseOwners).
//
// The slice is shared: read it only.
func (s *Set) Owners() []Member { return s.current().owners }

// Leaving returns the members that own nothing but may still hold domains, in the
// order of Members: those whose record of the last LeavingWindow says that they are
// leaving or left, or resting without capacity, and those that are out. The slice is shared: read it only.
func (s *Set) Leaving() []Member { return s.current().leaving }

// Get returns the member with an ID.
func (s *Set) Get(id peer.ID) (Member, bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries.byPeer[id]
	if e != nil {
		e = e.live(now)
	}
	if e == nil || e.rec == nil {
		return Member{}, false
	}
	return e.member(), true
}

// Digest returns a hash of every member that owns, would own if the rules of Owners
// let it, or is leaving: ID, record, and whether it is out. Sets that agree about
// these have the same digest.
func (s *Set) Digest() [16]byte { return s.current().digest }

// Moment is what Owners, Leaving and Digest return at one time, and who counts without a vouch by an invite, or
// because it was met first. OwnersDigest is a hash of what the ring is made of: IDs, units and networks of
// Owners. Unlike Digest it stays the same when a member only issues another record.
type Moment struct {
	Owners, Leaving      []Member // shared: read them only
	Founders             []peer.ID
	Digest, OwnersDigest [16]byte
}

// Moment returns what there is now: one that is asked for after the other may be of different times.
func (s *Set) Moment() Moment {
	v := s.current()
	return Moment{
		Owners: v.owners, Leaving: v.leaving, Founders: v.admission.founders,
		Digest: v.digest, OwnersDigest: v.ownersDigest,
	}
}

// NextSeq returns the sequence number for this node's next record, given the last one it remembers issuing (0
// if none). It is above everything the Set has heard about this node, out notes included, so that the record
// undoes them; and a node that remembers none begins with the time, so that it is believed again. One that does
// must not: its memory may be old, and a record above those that it has forgotten would keep others from
// sending them. The caller stores the number before it seals.
func (s *Set) NextSeq(last uint64) uint64 {
	next := last
	s.mu.Lock()
	if e := s.entries.byPeer[s.cfg.Self]; e != nil {
		if e.rec != nil {
			next = max(next, e.rec.seq)
		}
		if e.note != nil {
			next = max(next, e.note.seq)
		}
	}
	s.mu.Unlock()
	next++
	if last == 0 {
		next = max(next, uint64(max(s.now().Truncate(time.Hour).UnixMilli(), 0)))
	}
	return next
}

// Subscribe returns a channel that gets a value after a change of what Digest
// covers, the passing of time included if Expire is called. Changes that nobody has
// received yet become one. cancel ends the subscription; the channel is never closed.
func (s *Set) Subscribe() (changed <-chan struct{}, cancel func()) {
	ch := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs[ch] = struct{}{}
	return ch, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, ch)
	}
}

// wake signals the subscribers. The caller holds mu.
func (s *Set) wake() {
	for ch := range s.subs {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// Expire drops what has expired by a time and tells whether anything was dropped or
// the digest changed. Expired items do not count before it is called either; it frees
// their memory and wakes subscribers. Once a minute is enough.
func (s *Set) Expire(now time.Time) bool {
	now = now.Round(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.told, s.toldValid
	dropped := s.entries.purge(now)
	if dropped {
		s.view = nil
	}
	v := s.viewAt(now)
	return dropped || (known && v.digest != before)
}
