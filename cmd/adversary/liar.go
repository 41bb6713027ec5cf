package main

import (
	"context"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// lieEvery is how often a liar repeats itself.
const lieEvery = 500 * time.Millisecond

// far is by what numbers are ahead that must not be: terms by less than is taken for a fault, and others by
// more than anybody comes by itself.
const (
	farTerm   = 1 << 19
	farNumber = 1 << 61
)

// inLine returns an attack by a member that is honest until it is of a line, and then tells the others of it
// something about the shard as well.
func inLine(
	tell func(m *member, v group.View) (to []crawl.PeerID, message []byte),
) func(context.Context, *options) error {
	return func(ctx context.Context, o *options) error {
		m, err := join(ctx, o, 1, nil)
		if err != nil {
			return err
		}
		defer m.close()
		o.did.add("members", 1)
		for ; ctx.Err() == nil; wait(ctx, lieEvery) {
			for _, v := range m.look(ctx) {
				if !slices.Contains(v.Voters, m.self) || len(v.Voters) < 2 {
					continue
				}
				to, msg := tell(m, v)
				for _, p := range to {
					m.tell(ctx, p, stream.LaneBeat, msg)
				}
			}
		}
		return nil
	}
}

func (m *member) look(ctx context.Context) (views []group.View) {
	_ = m.Do(ctx, func(n *group.Node) error {
		views = n.Look()
		return nil
	})
	return views
}

// sayFor is how long a lie may be under way.
const sayFor = 5 * time.Second

func (m *member) tell(ctx context.Context, to crawl.PeerID, lane stream.Lane, messages ...[]byte) {
	if to == m.self || to == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sayFor)
	defer cancel()
	if err := m.wires.say(ctx, to, lane, messages...); err != nil {
		m.did.add("lies lost", 1)
		return
	}
	m.did.add("lies", 1)
}

func tellTerms(_ *member, v group.View) ([]crawl.PeerID, []byte) {
	beat := &pb.Message{Type: new(pb.MsgHeartbeat), Term: new(v.Term.Number + farTerm), Commit: new(uint64(0))}
	return v.Voters, raftMessage(v.Shard, v.Term.Founding, beat)
}

func tellFounding(_ *member, v group.View) ([]crawl.PeerID, []byte) {
	beat := &pb.Message{Type: new(pb.MsgHeartbeat), Term: new(uint64(1)), Commit: new(uint64(0))}
	return v.Voters, raftMessage(v.Shard, v.Term.Founding+1<<40, beat)
}

func tellAcks(_ *member, v group.View) ([]crawl.PeerID, []byte) {
	ack := &pb.Message{Type: new(pb.MsgAppResp), Term: new(v.Term.Number), Index: new(uint64(1 << 40))}
	return []crawl.PeerID{v.Leader}, raftMessage(v.Shard, v.Term.Founding, ack)
}

// tellAll returns an attack by a member that tells all others, for each shard, something that it has no right to.
func tellAll(
	lies func(m *member, to crawl.PeerID, shards []stream.Shard) [][]byte,
) func(context.Context, *options) error {
	return func(ctx context.Context, o *options) error {
		m, err := join(ctx, o, 0, takeAll(ctx)) // what anybody brings here is lost
		if err != nil {
			return err
		}
		defer m.close()
		o.did.add("members", 1)
		for ; ctx.Err() == nil; wait(ctx, lieEvery) {
			shards := m.layout.Layout().Shards()
			for _, to := range m.owners() {
				for _, msg := range lies(m, to, shards) {
					m.tell(ctx, to, stream.LaneAct, msg)
				}
			}
		}
		return nil
	}
}

// claims says that everything is the sender's.
func claims(m *member, _ crawl.PeerID, shards []stream.Shard) (messages [][]byte) {
	for _, s := range shards {
		if s.Home() != m.self {
			messages = append(messages, claimMessage(stream.ShardOf(m.self, 0), s, claimActing, farNumber,
				[]ring.Prefix{{}}))
		}
	}
	return messages
}

// hand fills the records of all shards with leases of sites that do not exist, which count for two days.
func hand(m *member, _ crawl.PeerID, shards []stream.Shard) (messages [][]byte) {
	const long = 48 * time.Hour
	var leases []record.Lease
	for range record.MaxLeases {
		d := crawl.Domain(fmt.Sprintf("v%d.test", mathrand.IntN(1e9)))
		leases = append(leases, record.Lease{ID: crawl.LeaseID(mathrand.Uint64()), Domain: d, Fetcher: m.self,
			Left: long, Gap: long, Careful: true})
	}
	for _, s := range shards {
		messages = append(messages, handMessage(s, leases))
	}
	return messages
}

