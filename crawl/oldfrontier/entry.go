package frontier

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/crawl"
)

// Entry is one change of a frontier. Exactly one field is set.
type Entry struct {
	Enqueue *Enqueue `cbor:"1,keyasint,omitempty"`
	Grant   *Grant   `cbor:"2,keyasint,omitempty"`
	Settle  *Settle  `cbor:"3,keyasint,omitempty"`
	Release *Release `cbor:"4,keyasint,omitempty"`
	Recall  *Recall  `cbor:"5,keyasint,omitempty"`
	Revive  *Revive  `cbor:"6,keyasint,omitempty"`
	Renew   *Renew   `cbor:"7,keyasint,omitempty"`
	Sent    *Sent    `cbor:"8,keyasint,omitempty"`
	Confirm *Confirm `cbor:"9,keyasint,omitempty"`
	Close   *Close   `cbor:"10,keyasint,omitempty"`
	Freeze  *Freeze  `cbor:"11,keyasint,omitempty"`
	Gone    *Gone    `cbor:"12,keyasint,omitempty"`
	Reopen  *Reopen  `cbor:"13,keyasint,omitempty"`
	Chunk   *Chunk   `cbor:"14,keyasint,omitempty"`
	Opened  *Opened  `cbor:"15,keyasint,omitempty"`
	Abort   *Abort   `cbor:"16,keyasint,omitempty"`
	Forget  *Forget  `cbor:"17,keyasint,omitempty"`
	Slot    *Slot    `cbor:"18,keyasint,omitempty"`
	Unslot  *Unslot  `cbor:"19,keyasint,omitempty"`
	Anew    *Anew    `cbor:"20,keyasint,omitempty"`
}

// Enqueue brings links in: those of a seed list, or that others found.
type Enqueue struct {
	// Links go into queues. Who proposes an Enqueue puts all links here; Propose
	// takes those out that others own.
	Links []Link `cbor:"1,keyasint"`
	// From is the domain the links were found on, "" for seeds, and Date when, in
	// Unix seconds.
	From crawl.Domain `cbor:"2,keyasint,omitempty"`
	Date int64        `cbor:"3,keyasint,omitempty"`
	// Out are the links to domains of others, and Ask says whether domains
	// first heard of are to be asked about; Propose sets both.
	Out []Link `cbor:"4,keyasint,omitempty"`
	Ask bool   `cbor:"5,keyasint,omitempty"`
}

// Grant begins a lease on tasks of one host of a domain that has none.
type Grant struct {
	Domain crawl.Domain  `cbor:"1,keyasint"`
	Origin string        `cbor:"2,keyasint"`
	Tasks  [][]byte      `cbor:"3,keyasint"` // the last tailSize bytes of their queue keys
	For    time.Duration `cbor:"4,keyasint"`
	// Holder is the peer that works it, "" for this node.
	Holder string `cbor:"5,keyasint,omitempty"`
}

// Settle records an outcome and takes its outlinks in.
type Settle struct {
	Lease        crawl.LeaseID `cbor:"1,keyasint"`
	Domain       crawl.Domain  `cbor:"2,keyasint"`
	Task         []byte        `cbor:"3,keyasint"` // its queue key
	URL          string        `cbor:"4,keyasint"`
	Result       crawl.Result  `cbor:"5,keyasint"`
	Status       int           `cbor:"6,keyasint,omitempty"`
	Reason       string        `cbor:"7,keyasint,omitempty"`
	Date         int64         `cbor:"8,keyasint,omitempty"` // Unix seconds
	Took         time.Duration `cbor:"9,keyasint,omitempty"`
	Wait         time.Duration `cbor:"10,keyasint,omitempty"`
	CrawlDelay   time.Duration `cbor:"11,keyasint,omitempty"`
	Digest       []byte        `cbor:"12,keyasint,omitempty"`
	Duplicate    bool          `cbor:"13,keyasint,omitempty"`
	ETag         string        `cbor:"14,keyasint,omitempty"`
	LastModified string        `cbor:"15,keyasint,omitempty"`
	Links        []Link        `cbor:"16,keyasint,omitempty"`
	Received     int64         `cbor:"17,keyasint,omitempty"` // bytes
	Title        string        `cbor:"18,keyasint,omitempty"`
	Challenged   bool          `cbor:"19,keyasint,omitempty"`
	NoRobots     bool          `cbor:"20,keyasint,omitempty"`
	Out          []Link        `cbor:"21,keyasint,omitempty"` // links to domains of others
	Ask          bool          `cbor:"22,keyasint,omitempty"` // as in Enqueue
	By           string        `cbor:"23,keyasint,omitempty"` // who reports it, "" for this node
}

