package calls

import (
	"maps"
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// banScore is the score above which a peer is banned. With the half-life
	// of a minute, an offence of weight w may happen about 69/w times a minute
	// for ever.
	banScore     = 100
	scoreHalving = time.Minute
	// firstBan doubles with every ban that follows within forgetBan.
	firstBan  = 10 * time.Minute
	longBan   = 24 * time.Hour
	forgetBan = 24 * time.Hour
	// maxPeers bounds every map of peers.
	maxPeers = 1024
	// maxOffences bounds the names that are counted; others count as "other".
	maxOffences = 256
)

// Offences that are noticed here, with their weights. What an honest peer of
// another version may do weighs little.
const (
	offenceOversized   = "oversized request"
	offenceUndecodable = "undecodable request"
	offenceUnknown     = "unknown kind"
	offenceFlood       = "flood of " // and the kind
	offenceSlow        = "slow"
	offencePanic       = "panic"
	offenceReply       = "malformed reply"

	weightOversized   = 25
	weightUndecodable = 25
	weightUnknown     = 1
	weightFlood       = 5
	weightSlow        = 10
	weightPanic       = 1
	weightReply       = 25
)

// offences keeps what peers did wrong.
type offences struct {
	now func() time.Time

	mu     sync.Mutex
	counts map[string]uint64
	scores *simplelru.LRU[peer.ID, *score]
	bans   *simplelru.LRU[peer.ID, *ban]
}

// score is a sum of weights as of a time; it halves every scoreHalving.
type score struct {
	value float64
	at    time.Time
}

// ban is the last ban of a peer.
type ban struct {
	until  time.Time
	length time.Duration
}

func newOffences(now func() time.Time) *offences {
	return &offences{
		now:    now,
		counts: make(map[string]uint64),
		scores: newRecent[*score](),
		bans:   newRecent[*ban](),
	}
}

// add charges p and returns the length of the ban if this one led to it.
func (o *offences) add(p peer.ID, what string, weight int) time.Duration {
	now := o.now()
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.counts[what]; !ok && len(o.counts) >= maxOffences {
		what = "other"
	}
	o.counts[what]++
	if weight <= 0 || o.bannedLocked(p, now) {
		return 0
	}
	s, ok := o.scores.Get(p)
	if !ok {
		s = &score{at: now}
		o.scores.Add(p, s)
	}
	if age := now.Sub(s.at); age > 0 {
		s.value *= math.Exp2(-float64(age) / float64(scoreHalving))
	}
	s.value, s.at = s.value+float64(weight), now
	if s.value <= banScore {
		return 0
	}
	s.value = 0
	return o.banLocked(p, now)
}

func (o *offences) banLocked(p peer.ID, now time.Time) time.Duration {
	b, ok := o.bans.Get(p)
	if !ok {
		b = &ban{}
		o.bans.Add(p, b)
	}
	if b.length > 0 && now.Sub(b.until) < forgetBan {
		b.length = min(2*b.length, longBan)
	} else {
		b.length = firstBan
	}
	b.until = now.Add(b.length)
	return b.length
}

func (o *offences) bannedLocked(p peer.ID, now time.Time) bool {
	b, ok := o.bans.Get(p)
	return ok && now.Before(b.until)
}

func (o *offences) banned(p peer.ID) bool {
	now := o.now()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bannedLocked(p, now)
}

func (o *offences) snapshot() map[string]uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.counts)
}

// Offend charges p with an offence. Offences are counted by what, which must
// be one of a few fixed names. The weights of a peer add up to its score,
// which halves every minute; when it passes 100 the peer is banned for 10
// minutes, doubling with every ban that follows within a day, to at most a
// day: its connections are closed and its streams are reset. Weight 0 only
// counts.
func (c *Calls) Offend(p peer.ID, what string, weight int) {
	length := c.offences.add(p, what, weight)
	if length == 0 {
		return
	}
	c.log.Info("Peer banned", "peer", p, "for", length, "last", what)
	if err := c.host.Network().ClosePeer(p); err != nil {
		c.log.Debug("Connection of a banned peer not closed", "peer", p, "err", err)
	}
}

// Banned reports whether p is banned now. A connection gater asks it.
func (c *Calls) Banned(p peer.ID) bool { return c.offences.banned(p) }

// Counts returns how often each offence happened since New, by name.
func (c *Calls) Counts() map[string]uint64 { return c.offences.snapshot() }
