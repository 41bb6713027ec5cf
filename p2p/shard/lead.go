package shard

import (
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// leading is what a leader knows beside the record. It ends with the term.
type leading struct {
	r     *Replica
	term  stream.Term
	since time.Duration

	// Before it acts, it has an entry of its own term, and what the reachable members of the line have.
	acts   bool
	asked  map[crawl.PeerID]func() // pulls under way, and how to cancel them
	pulled []crawl.PeerID
	number uint64 // the commit that covers what was pulled

	ops      []record.Op // for the next entry
	pressing bool        // ops do not wait for the next beat, as ends of leases do
	tag      uint64
	then     []func(record.Effect)            // what comes after each of ops
	waiting  map[uint64][]func(record.Effect) // by tag
	granting map[crawl.Domain]crawl.PeerID    // to whom leases are proposed and not applied
	puts     []waitingPut                     // in the order of their commits

	change  []crawl.PeerID // the voters that a proposed change makes, nil if none is pending
	invited time.Duration  // since when the present learner has been asked
	deaf    crawl.PeerID   // the last one that did not answer
	handing *handing
	moves   *moves
	homeOff time.Duration // when the home was last seen not to be up
}

// waitingPut is a put that is stored here and not yet with a follower.
type waitingPut struct {
	n    uint64
	done func()
}

// maxWaiting bounds what waits for followers or for Raft. Beyond it, callers come again.
const maxWaiting = 4096

func (r *Replica) resign() {
	if r.lead == nil {
		return
	}
	if r.lead.acts {
		r.note(Note{Kind: Resigned, Term: r.lead.term})
	}
	r.lead.cancel()
	r.lead.moves.end()
	r.lead = nil
	r.election.word, r.election.stood = r.h.now(), 0
	r.h.Streams.Resign(r.shard)
}

// beginLead begins a run.
func beginLead(r *Replica) {
	l := &leading{
		r: r, term: r.term(), tag: r.h.Chance(),
		asked: map[crawl.PeerID]func(){}, waiting: map[uint64][]func(record.Effect){},
		granting: map[crawl.Domain]crawl.PeerID{},
	}
	l.moves = newMoves(l)
	r.lead = l
	r.care.end()
	r.note(Note{Kind: Elected})
	r.h.Streams.Lead(r.shard, l.term)
	r.h.Streams.Followers(r.shard, l.followers())
	for _, x := range r.leases.Told(r.h.now(), unrecorded(l.term)) {
		l.learn(x)
	}
	l.sync()
}

// sync asks all of the line that can be reached what this store lacks, leases included. It acts when it has that.
func (l *leading) sync() {
	l.cancel()
	l.acts, l.since, l.pulled = false, l.r.h.now(), nil
	l.ask(l.r.Others())
}

// cancel ends the pulls under way.
func (l *leading) cancel() {
	for _, p := range slices.Sorted(maps.Keys(l.asked)) {
		l.asked[p]()
		delete(l.asked, p)
	}
}

func (l *leading) followers() []crawl.PeerID {
	all := append(l.r.voters(), l.r.learners()...)
	return slices.DeleteFunc(all, func(p crawl.PeerID) bool { return p == l.r.h.Self })
}

// pullFrom asks a member of the line for everything that it has and this store lacks, its live leases included.
func (l *leading) pullFrom(p crawl.PeerID) {
	r := l.r
	l.asked[p] = r.h.Streams.Pull(stream.Pull{
		Shard: r.shard, From: p, Into: r.shard, Term: l.term,
		Done: func(got stream.Pulled) {
			if r.lead != l {
				return
			}
			delete(l.asked, p)
			l.pulled = append(l.pulled, p)
			l.number = max(l.number, got.N)
			for _, x := range record.ReadLeases(&codec.Reader{B: got.Extra}) {
				l.learn(x)
			}
			l.maybeAct()
		},
	})
}

// learn takes a live lease that another store told of. One that is not in the record is put there.
func (l *leading) learn(x record.Lease) {
	k, known := l.r.leases.Get(x.Domain, x.ID)
	if known && k.Founding == l.term.Founding || !known && l.r.leases.Full(0, l.r.h.now()) {
		return
	}
	x.Gap = min(x.Gap, carefulPace*max(l.r.h.Times.Lease, l.r.h.Gap(x.Domain)))
	x.Left = min(x.Left, record.Longer(l.r.h.Times.Lease)+x.Gap) // no lease lives longer from now on
	l.r.leases.Add(x, l.r.h.now())
	l.propose(record.Op{Kind: record.OpKnown, Lease: x}, nil)
}

// maybeAct begins to act once this member's record is complete and its store has what a majority has.
func (l *leading) maybeAct() {
	r := l.r
	if l.acts || r.log.AppliedTerm != l.term.Number {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(l.asked)) {
		if late := r.h.now()-l.since > 3*r.h.Times.Beat; !r.h.Up(p) || late && !slices.Contains(r.voters(), p) {
			l.asked[p]()
			delete(l.asked, p)
		}
	}
	n, begun := r.h.Streams.Number(r.shard)
	if len(l.asked) > 0 || !begun || n < l.number || !majority(r.voters(), func(p crawl.PeerID) bool {
		return p == r.h.Self || slices.Contains(l.pulled, p)
	}) {
		l.ask(r.voters()) // a majority is needed
		return
	}
	l.acts = true
	slices.Sort(l.pulled)
	r.note(Note{Kind: Acts, Term: l.term, Peers: l.pulled})
	l.moves.begin()
}

// ask asks those that were not asked, or could not be reached before.
func (l *leading) ask(list []crawl.PeerID) {
	for _, p := range list {
		if p != l.r.h.Self && l.asked[p] == nil && !slices.Contains(l.pulled, p) && l.r.h.Up(p) {
			l.pullFrom(p)
		}
	}
}

func majority(set []crawl.PeerID, in func(crawl.PeerID) bool) bool {
	n := 0
	for _, p := range set {
		if in(p) {
			n++
		}
	}
	return 2*n > len(set)
}

// propose puts a change into the next entry. then, which may be nil, is called when the change was applied while this
// member still leads.
func (l *leading) propose(o record.Op, then func(record.Effect)) bool {
	if len(l.ops) >= record.MaxLeases || len(l.waiting) >= maxWaiting {
		return false
	}
	l.ops, l.then = append(l.ops, o), append(l.then, then)
	l.pressing = l.pressing || o.Kind != record.OpEnd
	return true
}

// maxOps bounds the changes of an entry: so many leases with the longest names fit into a message.
const maxOps = 512

// flush gives the changes that wait to Raft as one entry, or the first of them if they are many.
func (l *leading) flush() {
	if !l.pressing {
		return
	}
	l.pressing = false
	l.tag++
	n := min(len(l.ops), maxOps)
	e := record.Entry{Tag: l.tag, Ops: l.ops[:n]}
	l.r.guard(func() {
		if l.r.log.Node.Propose(e.Encode()) == nil {
			l.waiting[e.Tag] = l.then[:n:n]
			l.ops, l.then = slices.Clone(l.ops[n:]), slices.Clone(l.then[n:])
			l.pressing = len(l.ops) > 0
		} // else they wait for the next beat: leadership is being handed over, or the log is behind
	})
}

// take returns what waits for an entry of this member's, which comes now.
func (l *leading) take(tag uint64) []func(record.Effect) {
	then := l.waiting[tag]
	delete(l.waiting, tag)
	return then
}

// counted returns up to which number commits of this run are stored by this member and a follower, in the line in force
// and, while a change is pending, in the next one too. A member alone counts alone. ok is false while nothing
// counts: not even commit 0, which stands for what this member had when it began the run.
func (l *leading) counted() (n uint64, ok bool) {
	n, _ = l.r.h.Streams.Number(l.r.shard)
	n, ok = l.storedIn(l.r.voters(), n)
	if ok && l.change != nil {
		n, ok = l.storedIn(l.change, n)
	}
	return n, ok
}

// storedIn returns up to which number, n at most, a follower in a line has stored commits.
func (l *leading) storedIn(line []crawl.PeerID, n uint64) (stored uint64, ok bool) {
	others := slices.DeleteFunc(slices.Clone(line), func(p crawl.PeerID) bool { return p == l.r.h.Self })
	for _, p := range others {
		if k, acked := l.r.h.Streams.Acked(l.r.shard, p); acked {
			stored, ok = max(stored, min(n, k)), true
		}
	}
	if len(others) == 0 {
		return n, true
	}
	return stored, ok
}

// has reports whether a member has every commit that counts.
func (l *leading) has(p crawl.PeerID) bool {
	k, ok := l.r.h.Streams.Acked(l.r.shard, p)
	n, _ := l.counted()
	return p == l.r.h.Self || ok && k >= n
}

// whenCounted calls done when commit n counts.
func (l *leading) whenCounted(n uint64, done func()) {
	if len(l.puts) < maxWaiting {
		l.puts = append(l.puts, waitingPut{n, done})
	}
}

// answer calls those whose commits count now.
func (l *leading) answer() {
	n, ok := l.counted()
	if !ok || len(l.puts) == 0 {
		return
	}
	var ready []waitingPut
	l.puts = slices.DeleteFunc(l.puts, func(p waitingPut) bool {
		if p.n <= n {
			ready = append(ready, p)
		}
		return p.n <= n
	})
	for _, p := range ready {
		p.done()
	}
}