// Release ends a lease: worked off, given back or lapsed. Tasks of it that
// were not settled are free again.
type Release struct {
	Lease      crawl.LeaseID `cbor:"1,keyasint"`
	Domain     crawl.Domain  `cbor:"2,keyasint"`
	CrawlDelay time.Duration `cbor:"3,keyasint,omitempty"` // 0 if nothing new is known
	// By must be the holder of the lease, else nothing happens.
	By string `cbor:"4,keyasint,omitempty"`
	// Lapsed says that the time of the lease was over before its holder brought it home: what it
	// has fetched may be told later.
	Lapsed bool `cbor:"5,keyasint,omitempty"`
	// Ago is how long before the entry was made the holder gave the lease back: its gap has begun then. Propose sets it.
	Ago time.Duration `cbor:"6,keyasint,omitempty"`
}

// Renew gives a live lease new time, counted from now. It is refused, without an
// error, if the lease is over, another holds it, or the domain is not to be
// leased any more.
type Renew struct {
	Lease  crawl.LeaseID `cbor:"1,keyasint"`
	Domain crawl.Domain  `cbor:"2,keyasint"`
	By     string        `cbor:"3,keyasint,omitempty"`
	// For is not used: a lease is renewed for as long as it was granted for.
	For time.Duration `cbor:"4,keyasint"`
}

// Sent takes links out of the outbox that their owners have.
type Sent struct {
	Keys [][]byte `cbor:"1,keyasint"`           // as in OutLink
	Back bool     `cbor:"2,keyasint,omitempty"` // they are taken in here instead
}

// Confirm makes domains ready for leases that others were asked about.
type Confirm struct {
	Domains []crawl.Domain `cbor:"1,keyasint"`
	// Careful says that some could not be asked: they may be visiting the domains.
	Careful bool `cbor:"2,keyasint,omitempty"`
}

// Recall puts pages into the queue again that are due for another visit.
type Recall struct {
	Domain crawl.Domain `cbor:"1,keyasint"`
	Pages  [][]byte     `cbor:"2,keyasint"` // the hashes of their keys
}

// Revive gives a retired domain another chance.
type Revive struct {
	Domain crawl.Domain `cbor:"1,keyasint"`
}

// Link is an outlink in an entry.
type Link struct {
	_         struct{} `cbor:",toarray"`
	URL       string
	Depth     uint8
	Redirects uint8
	Priority  crawl.Priority
	Source    uint8
	Modified  int64 // Unix seconds, 0 if unknown
}

const (
	// MaxPeer is the longest name of a peer, in bytes.
	MaxPeer = 64

	// maxLinks bounds the links, and the entries, of one proposal.
	maxLinks  = 1 << 14
	maxReason = 200
	maxTitle  = 200
)

// ErrEntry is returned for bytes that are no valid entries.
var ErrEntry = errors.New("frontier: invalid entry")

var (
	encode = func() cbor.EncMode {
		mode, err := cbor.CoreDetEncOptions().EncMode()
		if err != nil {
			panic(err) // the options are constants
		}
		return mode
	}()
	decode = func() cbor.DecMode {
		mode, err := cbor.DecOptions{
			MaxArrayElements: maxLinks, MaxMapPairs: 64, MaxNestedLevels: 8,
			UTF8: cbor.UTF8DecodeInvalid, DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		}.DecMode()
		if err != nil {
			panic(err)
		}
		return mode
	}()
)

// encodeEntries returns entries as bytes.
func encodeEntries(entries []Entry) ([]byte, error) { return encode.Marshal(entries) }

// decodeEntries is the reverse of encodeEntries for bytes from anywhere.
func decodeEntries(data []byte) ([]Entry, error) {
	var entries []Entry
	if err := decode.Unmarshal(data, &entries); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEntry, err)
	}
	for i := range entries {
		if err := entries[i].validate(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// settleOf brings an outcome into the form of an entry, cut to its bounds.
func settleOf(o crawl.Outcome, links []Link) *Settle {
	s := &Settle{
		Lease: o.Lease, Domain: o.Domain, Task: []byte(o.Task.ID), URL: o.Task.URL.String(), Result: o.Result,
		Status: o.Status, Reason: strings.ToValidUTF8(o.Reason[:min(len(o.Reason), maxReason)], ""), Date: o.Date.Unix(),
		Took: o.Took, Wait: o.Wait, CrawlDelay: o.CrawlDelay, Duplicate: o.Duplicate, Challenged: o.Challenged, NoRobots: o.NoRobots, Links: links,
		Received: max(o.Received, 0), Title: strings.ToValidUTF8(o.Title[:min(len(o.Title), maxTitle)], ""),
	}
	if o.Digest != ([20]byte{}) {
		s.Digest = o.Digest[:]
	}
	if len(o.ETag) <= crawl.MaxValidator && utf8.ValidString(o.ETag) {
		s.ETag = o.ETag
	}
	if len(o.LastModified) <= crawl.MaxValidator && utf8.ValidString(o.LastModified) {
		s.LastModified = o.LastModified
	}
	return s
}
