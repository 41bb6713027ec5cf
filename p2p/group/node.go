package group

import (
	"errors"
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// Node is a member's part in all shards that it keeps, and in the leases that it holds as a fetcher. It
// has no goroutines and no clock: a driver gives it packets and ticks, lets it commit, and sends what it has to say.
// One goroutine at a time may use it.
type Node struct {
	cfg     Config
	disk    stream.Disk
	streams *stream.Streams

	host     *shard.Host
	replicas map[stream.Shard]*shard.Replica
	order    []stream.Shard // of replicas; nil: to be made again
	peers    *peers
	routes   routes
	requests requests
	calls    calls
	inbox    []inPacket
	inBytes  int

	ticks int
	gone  []stream.Shard // shards that are to be deleted
	local []local        // writes of this node's own
	err   error          // the store failed, or holds what cannot be read
	bad   int            // malformed packets, and those that found the inbox full
}

type inPacket struct {
	from   crawl.PeerID
	packet []byte
}

// local is a write to buckets that no other member has.
type local struct {
	write func(stream.Tx) error
	done  func(stored bool)
}

const (
	maxInbox   = 4096
	maxInBytes = 32 << 20
)

// Open reads what a member stored. Nothing is sent before the first Tick.
func Open(cfg Config, disk stream.Disk) (*Node, error) {
	n := &Node{cfg: cfg, disk: disk}
	n.peers = &peers{
		self: cfg.Self, boot: cfg.Chance(), beat: cfg.Times.Beat, now: cfg.Clock.Awake, busy: cfg.Busy,
		known: map[crawl.PeerID]*peer{}, toSelf: func(packet []byte) { n.receive(cfg.Self, packet) },
	}
	n.routes, n.requests = routes{n, map[stream.Shard]hint{}}, requests{n}
	n.calls.begin(n)
	n.host = &shard.Host{
		Self: cfg.Self, Times: cfg.Times, Clock: cfg.Clock, Directory: cfg.Directory, Chance: cfg.Chance,
		Gap: cfg.Gap, Note: cfg.note,
		Disk: disk, Send: n.peers.send, Up: n.peers.up, ByID: n.peers.byID, Fail: n.fail,
		Replica: func(s stream.Shard) *shard.Replica { return n.replicas[s] }, Invite: n.invited,
		Leader: n.routes.to, Hinted: func(s stream.Shard) crawl.PeerID { return n.routes.hints[s].peer },
		Hint: n.routes.hint,
	}
	var err error
	n.streams, err = stream.Open(stream.Config{
		Merge: cfg.Merge, Changed: cfg.Changed, Stale: cfg.Stale,
		Chance: cfg.Chance, Now: cfg.Clock.Awake, Retry: cfg.Times.Beat,
		Send: func(to crawl.PeerID, lane stream.Lane, m []byte) {
			w := newMessage(kindStream)
			w.B = append(w.B, m...)
			n.peers.send(to, lane, w)
		},
		Group: n.host, Note: cfg.streamNote(),
	}, disk)
	if err != nil {
		return nil, err
	}
	n.host.Streams = n.streams
	return n, disk.View(func(tx stream.Tx) (err error) {
		n.replicas, err = shard.Open(n.host, tx)
		return errors.Join(err, n.err)
	})
}

// fail remembers an error that ends the node: Commit returns it.
func (n *Node) fail(err error) { n.err = errors.Join(n.err, err) }

// shards returns the shards kept here, in order.
func (n *Node) shards() []stream.Shard {
	if n.order == nil {
		n.order = slices.Sorted(maps.Keys(n.replicas))
	}
	return n.order
}

// begin makes a part in a shard that this member does not have.
func (n *Node) begin(s stream.Shard) *shard.Replica {
	r := shard.New(n.host, s)
	n.replicas[s], n.order = r, nil
	return r
}

// invited returns the part in a shard that this member has or may get: its roster must see it in the line.
func (n *Node) invited(s stream.Shard) *shard.Replica {
	if here := n.replicas[s]; here != nil {
		return here
	}
	if slices.Contains(n.cfg.Directory.Line(s), n.cfg.Self) {
		return n.begin(s)
	}
	return nil
}

// Receive takes a packet from a connected peer. It is handled in the next Commit. Node keeps the slice.
func (n *Node) Receive(from crawl.PeerID, packet []byte) {
	if len(packet) > maxPacket || from == n.cfg.Self || from == "" {
		n.bad++
		return
	}
	n.receive(from, packet)
}

func (n *Node) receive(from crawl.PeerID, packet []byte) {
	if len(n.inbox) >= maxInbox || n.inBytes+len(packet) > maxInBytes {
		n.bad++
		return
	}
	n.inbox = append(n.inbox, inPacket{from, packet})
	n.inBytes += len(packet)
}

// Tick lets time pass. It is called about raftlog.TicksPerBeat times a beat; called late, it does not make up for it.
func (n *Node) Tick() {
	n.ticks++
	beat := n.ticks%raftlog.TicksPerBeat == 0
	n.keepHome()
	for _, s := range n.shards() {
		r := n.replicas[s]
		if r.Tick(); beat && r.Beat(n.ticks/raftlog.TicksPerBeat) {
			delete(n.replicas, s)
			n.order = nil
			n.gone = append(n.gone, s)
		}
	}
	if beat {
		n.peers.tick(n.partners())
	}
	n.calls.tick()
	n.streams.Tick()
}

// keepHome sees to the shards of which this member is the home.
func (n *Node) keepHome() {
	for _, s := range n.cfg.Directory.Mine() {
		if n.replicas[s] == nil {
			n.begin(s)
		}
		n.replicas[s].Found(n.cfg.Founder && len(n.replicas) == 1)
	}
}

// Work says what waits for a Commit.
type Work uint8

const (
	Idle   Work = iota // nothing
	Batch              // items to store, which gain by waiting some time for others
	Urgent             // what others wait for; it writes little or nothing
)

// Work returns what waits. It knows of packets after Handle.
func (n *Node) Work() Work {
	now, _, items := n.streams.Waits()
	shards, _ := n.shardsWait()
	switch {
	case now || shards || len(n.inbox) > 0 || n.err != nil:
		return Urgent
	case items || len(n.gone)+len(n.local) > 0:
		return Batch
	}
	return Idle
}

// shardsWait reports whether a shard here has something for a transaction, and whether one has a founding.
func (n *Node) shardsWait() (waits, founding bool) {
	for _, r := range n.replicas {
		a, f := r.Waits()
		waits, founding = waits || a, founding || f
	}
	return waits, founding
}

// maxRounds bounds the transactions of a Commit: a lone member's proposal takes two.
const maxRounds = 4

// Commit does what others wait for, in as few transactions as Raft allows. The first one stores the items that wait if
// items is set. After an error, the store has to be opened again.
func (n *Node) Commit(items bool) error {
	for range maxRounds {
		n.Handle()
		if w := n.Work(); n.err == nil && (w == Idle || w == Batch && !items) {
			break
		}
		if err := n.round(items); err != nil {
			return err
		}
		items = false
	}
	return n.err
}

// Handle reads the packets that have come. What they ask for waits for the next Commit, which handles packets, too.
func (n *Node) Handle() {
	inbox := n.inbox
	n.inbox, n.inBytes = nil, 0
	for _, in := range inbox {
		err := n.open(in.from, in.packet, true)
		if err == nil {
			continue
		}
		if n.bad++; in.from != n.cfg.Self && n.cfg.Offend != nil {
			n.cfg.Offend(in.from, err)
		}
	}
}

// round is one transaction: what Raft and the streams have to write. Only after it anything is answered.
func (n *Node) round(items bool) error {
	if n.err != nil {
		return n.err
	}
	_, writes, waiting := n.streams.Waits()
	writes = writes || items && (waiting || len(n.gone)+len(n.local) > 0)
	shards := n.shards()
	for _, s := range shards {
		writes = n.replicas[s].Begin() || writes
	}
	transaction := n.disk.View
	if writes {
		transaction = n.disk.Update
	}
	var own []local
	if items {
		own = n.local
	}
	if err := transaction(func(tx stream.Tx) error { return n.write(tx, writes, items, own) }); err != nil {
		n.fail(err)
		return n.err
	}
	n.streams.Committed()
	n.local = n.local[len(own):]
	for _, l := range own {
		l.done(true)
	}
	for _, s := range shards {
		n.replicas[s].Written()
	}
	for _, s := range shards {
		n.replicas[s].Act()
	}
	return n.err
}

func (n *Node) write(tx stream.Tx, writes, items bool, own []local) error {
	for _, s := range n.shards() {
		if err := n.replicas[s].Write(tx, writes); err != nil {
			return err
		}
	}
	if err := n.streams.Commit(tx, items); err != nil || !items {
		return err
	}
	for _, s := range n.gone {
		if n.replicas[s] != nil {
			continue // it came back
		}
		if err := shard.Forget(tx, s); err != nil {
			return err
		}
	}
	n.gone = nil
	for _, l := range own {
		if err := l.write(tx); err != nil {
			return err
		}
	}
	return nil
}

// Local lets write change buckets that are this node's own, with the next Commit of items and after all that it stores.
// done is called with true when that is durable, or with false by Abandon.
func (n *Node) Local(write func(stream.Tx) error, done func(stored bool)) {
	n.local = append(n.local, local{write, done})
}

// partners are the others of all shards that are kept here, and the relays of each shard in which this member and
// another do not hear each other.
func (n *Node) partners() []crawl.PeerID {
	var all []crawl.PeerID
	for _, s := range n.shards() {
		others := n.replicas[s].Others()
		all = append(all, others...)
		unheard := func(p crawl.PeerID) bool { return n.peers.needsRelay(n.peers.known[p]) }
		if slices.ContainsFunc(others, unheard) {
			all = append(all, n.cfg.Directory.Relays(s)...)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(p crawl.PeerID) bool { return p == n.cfg.Self })
}

// Unwritten reports whether packets may speak of what only the next Commit makes durable: which founding of a shard
// this member counts, and what it promised before.
func (n *Node) Unwritten() bool {
	_, founding := n.shardsWait()
	return founding
}

// Take gives the driver what may be sent now, in order of peers and lanes, of the lanes up to last. It is not
// to be called while Unwritten. The callee may keep the packets.
func (n *Node) Take(last stream.Lane, send func(to crawl.PeerID, lane stream.Lane, packet []byte)) {
	n.peers.take(last, send)
}

// Sends reports whether something waits in the lanes behind the first.
func (n *Node) Sends() bool { return n.peers.waits() }

// Leave hands over everything that this member leads. The driver goes on until Left.
func (n *Node) Leave() { n.host.Leaving = true }

// Stay takes back a Leave.
func (n *Node) Stay() { n.host.Leaving = false }

// Abandon tells all that wait for an answer that none will come. It ends the use of a Node whose Commit failed,
// or that is to be opened again later.
func (n *Node) Abandon() {
	for _, id := range slices.Sorted(maps.Keys(n.calls.waiting)) {
		if x := n.calls.take(id); x != nil {
			x.fail()
		}
	}
	own := n.local
	n.local = nil
	for _, l := range own {
		l.done(false)
	}
}

// Left reports whether this member may go. In every shard that it keeps together with others, and that still holds
// something, another member leads. What it gave to other shards has arrived there whole, or enough others are left in
// the line to tell of it again. Leases of domains that were released are known to the shards that hold those now. While
// too few are there to choose a leader, what is known may be here alone, so the driver waits some time for them.
func (n *Node) Left() bool {
	for _, v := range n.Look() {
		if v.Role == shard.Former || v.Leader != "" && v.Leader != n.cfg.Self {
			continue
		}
		together := len(v.Voters)+len(v.Learners) > 1
		othersLead := len(v.Voters)-1 > len(v.Voters)/2
		if together && len(v.Held) > 0 || v.Given > 0 && !othersLead {
			return false
		}
	}
	return n.host.Leaving
}
