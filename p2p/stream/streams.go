package stream

import (
	"cmp"
	"fmt"

	"github.com/forage-net/forage/crawl"
)

// Streams is the machine of one node: all its shards.
type Streams struct {
	cfg    Config
	start  uint64               // names this start to those that pull; another one makes them begin again
	marks  map[Shard]Marks      // of what the store has
	own    map[Shard]*numbering // the runs in which this store stamps
	lead   map[Shard]*leading
	follow map[Shard]*following
	offers map[Shard]crawl.PeerID // copies that this node need not keep, and the leaders that were told so
	pulls  []*pull
	puts   []put
	asks   asks
	drops  []*dropping
	stale  [][]byte // keys of items that may be deleted
	work   *batch   // between Commit and Committed
	due    bool     // there may be something to send
}

// put waits for the next Commit.
type put struct {
	shard  Shard
	items  []Make
	stored func(n uint64)
}

// Open reads the marks that the store holds.
func Open(cfg Config, disk Disk) (*Streams, error) {
	cfg.Kept = cmp.Or(cfg.Kept, DefaultKept)
	if cfg.Note == nil {
		cfg.Note = func(Note) {}
	}
	if cfg.Changed == nil {
		cfg.Changed = func(Tx, crawl.Domain, []Change) error { return nil }
	}
	if cfg.Stale == nil {
		cfg.Stale = func(Item) bool { return false }
	}
	s := &Streams{cfg: cfg, start: cfg.Chance(), marks: make(map[Shard]Marks), own: make(map[Shard]*numbering),
		lead: make(map[Shard]*leading), follow: make(map[Shard]*following), offers: make(map[Shard]crawl.PeerID)}
	err := disk.View(func(tx Tx) error {
		st := &store{tx: tx}
		for k, v := range st.scan(bucketMarks, nil, nil) {
			m, err := parseMarks(v)
			st.fail(err)
			s.marks[Shard(k)] = m
		}
		return st.err
	})
	if err != nil {
		return nil, fmt.Errorf("read marks: %w", err)
	}
	return s, nil
}

// Lead begins to lead a shard: it draws a run, whose generation is one above the highest known of the shard. The next
// Commit stores the mark (run, 0), and then the run has begun.
func (s *Streams) Lead(shard Shard, term Term) {
	run := &numbering{run: NewRun(s.marks[shard].highest()+1, s.cfg.Chance())}
	s.own[shard] = run
	s.lead[shard] = &leading{numbering: run, shard: shard, term: term,
		to: make(map[crawl.PeerID]*session), claims: make(map[crawl.PeerID]*claim)}
	delete(s.follow, shard)
	s.member(shard)
}

// Resign ends leading.
func (s *Streams) Resign(shard Shard) {
	if s.lead[shard] != nil {
		delete(s.lead, shard)
		delete(s.own, shard)
	}
}

// Followers sets the members that the commits of a led shard go to: voters and learners without this node.
// Those that stay keep their sessions.
func (s *Streams) Followers(shard Shard, peers []crawl.PeerID) {
	if l := s.lead[shard]; l != nil {
		l.follows(peers)
		s.due = true
	}
}

// Make makes items in the transaction that merges them, from what is known by then. An error is one of the store.
type Make func(Tx) ([]Item, error)

// Put merges items with the next Commit; each of items are made when those before them are merged. What changes is
// stamped in the run being led, or in one of this store's own. stored may be nil. If the node leads, it is called from
// Committed with the number of the run that covers the items, also if nothing changed. It is never called if the node
// does not lead by then. Items that are beyond the bounds are left out.
func (s *Streams) Put(shard Shard, items []Make, stored func(n uint64)) {
	s.puts = append(s.puts, put{shard, items, stored})
}

// Forget deletes an item with the next Commit if it is stale.
func (s *Streams) Forget(d crawl.Domain, key string) { s.stale = append(s.stale, itemKey(d, key)) }

// Number returns the last durable number of the run being led, and whether the run has begun.
func (s *Streams) Number(shard Shard) (n uint64, begun bool) {
	if l := s.lead[shard]; l != nil {
		return l.n, l.begun
	}
	return 0, false
}

// Acked returns what p has acknowledged of the run being led, false before its first acknowledgement. It goes down if p
// says that it has less than it had.
func (s *Streams) Acked(shard Shard, p crawl.PeerID) (n uint64, ok bool) {
	if l := s.lead[shard]; l != nil && l.to[p] != nil {
		return max(l.to[p].lacks, 1) - 1, l.to[p].lacks > 0
	}
	return 0, false
}

// Marks returns a copy of this store's durable marks of a shard.
func (s *Streams) Marks(shard Shard) Marks {
	m := make(Marks)
	m.join(s.marks[shard])
	return m
}

// Sizes returns the number of entries of every map and queue, for tests of bounds.
func (s *Streams) Sizes() map[string]int {
	sizes := map[string]int{"marks": len(s.marks), "own": len(s.own), "lead": len(s.lead), "follow": len(s.follow),
		"offers": len(s.offers), "pulls": len(s.pulls), "puts": len(s.puts), "asks": len(s.asks), "drops": len(s.drops)}
	for _, m := range s.marks {
		sizes["runs"] = max(sizes["runs"], len(m))
	}
	for _, f := range s.follow {
		sizes["inbox"] += len(f.waiting)
		sizes["inbox bytes"] += f.size
	}
	for _, l := range s.lead {
		sizes["sessions"] += len(l.to)
		sizes["claims"] += len(l.claims)
		sizes["kept"] += len(l.log.messages)
		sizes["kept bytes"] += l.log.size
	}
	return sizes
}
