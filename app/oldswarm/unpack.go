package swarm

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

// unpack takes the URLs of a move in from a member that has no part in its
// domains: it was alone when it began them, or away for long. They are links
// like others; what it says of visits is not believed, so these pages are visited again. How far the move has come is
// remembered in memory alone.
func (s *Swarm) unpack(ctx context.Context, from string, m *wire.Move) ([]byte, error) {
	answer := wire.MoveAnswer{State: wire.MoveTaken, Seq: m.Seq, Mark: m.Mark}
	switch {
	case !s.net.Member(from):
		s.net.Resync(from) // it may have come a moment ago
		return nil, busy(time.Second)
	case !s.open.Load():
		return nil, busy(time.Second)
	case m.Abort || s.leaving.Load() || !s.allOurs(from, m.Domains):
		answer.State = wire.MoveDeclined
		return wire.Encode(&answer), nil
	case s.slow(): // a large one would take the turns of those that have a part in their domains
		return nil, busy(longBusy)
	case m.Seq == 0:
		answer.Seq, answer.Mark = s.brought.of(from, m.N)
		return wire.Encode(&answer), nil
	}
	if err := checkCargo(m); err != nil {
		return nil, err
	}
	var links []frontier.OutLink
	now := time.Now()
	for _, raw := range m.Items {
		if p, ok := readPlace(raw); ok && s.admits(p.link, now) {
			links = append(links, frontier.OutLink{Link: frontierLink(p.link), From: p.link.URL.Domain(), Date: now.Unix()})
		}
	}
	if !s.unpacked.take(ownerOf(from), len(links), s.now()) {
		return nil, busy(movedWait)
	}
	if err := s.takeIn(ctx, from, links); err != nil {
		return nil, err
	}
	s.brought.note(from, m)
	if m.Last {
		answer.State = wire.MoveOpened
	}
	return wire.Encode(&answer), nil
}

// maxUnpackings bounds the members of which it is remembered how far what they bring has come.
const maxUnpackings = 256

// unpackings remember how far moves have come that are taken as links, one of each member: a large one takes longer than it is
// carried at a time, as no member may bring more than so much at once.
type unpackings struct {
	mu   sync.Mutex
	list map[string]unpacking
}

type unpacking struct {
	n, seq uint64
	mark   []byte
}

// note notes that a part is durable.
func (x *unpackings) note(from string, m *wire.Move) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.list, from)
	if m.Last {
		return
	}
	for other := range x.list {
		if len(x.list) < maxUnpackings {
			break
		}
		delete(x.list, other)
	}
	if x.list == nil {
		x.list = make(map[string]unpacking)
	}
	x.list[from] = unpacking{n: m.N, seq: m.Seq, mark: bytes.Clone(m.Mark)}
}

// of returns the last part of a move that came, and where it goes on.
func (x *unpackings) of(from string, n uint64) (seq uint64, mark []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if u := x.list[from]; u.n == n {
		return u.seq, u.mark
	}
	return 0, nil
}
