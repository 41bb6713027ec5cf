package group

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.etcd.io/raft/v3"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// Node is a member's part in all shards that it keeps, and in the leases that it holds as a fetcher. It
// has no goroutines and no clock: a driver gives it packets and ticks, lets it commit, and sends what it has to say.
// One goroutine at a time may use it.
type Node struct {
	cfg     Config
	disk    stream.Disk
	streams *stream.Streams

	replicas map[stream.Shard]*replica
	peers    *peers
	routes   routes
	requests requests
	calls    calls
	inbox    []inPacket
	inBytes  int

	ticks    int
	lastTick time.Duration
	leaving  bool
	gone     []stream.Shard // shards whose founding is to be deleted
	err      error          // the store failed, or holds what cannot be read
	bad      int            // malformed packets, and those that found the inbox full
}

type inPacket struct {
	from   crawl.PeerID
	packet []byte
}

const (
	maxInbox   = 4096
	maxInBytes = 32 << 20
)

// Open reads what a member stored. Nothing is sent before the first Tick.
func Open(cfg Config, disk stream.Disk) (*Node, error) {
	n := &Node{
		cfg: cfg, disk: disk, replicas: map[stream.Shard]*replica{},
	}
	n.peers = &peers{
		self: cfg.Self, boot: cfg.Chance(), beat: cfg.Times.Beat, now: n.now, known: map[crawl.PeerID]*peer{},
		toSelf: func(packet []byte) { n.receive(cfg.Self, packet) },
	}
	n.routes, n.requests = routes{n, map[stream.Shard]hint{}}, requests{n}
	n.calls.begin(n)
	var err error
	n.streams, err = stream.Open(stream.Config{
		Merge: cfg.Merge, Chance: cfg.Chance, Now: n.now, Retry: cfg.Times.Beat,
		Send: func(to crawl.PeerID, lane stream.Lane, m []byte) {
			w := newMessage(kindStream)
			w.B = append(w.B, m...)
			n.peers.send(to, lane, w)
		},
		Group: asGroup{n}, Note: n.streamNote(),
	}, disk)
	if err != nil {
		return nil, err
	}
	return n, disk.View(n.read)
}

func (n *Node) streamNote() func(stream.Note) {
	if n.cfg.Note == nil {
		return nil
	}
	return func(x stream.Note) { n.cfg.Note(Note{Kind: Streamed, Shard: x.Shard, Stream: &x}) }
}

// read finds the shards that this store has.
func (n *Node) read(tx stream.Tx) error {
	var shards []stream.Shard
	if err := tx.Scan(bucketRaft, nil, func(k, v []byte) bool {
		r := &codec.Reader{B: k}
		if s := r.Bytes(codec.MaxName); string(r.B) == "f" {
			shards = append(shards, stream.Shard(s))
		}
		return true
	}); err != nil {
		return err
	}
	for _, s := range shards {
		f := &codec.Reader{B: tx.Get(bucketRaft, stateKey(s, 'f'))}
		r := n.newReplica(s, f.Fixed())
		r.old, r.left, r.unwritten = vote{f.Uint(), f.Fixed()}, n.now(), false
		r.unaware = codec.ReadList(f, 2*maxLine, f.Peer)
		log, err := readRaftLog(tx, s, n.cfg.Self)
		if err != nil {
			return err
		}
		if r.log = log; log != nil {
			r.readRecord()
		}
		n.replicas[s] = r
	}
	return n.err
}

// readRecord takes the record from the log's snapshot; the entries after it follow as they are committed.
func (r *replica) readRecord() {
	snap, err := r.log.mem.Snapshot()
	if err != nil || snap.GetMetadata().GetIndex() == 0 {
		return
	}
	r.restore(snap)
	if v := r.voters(); len(v) > 1 || len(v) == 1 && v[0] != r.n.cfg.Self {
		r.trust.wait = record.Longer(r.n.cfg.Times.Lease)
	}
}

