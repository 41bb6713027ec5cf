package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxMoves bounds the moves to here that are not over.
	maxMoves = 1024
	// overFor is how long the end of a move is remembered: its source may have
	// been off since, and must not open domains that are here.
	overFor = 30 * 24 * time.Hour
	// maxOver bounds how many are.
	maxOver = 100_000
)

// The bucket of moves to here holds moves, those of them that are not over, their
// domains, and the others in the order in which they ended.
const (
	moveState  = 'm' // <move>
	moveLive   = 'a' // <move>
	moveDomain = 'd' // <move> <domain>
	moveOver   = 'o' // <time> <move>
)

// moveRecord says how far a move is.
type moveRecord struct {
	State MoveState `cbor:"1,keyasint"`
	Seq   uint64    `cbor:"2,keyasint,omitempty"`
	Mark  []byte    `cbor:"3,keyasint,omitempty"`
	// Orphan is as in Opened, from then on.
	Orphan bool `cbor:"4,keyasint,omitempty"`
	// Last is the domain that the last chunk ended with: of the others everything has come.
	Last crawl.Domain `cbor:"5,keyasint,omitempty"`
}

// moveKey names a move: <length of from> <from> <n>.
func moveKey(from string, n uint64) []byte {
	key := append(make([]byte, 0, 1+len(from)+8), byte(len(from)))
	return binary.BigEndian.AppendUint64(append(key, from...), n)
}

// splitMoveKey returns the parts of a key that begins with that of a move.
func splitMoveKey(key []byte) (from string, n uint64, rest []byte, ok bool) {
	if len(key) < 1 || len(key) < 1+int(key[0])+8 || key[0] > MaxPeer {
		return "", 0, nil, false
	}
	at := 1 + int(key[0])
	return string(key[1:at]), binary.BigEndian.Uint64(key[at:]), key[at+8:], true
}

func moveStateKey(from string, n uint64) []byte {
	return append([]byte{moveState}, moveKey(from, n)...)
}
func moveLiveKey(from string, n uint64) []byte { return append([]byte{moveLive}, moveKey(from, n)...) }

func moveDomainKey(from string, n uint64, d crawl.Domain) []byte {
	return append(append([]byte{moveDomain}, moveKey(from, n)...), d...)
}

func (b *buckets) readMove(from string, n uint64) (mv moveRecord, err error) {
	_, err = getRecord(b.arriving, moveStateKey(from, n), &mv)
	return mv, err
}

func (m *machine) move(from string, n uint64) (moveRecord, error) { return m.b.readMove(from, n) }

// putMove writes a move that is not over.
func (m *machine) putMove(from string, n uint64, mv *moveRecord) error {
	if err := m.b.arriving.Put(moveLiveKey(from, n), []byte{}); err != nil {
		return err
	}
	return putRecord(m.b.arriving, moveStateKey(from, n), mv)
}

// endMove writes a move that is over.
func (m *machine) endMove(from string, n uint64, state MoveState, orphan bool) error {
	live := moveLiveKey(from, n)
	if m.b.arriving.Get(live) != nil {
		m.meta.Moves--
		if err := m.b.arriving.Delete(live); err != nil {
			return err
		}
	}
	for _, d := range m.b.domainsOf(from, n) {
		if err := m.b.arriving.Delete(moveDomainKey(from, n, d)); err != nil {
			return err
		}
	}
	m.meta.MovesOver++
	if err := m.b.arriving.Put(append([]byte{moveOver}, dueKey(m.meta.At, moveKey(from, n))...), []byte{}); err != nil {
		return err
	}
	return putRecord(m.b.arriving, moveStateKey(from, n), &moveRecord{State: state, Orphan: orphan})
}

// pruneMoves forgets the ends of moves long ago, and of too many the first.
func (m *machine) pruneMoves() error {
	for range m.cfg.piece {
		key, _ := m.b.arriving.Cursor().Seek([]byte{moveOver})
		if len(key) < 9 || key[0] != moveOver {
			return nil
		}
		at, move := splitDueKey(key[1:])
		if m.meta.MovesOver <= maxOver && at > m.meta.At-int64(overFor) && at <= m.meta.At+int64(overFor) {
			return nil
		}
		m.meta.MovesOver--
		state := append([]byte{moveState}, move...)
		if err := m.b.arriving.Delete(bytes.Clone(key)); err != nil {
			return err
		}
		if err := m.b.arriving.Delete(state); err != nil {
			return err
		}
	}
	return nil
}

// domainsOf returns the domains of a move that is not over.
func (b *buckets) domainsOf(from string, n uint64) (list []crawl.Domain) {
	prefix := moveDomainKey(from, n, "")
	c := b.arriving.Cursor()
	for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = c.Next() {
		list = append(list, crawl.Domain(key[len(prefix):]))
	}
	return list
}

// liveMoves returns the moves that are not over, without their domains.
func (b *buckets) liveMoves() (list []Move, err error) {
	c := b.arriving.Cursor()
	for key, _ := c.Seek([]byte{moveLive}); len(key) > 0 && key[0] == moveLive; key, _ = c.Next() {
		from, n, _, ok := splitMoveKey(key[1:])
		if !ok {
			continue // Check finds it, and Repair drops it
		}
		mv, err := b.readMove(from, n)
		if err != nil {
			return nil, err
		}
		list = append(list, Move{From: from, N: n, Seq: mv.Seq, Mark: mv.Mark, State: mv.State, Orphan: mv.Orphan})
	}
	return list, nil
}

// Move is a move to here.
type Move struct {
	From  string // peer
	N     uint64 // as From counts its moves
	Seq   uint64 // the last chunk applied, while it is not over
	Mark  []byte // of that chunk
	State MoveState
	// Domains are those that have been heard of, while it is not over.
	Domains []crawl.Domain
	// Orphan is as in Opened: a move that was declined so has left its domains here.
	Orphan bool
}

// Arrivals returns the moves to here that are not over, 1024 at most.
func (f *Frontier) Arrivals() (list []Move, err error) {
	err = f.view(func(b *buckets) error {
		if list, err = b.liveMoves(); err != nil {
			return err
		}
		for i := range list {
			list[i].Domains = b.domainsOf(list[i].From, list[i].N)
		}
		return nil
	})
	return list, err
}

// Arrival returns a move to here; its state is MoveNone if nothing is known of it. The
// end of a move is remembered for 30 days, and of the last 100,000.
func (f *Frontier) Arrival(from string, n uint64) (mv Move, err error) {
	if err := checkOther(from); err != nil {
		return mv, err
	}
	err = f.view(func(b *buckets) error {
		r, err := b.readMove(from, n)
		if err != nil {
			return fmt.Errorf("look for move %d: %w", n, err)
		}
		mv = Move{From: from, N: n, Seq: r.Seq, Mark: r.Mark, State: r.State, Domains: b.domainsOf(from, n), Orphan: r.Orphan}
		return nil
	})
	return mv, err
}
