package frontier

import (
	"errors"

	"github.com/forage-net/forage/crawl"
)

// A domain moves from one log to another in steps, each of them an entry that
// may be repeated: Close in the source; Chunks, and then Opened, in the
// destination; Gone in the source. A destination that does not take it says
// Abort, and only then the source may say Reopen. A move is named by the
// source, as its peers name it, and a number of the source's own.

const (
	// MaxItem bounds an item of a chunk, in bytes.
	MaxItem = 8 << 10
	// MaxChunk bounds the items of a chunk together, in bytes.
	MaxChunk = 64 << 10

	maxMark = 1 << 10
)

// ErrItem is returned for a chunk with items that no frontier has made.
var ErrItem = errors.New("frontier: invalid item of a move")

// Close begins moves: the domains are not leased any more, and links to them go
// into the outbox. A lease that is live goes on. Domains that are not here, or
// move already, stay as they are.
type Close struct {
	Domains []crawl.Domain `cbor:"1,keyasint"`
	To      string         `cbor:"2,keyasint"` // peer
	N       uint64         `cbor:"3,keyasint"` // 0 lets the log number the move
}

// Freeze makes what is known of closing domains final: outcomes of theirs are
// not taken any more.
type Freeze struct {
	Domains []crawl.Domain `cbor:"1,keyasint"`
	N       uint64         `cbor:"2,keyasint"`
}

// Gone ends a move at its source: the destination has the domains.
type Gone struct {
	Domains []crawl.Domain `cbor:"1,keyasint"`
	To      string         `cbor:"2,keyasint"`
	N       uint64         `cbor:"3,keyasint"`
}

// Reopen ends a move at its source: the destination has declined, or is gone.
type Reopen struct {
	Domains []crawl.Domain `cbor:"1,keyasint"`
	N       uint64         `cbor:"2,keyasint"`
	// Careful says that the destination could not be asked: it may be visiting them.
	Careful bool `cbor:"3,keyasint,omitempty"`
}

// Chunk brings a part of a move into the destination.
type Chunk struct {
	From string `cbor:"1,keyasint"` // peer
	N    uint64 `cbor:"2,keyasint"`
	// Seq numbers the chunks of a move from 1. One that was applied before does
	// nothing, and so does one that comes too early.
	Seq uint64 `cbor:"3,keyasint"`
	// Mark is for the source: where it goes on behind this chunk.
	Mark  []byte   `cbor:"4,keyasint,omitempty"`
	Items [][]byte `cbor:"5,keyasint"`
}

// Opened ends a move at its destination: everything has come, the domains are
// opened together.
type Opened struct {
	From string `cbor:"1,keyasint"`
	N    uint64 `cbor:"2,keyasint"`
	// Chunks is how many there are. As long as they are not all here, nothing happens.
	Chunks uint64 `cbor:"3,keyasint"`
	// Orphan says that the source is gone, and nobody is to bring more. The move ends as declined: a source that comes
	// back after all still has everything, and brings it by another move.
	Orphan bool `cbor:"4,keyasint,omitempty"`
}

// Abort ends a move at its destination: what has come is dropped, and later
// chunks of it are not taken.
type Abort struct {
	From string `cbor:"1,keyasint"`
	N    uint64 `cbor:"2,keyasint"`
}

// Forget drops what is remembered of domains that have moved away: the peer they
// went to is gone for good, and they begin anew. With any domains or none, links that were taken
// in or sent before are taken in or sent again when they are found again: others may have
// lost them.
type Forget struct {
	Domains []crawl.Domain `cbor:"1,keyasint"`
}

// MoveState says how far a move has come at its destination. The numbers are on
// disk.
type MoveState uint8

const (
	// MoveNone is of a move that nothing is known of.
	MoveNone MoveState = 0
	// MoveArriving takes chunks.
	MoveArriving MoveState = 1
	// MoveOpening has all of them, and joins them with what was here.
	MoveOpening MoveState = 2
	// MoveAborting is dropping what has come.
	MoveAborting MoveState = 3
	// MoveOpened is over: the domains are here.
	MoveOpened MoveState = 4
	// MoveDeclined is over: the domains are not here by this move.
	MoveDeclined MoveState = 5
)

// over reports whether nothing more happens.
func (s MoveState) over() bool { return s == MoveOpened || s == MoveDeclined }