// lead says that the sender leads all shards.
func lead(m *member, _ crawl.PeerID, shards []stream.Shard) (messages [][]byte) {
	for _, s := range shards {
		messages = append(messages, ledMessage(s, m.self))
	}
	return messages
}

// takeAll acknowledges what is put, and drops it.
func takeAll(ctx context.Context) func(*member, *driver.Config) {
	return func(m *member, _ *driver.Config) {
		m.wires.swallow = func(from crawl.PeerID, b []byte) bool {
			if b[0] != kindPut {
				return false
			}
			r := &codec.Reader{B: b[1:]}
			m.did.add("taken and dropped", 1)
			m.tell(ctx, from, stream.LaneAct, storedMessage(r.Fixed()))
			return true
		}
	}
}

// relayed says for each line that a member is in that another one of it led the shard, founded again much later.
func relayed(m *member, to crawl.PeerID, shards []stream.Shard) (messages [][]byte) {
	beat := &pb.Message{Type: new(pb.MsgHeartbeat), Term: new(uint64(1)), Commit: new(uint64(0))}
	for _, s := range shards {
		line := m.layout.Line(s)
		at := slices.IndexFunc(line, func(p crawl.PeerID) bool { return p != to && p != m.self })
		if slices.Contains(line, to) && at >= 0 {
			messages = append(messages, relayedMessage(line[at],
				pack(mathrand.Uint64(), 0, raftMessage(s, 1<<62, beat))))
		}
	}
	return messages
}

// own has a member that owns domains take in everything and keep nothing. It lends nothing either.
func own(ctx context.Context, o *options) error {
	return stay(ctx, o, func(m *member, cfg *driver.Config) {
		cfg.Node.Take = func(from group.Sender, _ crawl.Domain, _ []byte) ([]stream.Make, crawl.LeaseID, bool) {
			if from.ID != m.self {
				m.did.add("taken and dropped", 1)
			}
			return nil, 0, true
		}
		cfg.Node.Lend = func(crawl.PeerID, crawl.Domain) func(record.Lease) []byte { return nil }
	})
}

// stay is a member that lies by what it is.
func stay(ctx context.Context, o *options, change func(*member, *driver.Config)) error {
	m, err := join(ctx, o, 1, change)
	if err != nil {
		return err
	}
	defer m.close()
	o.did.add("members", 1)
	<-ctx.Done()
	return nil
}

// amnesia is a store that says that it has written what it has not.
type amnesia struct {
	*storage.DB
	did *tally
}

var errForgotten = errors.New("forgotten")

// Update implements stream.Bolt.
func (a amnesia) Update(do func(*storage.Tx) error) error {
	err := a.DB.Update(func(tx *storage.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		return errForgotten
	})
	if a.did.add("commits forgotten", 1); errors.Is(err, errForgotten) {
		return nil
	}
	return err
}

func forget(ctx context.Context, o *options) error {
	return stay(ctx, o, func(m *member, cfg *driver.Config) { cfg.Store = amnesia{m.db, &m.did} })
}

// doneOn is the date of all visits that never were: the first of January 2100.
const doneOn = 4102444800

// done returns a URL's item as if it had been visited long after now; others stay.
func done(d crawl.Domain, key string, value []byte) []byte {
	u, err := store.DecodeURL(d, value)
	if len(key) == 0 || store.Kind(key[0]) != store.KindURL || err != nil {
		return value
	}
	u.Version, u.State = store.MaxVersion, store.Done
	u.Visit = store.Visit{Date: doneOn, Result: crawl.Fetched, Status: 200, Size: 900}
	return u.Encode(d)
}

// visited has a member merge every URL into one that was visited, and tell the leaders of all domains that it
// knows more of them than they: they pull that.
func visited(ctx context.Context, o *options) error {
	m, err := join(ctx, o, 1, func(m *member, cfg *driver.Config) {
		cfg.Node.Merge = func(d crawl.Domain, key string, a, b []byte) []byte {
			return done(d, key, store.Merge(d, key, a, b))
		}
		cfg.Node.Stale = nil
	})
	if err != nil {
		return err
	}
	defer m.close()
	o.did.add("members", 1)
	for ; ctx.Err() == nil; wait(ctx, 4*lieEvery) {
		domains, err := m.finish(ctx)
		if err != nil {
			return err
		}
		for chunk := range slices.Chunk(domains, maxClaims) {
			m.tellLate(ctx, chunk)
		}
	}
	return nil
}