func (n *Node) now() time.Duration { return n.cfg.Clock.Awake() }

// fail remembers an error that ends the node: Commit returns it.
func (n *Node) fail(err error) { n.err = errors.Join(n.err, err) }

func (n *Node) malformed(err error) {
	if err != nil {
		n.bad++
	}
}

// shards returns the shards kept here, in order.
func (n *Node) shards() []stream.Shard { return slices.Sorted(maps.Keys(n.replicas)) }

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

// Tick lets time pass. It is called about ticksPerBeat times a beat; called late, it does not make up for it.
func (n *Node) Tick() {
	n.ticks++
	beat := n.ticks%ticksPerBeat == 0
	n.keepHome()
	for _, s := range n.shards() {
		r := n.replicas[s]
		r.tick()
		if beat {
			r.tend(n.ticks / ticksPerBeat)
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
		r := n.replicas[s]
		if r == nil {
			r = n.newReplica(s, 0)
			n.replicas[s] = r
		}
		if r.log != nil || r.founding != 0 || !r.trusted(n.now()) {
			continue
		}
		number := uint64(1)
		if !r.allAnswered() {
			number = 0 // somebody may know a founding of it: that one is later
		}
		if n.cfg.Founder && len(n.replicas) == 1 {
			r.rec.Authorities = record.Authorities{{Number: 1, Shard: s}}
		}
		r.found(number)
	}
}

// tend is called once a beat.
func (r *replica) tend(beats int) {
	if l := r.lead; l != nil {
		if l.acts {
			l.tend()
			l.moves.tend()
		}
		return
	}
	r.care.hand()
	if !r.trusted(r.n.now()) || r.leader() == "" || r.n.now()-r.election.word > 3*r.n.cfg.Times.Beat {
		for _, p := range r.others() {
			r.n.tellStatus(r, p, true)
		}
	}
	if r.log == nil && beats%4 == 0 {
		r.retire()
	}
}

// retire offers what a former member knows to the leader, until there is nothing that the line lacks. Then
// this member has no part in the shard.
func (r *replica) retire() {
	n, empty := r.n, true
	if err := n.disk.View(func(tx stream.Tx) error {
		return stream.Domains(tx, r.shard, func(crawl.Domain) bool { empty = false; return false })
	}); err != nil {
		n.fail(err)
		return
	}
	if !empty {
		if to := n.routes.to(r.shard); to != "" && to != n.cfg.Self {
			n.streams.Offer(r.shard, to)
		}
		return
	}
	if n.now()-r.left > 3*n.cfg.Times.Day {
		r.unaware = nil // their group was founded again since
	}
	for _, p := range r.unaware {
		n.tellStatus(r, p, true)
	}
	if len(r.unaware) == 0 && len(r.leases.Live(n.now())) == 0 && !slices.Contains(n.cfg.Directory.Line(r.shard), n.cfg.Self) {
		delete(n.replicas, r.shard)
		n.gone = append(n.gone, r.shard)
	}
}

// Waits reports whether Commit has something to do.
func (n *Node) Waits() bool {
	if len(n.inbox) > 0 || n.err != nil {
		return true
	}
	if reads, writes := n.streams.Waits(); reads || writes {
		return true
	}
	if len(n.gone) > 0 {
		return true
	}
	for _, r := range n.replicas {
		if r.unwritten || r.lead != nil && r.lead.mayFlush() || r.log != nil && (r.log.rewrite || r.log.node.HasReady()) {
			return true
		}
	}
	return false
}

// maxRounds bounds the transactions of a Commit: a lone member's proposal takes two.
const maxRounds = 4

// Commit does everything that waits, in as few transactions as Raft allows. After an error, the store has to be
// opened again.
func (n *Node) Commit() error {
	for range maxRounds {
		n.drain()
		if n.err == nil && !n.Waits() {
			break
		}
		if err := n.round(); err != nil {
			return err
		}
	}
	return n.err
}

func (n *Node) drain() {
	inbox := n.inbox
	n.inbox, n.inBytes = nil, 0
	for _, in := range inbox {
		n.malformed(n.open(in.from, in.packet, true))
	}
}

// round is one transaction: what Raft and the streams have to write. Only after it anything is answered.
func (n *Node) round() error {
	if n.err != nil {
		return n.err
	}
	type step struct {
		r  *replica
		rd raft.Ready
	}
	var steps []step
	_, writes := n.streams.Waits()
	writes = writes || len(n.gone) > 0
	for _, s := range n.shards() {
		r := n.replicas[s]
		if r.lead != nil {
			r.lead.flush()
		}
		if rd, ok := r.ready(); ok {
			steps = append(steps, step{r, rd})
			writes = writes || rd.MustSync || !raft.IsEmptySnap(rd.Snapshot) || len(rd.Entries) > 0
		}
		writes = writes || r.unwritten || r.log != nil && r.log.rewrite
	}
	commit := func(tx stream.Tx) error {
		for _, x := range steps {
			if x.r.log != nil {
				if err := x.r.log.keep(tx, x.rd, writes); err != nil {
					return fmt.Errorf("write the log of %s: %w", x.r.shard, err)
				}
			}
		}
		if writes {
			if err := n.writeFoundings(tx); err != nil {
				return err
			}
		}
		return n.streams.Commit(tx)
	}
	transaction := n.disk.View
	if writes {
		transaction = n.disk.Update
	}
	if err := transaction(commit); err != nil {
		n.fail(err)
		return n.err
	}
	n.streams.Committed()
	for _, x := range steps {
		if x.r.log != nil {
			x.r.done(x.rd)
		}
	}
	for _, s := range n.shards() {
		if l := n.replicas[s].lead; l != nil {
			l.maybeAct()
			l.answer()
		}
	}
	return n.err
}

// writeFoundings writes which groups this member knows, and logs that began.
func (n *Node) writeFoundings(tx stream.Tx) error {
	for _, s := range n.gone {
		if n.replicas[s] != nil {
			continue // it came back
		}
		if err := tx.Delete(bucketRaft, stateKey(s, 'f')); err != nil {
			return err
		}
	}
	n.gone = nil
	for _, s := range n.shards() {
		r := n.replicas[s]
		if r.log != nil && r.log.rewrite {
			if err := r.log.write(tx, nil); err != nil {
				return err
			}
		}
		if !r.unwritten {
			continue
		}
		if r.log == nil {
			if err := erase(tx, s); err != nil {
				return err
			}
		}
		w := &codec.Writer{}
		w.Fixed(r.founding)
		w.Uint(r.old.term)
		w.Fixed(r.old.to)
		codec.WriteList(w, r.unaware, func(p crawl.PeerID) { w.Text(string(p)) })
		if err := tx.Put(bucketRaft, stateKey(s, 'f'), w.B); err != nil {
			return err
		}
		r.unwritten = false
	}
	return nil
}

// partners are the others of all shards that are kept here.
func (n *Node) partners() []crawl.PeerID {
	var all []crawl.PeerID
	for _, s := range n.shards() {
		all = append(all, n.replicas[s].others()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Take gives the driver everything that may be sent now, in order of peers and lanes. The callee may keep the packets.
func (n *Node) Take(send func(to crawl.PeerID, lane stream.Lane, packet []byte)) { n.peers.take(send) }

// Leave hands over everything that this member leads. The driver goes on until Left.
func (n *Node) Leave() { n.leaving = true }

// Left reports whether this member leads nothing that another could lead.
func (n *Node) Left() bool {
	for _, r := range n.replicas {
		if r.lead != nil && slices.ContainsFunc(r.followers(), n.peers.up) {
			return false
		}
	}
	return n.leaving
}
