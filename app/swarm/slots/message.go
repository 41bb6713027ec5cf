package slots

import (
	"net/netip"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/stream"
)

// kind is the first byte of a message. The numbers are on the wire, beside those of app/swarm.
type kind byte

const (
	kindAsk   kind = 6  // what a fetcher has and wants of an address
	kindGrant kind = 7  // slots of an address
	kindMoved kind = 8  // who leads an address instead
	kindHand  kind = 9  // a leader wants to know what the one before it granted
	kindTable kind = 10 // what a leader granted
)

// Mine reports whether a message with a first byte is for Slots.Heard.
func Mine(first byte) bool { return first >= byte(kindAsk) && first <= byte(kindTable) }

// writeAddr writes what stands for a server.
func writeAddr(w *codec.Writer, at netip.AddrPort) {
	w.Bytes(at.Addr().AsSlice())
	w.Uint(uint64(at.Port()))
}

func readAddr(r *codec.Reader) netip.AddrPort {
	ip, ok := netip.AddrFromSlice(r.Bytes(16))
	port := uint16(r.UpTo(1<<16 - 1))
	if !ok || ip.Is4In6() {
		r.Fail()
	}
	return netip.AddrPortFrom(ip, port)
}

// readSmall reads a number of slots.
func readSmall(r *codec.Reader, least int) int {
	n := int(r.Byte())
	if n < least || n > gates.MaxSlots {
		r.Fail()
	}
	return n
}

func askBody(at netip.AddrPort, m gates.Ask) []byte {
	w := &codec.Writer{B: []byte{byte(kindAsk)}}
	writeAddr(w, at)
	w.Uint(m.Number)
	w.Byte(byte(m.Has))
	w.Byte(byte(m.Wants))
	w.Uint(uint64(m.Good))
	w.Bool(m.Bad)
	codec.WriteList(w, m.Domains, func(d uint32) { w.Uint(uint64(d)) })
	return w.B
}

func readAsk(b []byte) (at netip.AddrPort, m gates.Ask, ok bool) {
	r := &codec.Reader{B: b}
	at = readAddr(r)
	m = gates.Ask{
		Number: r.Uint(), Has: readSmall(r, 0), Wants: readSmall(r, 0), Good: int(r.UpTo(1 << 20)), Bad: r.Bool(),
		Domains: codec.ReadList(r, gates.MaxNamed, func() uint32 { return uint32(r.UpTo(1<<32 - 1)) }),
	}
	return at, m, r.Done()
}

func grantBody(a answer) []byte {
	w := &codec.Writer{B: []byte{byte(kindGrant)}}
	writeAddr(w, a.at)
	w.Uint(a.Number)
	w.Byte(byte(a.Slots))
	w.Uint(uint64(a.For.Milliseconds()))
	w.Bool(a.Wanted)
	return w.B
}

func readGrant(b []byte, lease time.Duration) (at netip.AddrPort, m gates.Grant, ok bool) {
	r := &codec.Reader{B: b}
	at = readAddr(r)
	m = gates.Grant{
		Number: r.Uint(), Slots: readSmall(r, 0),
		For:    time.Duration(r.UpTo(uint64(lease.Milliseconds()))) * time.Millisecond,
		Wanted: r.Bool(),
	}
	return at, m, r.Done()
}

// movedBody says who leads an address instead; "" if that is not known.
func movedBody(at netip.AddrPort, number uint64, to crawl.PeerID) []byte {
	w := &codec.Writer{B: []byte{byte(kindMoved)}}
	writeAddr(w, at)
	w.Uint(number)
	w.Text(string(to))
	return w.B
}

func readMoved(b []byte) (at netip.AddrPort, number uint64, to crawl.PeerID, ok bool) {
	r := &codec.Reader{B: b}
	at, number, to = readAddr(r), r.Uint(), crawl.PeerID(r.Text(codec.MaxName))
	return at, number, to, r.Done()
}

// handBody asks for the table of who acted before in a span.
func handBody(q *span) []byte {
	w := &codec.Writer{B: []byte{byte(kindHand)}}
	w.Fixed(q.id)
	w.Text(string(q.shard))
	w.Prefix(q.prefix)
	w.Fixed(q.term.Founding)
	w.Uint(q.term.Number)
	return w.B
}

func readHand(b []byte) (*span, bool) {
	r := &codec.Reader{B: b}
	q := &span{id: r.Fixed(), shard: stream.Shard(r.Text(codec.MaxName)), prefix: r.Prefix(),
		term: stream.Term{Founding: r.Fixed(), Number: r.Uint()}}
	return q, r.Done()
}
