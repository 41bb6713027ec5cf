package calls

import (
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// maxStreams is how many inbound streams a peer may have per class. A
	// caller uses no more at once than it may have requests in flight, so
	// only streams it has left or forgotten go beyond.
	maxStreams = 8
	// floodDebt is the debt in bytes, as the time to work it off, from which
	// more requests are a flood. Requests that were under way together stay
	// below.
	floodDebt = 10 * time.Second
)

// door decides what peers may do: which streams they may open and which of
// their requests are handled.
type door struct {
	now    func() time.Time
	bounds [classes]bounds

	// streams in service
	served sync.WaitGroup

	mu     sync.Mutex
	open   bool
	books  *simplelru.LRU[peer.ID, *book]
	active [classes]int // requests in flight
}

// inbound is a stream that a peer opened.
type inbound struct {
	*link
	from  peer.ID
	class Class
	book  *book

	// guarded by door.mu
	state    streamState
	admitted bool // counted in active
}

// streamState is what a stream is used for.
type streamState uint8

const (
	// idle streams wait for a request; they may have to make room.
	idle streamState = iota
	// busy streams have a request on them.
	busy
	// replying streams send a reply that needs no more memory. The peer may
	// have it before we know that it was sent, and open another one.
	replying
)

func newDoor(now func() time.Time, bandwidth [classes]int) *door {
	d := &door{now: now, books: newRecent[*book]()}
	for class := range Class(classes) {
		d.bounds[class] = boundsOf(class)
		if b := bandwidth[class]; b > 0 {
			d.bounds[class].bytesPerSecond = b
		}
	}
	return d
}

// enter takes a stream in. If the peer has too many, those that have been idle
// longest make room: the caller resets them, and their readers release them.
// Without such, or if there is no room for another peer, the stream is not let
// in and enter returns nil.
func (d *door) enter(from peer.ID, class Class, s network.Stream) (in *inbound, out []*inbound) {
	now := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.open {
		return nil, nil
	}
	b, ok := d.books.Get(from)
	if !ok {
		if !d.makeRoom() {
			return nil, nil
		}
		b = newBook(d.bounds)
		d.books.Add(from, b)
	}
	if !b.opens[class].AllowN(now, 1) {
		return nil, nil
	}
	for len(b.streams[class]) >= maxStreams {
		oldest := b.find(class, idle)
		if oldest == nil {
			break
		}
		b.remove(oldest)
		out = append(out, oldest)
	}
	if n := len(b.streams[class]); n >= 2*maxStreams || n >= maxStreams && b.find(class, replying) == nil {
		return nil, out
	}
	in = &inbound{link: newLink(s), from: from, class: class, book: b}
	b.streams[class] = append(b.streams[class], in)
	d.served.Add(1)
	return in, out
}

// makeRoom makes room for another peer, and reports whether there is some: a peer that is here stays. d.mu is held.
func (d *door) makeRoom() bool {
	if d.books.Len() < maxPeers {
		return true
	}
	for _, p := range d.books.Keys() { // the least recently used first
		if b, _ := d.books.Peek(p); !b.inUse() {
			return d.books.Remove(p)
		}
	}
	return false
}

// leave releases a stream.
func (d *door) leave(in *inbound) {
	d.mu.Lock()
	in.book.remove(in)
	d.mu.Unlock()
	d.served.Done()
}

// begin marks the start of a request. It returns false if the stream had to
// make room, or all must end.
func (d *door) begin(in *inbound) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.open || !slices.Contains(in.book.streams[in.class], in) {
		return false
	}
	in.state = busy
	return true
}

// rest marks the end of a request.
func (d *door) rest(in *inbound) {
	d.mu.Lock()
	defer d.mu.Unlock()
	in.state = idle
	if slices.Contains(in.book.streams[in.class], in) {
		in.book.remove(in)
		in.book.streams[in.class] = append(in.book.streams[in.class], in)
	}
}

// verdict is what door decided about a request.
type verdict struct {
	// wait is what the peer is told to wait; zero if the request may be handled.
	wait time.Duration
	// flood, if the peer was told to wait before and did not.
	flood bool
}

// admit decides about a request of n bytes. If it may be handled, dismiss must
// follow.
func (d *door) admit(in *inbound, kind Kind, spec *Spec, n int) verdict {
	now := d.now()
	bounds := &d.bounds[in.class]
	d.mu.Lock()
	defer d.mu.Unlock()
	if wait, flood := in.book.charge(now, kind, spec); wait > 0 {
		return verdict{wait, flood}
	}
	if d.active[in.class] >= bounds.handlers || in.book.active[in.class] >= bounds.perPeer {
		return verdict{wait: bounds.pause}
	}
	if wait := in.book.chargeBytes(now, in.class, n); wait > 0 {
		return verdict{wait, wait > floodDebt}
	}
	d.active[in.class]++
	in.book.active[in.class]++
	in.admitted = true
	return verdict{}
}

// dismiss ends what admit began, if it did: only a reply may be left to send.
func (d *door) dismiss(in *inbound) {
	d.mu.Lock()
	defer d.mu.Unlock()
	in.state = replying
	if in.admitted {
		in.admitted = false
		d.active[in.class]--
		in.book.active[in.class]--
	}
}

// debit charges the peer for n bytes that have moved already. That may lead
// into debt, and then requests wait.
func (d *door) debit(in *inbound, n int) {
	now := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	bytes := in.book.bytes[in.class]
	bytes.ReserveN(now, min(n, bytes.Burst()))
}

// start lets streams in.
func (d *door) start() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = true
}

// stop lets no more streams in, ends reading on those that are there and waits
// for their handlers. Replies are still sent.
func (d *door) stop() {
	d.mu.Lock()
	d.open = false
	var all []*inbound
	for _, b := range d.books.Values() {
		for _, streams := range b.streams {
			all = append(all, streams...)
		}
	}
	d.mu.Unlock()
	for _, in := range all {
		// An error means that the stream has ended already.
		_ = in.stream.CloseRead()
	}
	d.served.Wait()
}
