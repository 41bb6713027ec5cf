package wire

import "github.com/forage-net/forage/crawl"

const (
	// MaxHave is the most domains of one question.
	MaxHave = 512
	// MaxItem is the largest piece of a move, MaxChunk the most bytes of them in
	// one message, MaxMove the most domains of one move.
	MaxItem  = 8 << 10
	MaxChunk = 64 << 10
	MaxMove  = 256
	// MaxMark is the longest mark, in bytes.
	MaxMark = 1 << 10
)

// Have asks a member whether it has domains that the sender is about to begin.
type Have struct {
	_       struct{} `cbor:",toarray"`
	Roster  []byte   // digest of the sender's, 16 bytes
	Domains []crawl.Domain
}

func (h *Have) validate() error {
	if len(h.Roster) != 16 {
		return invalid("digest of %d bytes", len(h.Roster))
	}
	return checkDomains(h.Domains, MaxHave)
}

// Had is the answer to Have.
type Had struct {
	_ struct{} `cbor:",toarray"`
	// Roster is the digest of the answerer's: if it differs, the answer is worth
	// nothing before they agree who the members are.
	Roster []byte
	// Here are the places, in the question, of the domains that the answerer has.
	Here []uint16
}

func (h *Had) validate() error {
	if len(h.Roster) != 16 || len(h.Here) > MaxHave {
		return invalid("answer for %d domains", len(h.Here))
	}
	return nil
}

// Move brings a part of domains to their new owner. All parts of a move carry its number.
type Move struct {
	_ struct{} `cbor:",toarray"`
	N uint64
	// Seq counts the parts from 1; 0 asks how far the move is. Last says that this
	// is the last part, Abort that there will be no more.
	Seq     uint64
	Last    bool
	Abort   bool
	Mark    []byte         // where the sender goes on after this part
	Domains []crawl.Domain // those of the whole move
	Items   [][]byte
}

func (m *Move) validate() error {
	size := 0
	for _, item := range m.Items {
		if size += len(item); len(item) > MaxItem || size > MaxChunk {
			return invalid("part of %d bytes", size)
		}
	}
	if m.N == 0 || len(m.Domains) == 0 || len(m.Mark) > MaxMark {
		return invalid("part %d of move %d of %d domains", m.Seq, m.N, len(m.Domains))
	}
	return checkDomains(m.Domains, MaxMove)
}

// MoveState says what became of a part.
type MoveState uint8

const (
	// MoveTaken is a part that is durable.
	MoveTaken MoveState = 1
	// MoveOpened is the last part: the domains are the receiver's now.
	MoveOpened MoveState = 2
	// MoveDeclined means that the receiver will not have them.
	MoveDeclined MoveState = 3
	// MoveSlowly is MoveTaken of a receiver that stands by: parts are to hold no more than MaxItem bytes.
	MoveSlowly MoveState = 4
)

// MoveAnswer is the answer to Move.
type MoveAnswer struct {
	_     struct{} `cbor:",toarray"`
	State MoveState
	// Seq is the last part that is durable, Mark the mark that came with it.
	Seq  uint64
	Mark []byte
}

func (m *MoveAnswer) validate() error {
	if m.State < MoveTaken || m.State > MoveSlowly || len(m.Mark) > MaxMark {
		return invalid("state %d of a move", m.State)
	}
	return nil
}