// finish makes all items that are here done, as items of this member's own shard, and returns their domains.
func (m *member) finish(ctx context.Context) (domains []crawl.Domain, err error) {
	var items []stream.Item
	if err := m.db.View(func(tx *storage.Tx) error {
		return stream.ScanAll(stream.FromStorage(tx), "", "", func(i stream.Item) bool {
			if d := i.Domain; len(domains) == 0 || domains[len(domains)-1] != d {
				domains = append(domains, d)
			}
			if v := done(i.Domain, i.Key, i.Value); string(v) != string(i.Value) {
				items = append(items, stream.Item{Domain: i.Domain, Key: i.Key, Value: v})
			}
			return true
		})
	}); err != nil {
		return nil, err
	}
	m.did.add("pages told", len(items))
	return domains, m.Do(ctx, func(n *group.Node) error {
		n.Streams().Put(stream.ShardOf(m.self, 0),
			[]stream.Make{func(stream.Tx) ([]stream.Item, error) { return items, nil }}, nil)
		return nil
	})
}

// tellLate says that something of domains came here late.
func (m *member) tellLate(ctx context.Context, domains []crawl.Domain) {
	of := make(map[stream.Shard][]ring.Prefix)
	for _, d := range domains {
		if home, ok := m.layout.Layout().Home(d); ok {
			of[home] = append(of[home], record.PrefixOf(crawl.KeyOf(d)))
		}
	}
	for home, prefixes := range of {
		msg := claimMessage(stream.ShardOf(m.self, 0), home, claimLate, 0, prefixes)
		for _, to := range m.layout.Line(home) {
			m.tell(ctx, to, stream.LaneAct, msg)
		}
	}
}

// lend has a member offer domains to all others at once, and lend them to whoever asks.
func lend(ctx context.Context, o *options) error {
	var m *member
	var known domains
	m, err := join(ctx, o, 0, func(m *member, cfg *driver.Config) {
		known.add(m.options.domains...)
		cfg.Node.Told = func(_ crawl.PeerID, b []byte) { known.add(readOffer(b)...) }
		m.wires.swallow = func(from crawl.PeerID, b []byte) bool {
			id, d, ok := readAsk(b)
			if ok {
				m.grant(ctx, from, id, d)
			}
			return ok
		}
	})
	if err != nil {
		return err
	}
	defer m.close()
	o.did.add("members", 1)
	want := body(bodyWant, &wire.Ask{Slots: maxOffers}) // as one that wants work it hears of domains
	for ; ctx.Err() == nil; wait(ctx, 2*lieEvery) {
		_ = m.Do(ctx, func(n *group.Node) error {
			for _, p := range m.others() {
				n.Tell(p, want)
				for chunk := range slices.Chunk(known.all(), maxOffers) {
					n.Tell(p, offerBody(chunk))
					m.did.add("domains offered", len(chunk))
				}
			}
			return nil
		})
	}
	return nil
}

// grant lends a domain, whoever else has it.
func (m *member) grant(ctx context.Context, to crawl.PeerID, id uint64, d crawl.Domain) {
	u, err := crawl.ParseURL(forgedURL(string(d)))
	if err != nil {
		return
	}
	lease := record.Lease{ID: crawl.LeaseID(mathrand.Uint64()), Domain: d, Fetcher: to, Left: 10 * time.Second}
	w := wire.LeaseOf(crawl.Lease{ID: crawl.LeaseID(lease.ID), Domain: d, For: lease.Left,
		Tasks: []crawl.Task{{ID: "1", URL: u, Depth: 1}}})
	m.did.add("leases lent", 1)
	m.tell(ctx, to, stream.LaneBeat, grantMessage(id, lease, wire.Encode(&w)))
}

// domains are what a liar has heard of.
type domains struct {
	mu   sync.Mutex
	list []crawl.Domain
}

func (k *domains) add(list ...crawl.Domain) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range list {
		if !slices.Contains(k.list, d) {
			k.list = append(k.list, d)
		}
	}
}

func (k *domains) all() []crawl.Domain {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.list)
}
