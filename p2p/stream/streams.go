package stream

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
)

// Streams is the machine of one node: all its shards.
type Streams struct {
	cfg    Config
	start  uint64          // names this start to those that pull; another one makes them begin again
	marks  map[Shard]Marks // as they are durable
	alone  map[Shard]Stamp // the last stamp of the own runs, in which this store stamps without leading
	lead   map[Shard]*leading
	follow map[Shard]*following
	offers map[Shard]*offering // copies that this node need not keep
	pulls  pulls
	single []put // by PutAlone
	inbox  inbox
	asks   asks
	drops  []*dropping
	work   *batch // between Commit and Committed
	due    bool   // there may be something to send
}

// Open reads the marks that the store holds.
func Open(cfg Config, disk Disk) (*Streams, error) {
	cfg.Retry = cmp.Or(cfg.Retry, DefaultRetry)
	cfg.Kept = cmp.Or(cfg.Kept, DefaultKept)
	s := &Streams{cfg: cfg, start: cfg.Chance(), marks: make(map[Shard]Marks), alone: make(map[Shard]Stamp),
		lead: make(map[Shard]*leading), follow: make(map[Shard]*following), offers: make(map[Shard]*offering),
		pulls: make(pulls), inbox: inbox{per: make(map[crawl.PeerID]int)}}
	var fault error
	err := disk.View(func(tx Tx) error {
		return tx.Scan(bucketMarks, nil, func(k, v []byte) bool {
			fault = readMark(s.marks, k, v)
			return fault == nil
		})
	})
	if err = cmp.Or(fault, err); err != nil {
		return nil, fmt.Errorf("read marks: %w", err)
	}
	return s, nil
}

func readMark(marks map[Shard]Marks, k, v []byte) error {
	shard, run, err := splitShardKey(k)
	if err != nil {
		return err
	}
	if len(run) != 8 || len(v) != 8 {
		return fmt.Errorf("mark of %s: %w", shard, errStored)
	}
	if marks[shard] == nil {
		marks[shard] = make(Marks)
	}
	marks[shard][Run(binary.BigEndian.Uint64(run))] = binary.BigEndian.Uint64(v)
	return nil
}

// Lead begins to lead a shard: it draws a run, whose generation is one above the highest known of the shard. The next
// Commit stores the mark (run, 0), and then the run has begun. A node that leads already begins another run, and its
// puts that wait are forgotten; the followers stay.
func (s *Streams) Lead(shard Shard, term Term) {
	l := &leading{shard: shard, term: term, run: nextRun(s.marks[shard], s.cfg.Chance()),
		to: make(map[crawl.PeerID]*session), claims: make(map[crawl.PeerID]*claim)}
	if old := s.lead[shard]; old != nil {
		l.follows(slices.Collect(maps.Keys(old.to)))
		s.Resign(shard)
	}
	s.lead[shard] = l
	s.unfollow(shard)
	s.member(shard)
}

// Resign ends leading. Puts that wait are forgotten.
func (s *Streams) Resign(shard Shard) {
	delete(s.lead, shard)
	maps.DeleteFunc(s.pulls, func(k pullKey, p *pull) bool { return k.into == shard && (k.shard != shard || p.internal) })
}

// Followers sets whom the commits of a led shard go to: voters and learners without this node. Those that stay keep
// their sessions.
func (s *Streams) Followers(shard Shard, peers []crawl.PeerID) {
	l := s.lead[shard]
	if l == nil {
		return
	}
	l.follows(peers)
	s.due = true
	maps.DeleteFunc(s.pulls, func(k pullKey, p *pull) bool {
		return k.shard == shard && k.into == shard && p.internal && l.to[k.from] == nil && l.claims[k.from] == nil
	})
}

// Put merges items into a led shard with the next Commit. stored may be nil; it is called from Committed with the number
// of the run that covers the items, also if nothing changed. It is never called if the node does not lead, or resigns
// first. Items that are not Valid are left out.
func (s *Streams) Put(shard Shard, items []Item, stored func(n uint64)) {
	if l := s.lead[shard]; l != nil {
		l.puts = append(l.puts, put{shard, valid(items), stored})
	}
}

// PutAlone merges items with the next Commit without leading: what changes is stamped in a run of this store's own,
// drawn at each start. If the node leads by then, it is as Put.
func (s *Streams) PutAlone(shard Shard, items []Item) {
	s.single = append(s.single, put{shard: shard, items: valid(items)})
}

// valid returns the items that are.
func valid(items []Item) []Item {
	return slices.DeleteFunc(slices.Clone(items), func(i Item) bool { return !i.Valid() })
}

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
		return l.to[p].acked, l.to[p].ok
	}
	return 0, false
}

// Marks returns a copy of this store's durable marks of a shard.
func (s *Streams) Marks(shard Shard) Marks { return s.marks[shard].clone() }

// Get returns the value of an item, nil if there is none. It is valid until the transaction ends.
func (s *Streams) Get(tx Tx, d crawl.Domain, key string) []byte {
	if _, v, err := parseStored(tx.Get(bucketItems, itemKey(d, key))); err == nil {
		return v
	}
	return nil
}

// Items visits the items of a domain in ascending order of keys while visit returns true.
func (s *Streams) Items(tx Tx, d crawl.Domain, visit func(key string, value []byte) (more bool)) error {
	return scanItems(tx, d, "", func(it stamped) bool { return visit(it.Key, it.Value) })
}

// Domains visits the domains that streams, pulls or puts of the shard carried here, in ascending order, while visit
// returns true.
func (s *Streams) Domains(tx Tx, shard Shard, visit func(crawl.Domain) (more bool)) error {
	return scanCame(tx, shard, "", func(d crawl.Domain, _ *summary) (bool, error) { return visit(d), nil })
}

// member notes that this node's copy of a shard is to be kept.
func (s *Streams) member(shard Shard) {
	delete(s.offers, shard)
	s.drops = slices.DeleteFunc(s.drops, func(d *dropping) bool { return d.shard == shard && d.prefixes == nil })
}

// Sizes returns the number of entries of every map and queue, for tests of bounds.
func (s *Streams) Sizes() map[string]int {
	sizes := map[string]int{"marks": len(s.marks), "alone": len(s.alone), "lead": len(s.lead), "follow": len(s.follow),
		"offers": len(s.offers), "pulls": len(s.pulls), "single": len(s.single), "asks": len(s.asks), "drops": len(s.drops),
		"inbox": len(s.inbox.waiting), "inbox bytes": s.inbox.bytes, "inbox peers": len(s.inbox.per)}
	for _, m := range s.marks {
		sizes["runs"] = max(sizes["runs"], len(m))
	}
	for _, l := range s.lead {
		sizes["puts"] += len(l.puts)
		sizes["sessions"] += len(l.to)
		sizes["claims"] += len(l.claims)
		sizes["kept"] += len(l.log.entries)
		sizes["kept bytes"] += l.log.end - l.log.dropped
	}
	return sizes
}
