package group

import (
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
)

// open reads a packet and handles its messages. An error means that the sender is at fault.
func (n *Node) open(from crawl.PeerID, b []byte, direct bool) error {
	r := &codec.Reader{B: b}
	if v := r.Byte(); v != version {
		return fmt.Errorf("version %d of the protocol, want %d", v, version)
	}
	boot, echo := r.Fixed(), r.Fixed()
	if r.Failed {
		return errShort
	}
	p := n.peers.of(from)
	p.hear(n.cfg.Clock.Awake(), boot, echo == n.peers.boot, direct)
	for len(r.B) > 0 && !r.Failed {
		m := &codec.Reader{B: r.Bytes(maxMessage)}
		if err := n.handle(p, m, direct); err != nil {
			return err
		}
	}
	if r.Failed {
		return errShort
	}
	return nil
}

// handle handles one message.
func (n *Node) handle(p *peer, m *codec.Reader, direct bool) error {
	k := kind(m.Byte())
	from := p.id
	if !k.forFetchers() && from != n.cfg.Self && !p.partner && !n.cfg.Directory.Owner(from) {
		return nil // from a stranger
	}
	var do func()
	switch k {
	case kindBeat:
		read := p.readBeat(m)
		do = func() {
			if read(); !p.partner {
				n.peers.answer(p)
			}
		}
	case kindStream:
		b := m.B
		m.B = nil
		if err := n.streams.Receive(from, b); err != nil {
			return err
		}
	case kindRelay, kindRelayed:
		other, inner := m.Peer(), m.Bytes(maxMessage)
		do = func() {
			switch {
			case !direct || other == p.id:
			case k == kindRelay:
				n.peers.relay(p, other, inner)
			case p.partner && n.peers.needsRelay(n.peers.known[other]):
				if n.open(other, inner, false) != nil {
					n.bad++
				}
			}
		}
	case kindAsk:
		id, d := m.Fixed(), crawl.Domain(m.Text(codec.MaxName))
		do = func() { n.requests.ask(from, id, d) }
	case kindReturn:
		id, d := crawl.LeaseID(m.Fixed()), crawl.Domain(m.Text(codec.MaxName))
		do = func() { n.requests.giveBack(from, id, d) }
	case kindPut:
		id, d := m.Fixed(), crawl.Domain(m.Text(codec.MaxName))
		body := m.Bytes(MaxBody)
		do = func() { n.requests.put(from, id, d, body) }
	case kindGrant:
		id, l, body := m.Fixed(), record.ReadLease(m), m.Bytes(MaxBody)
		do = func() { n.calls.granted(from, id, l, body) }
	case kindTell:
		body := m.Bytes(MaxBody)
		do = func() {
			if n.cfg.Told != nil {
				n.cfg.Told(from, body)
			}
		}
	case kindStored:
		id := m.Fixed()
		do = func() { n.calls.stored(id) }
	case kindMoved:
		id, hint := m.Fixed(), crawl.PeerID(m.Text(codec.MaxName))
		do = func() { n.calls.moved(from, id, hint) }
	default:
		if do = n.host.Read(byte(k), m, from, p.echoes); do == nil {
			return fmt.Errorf("a message of unknown kind %d", k)
		}
	}
	if !m.Done() {
		return fmt.Errorf("a message of kind %d cannot be read", k)
	}
	if do != nil {
		do()
	}
	return nil
}

var errShort = fmt.Errorf("the packet ends too early")
