package group

import (
	"fmt"
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// care is what a member without a majority keeps in mind.
type care struct {
	majority time.Duration // when a majority was last in contact
	acting   bool          // this member acts carefully
	out      time.Duration // since when all missing voters have been out, 0 if not
}

// carefulPace is how many gaps a careful leader leaves between two requests: two halves of a partition send at
// most 4/3 of the rate that a domain allows, and each further part adds a third.
const carefulPace = 3

// end ends acting carefully.
func (c *care) end(r *replica) {
	if c.acting {
		c.acting = false
		r.note(Note{Kind: CarefulEnds})
	}
}

// tick is called ticksPerBeat times a beat.
func (r *replica) tick() {
	if r.log == nil {
		return
	}
	r.ticks++
	if r.lead != nil {
		r.lead.refused = false
	}
	now := r.n.now()
	state := r.log.node.BasicStatus().RaftState
	if state == raft.StateLeader {
		r.word = now
		if r.lead != nil {
			r.lead.maybeAct()
		}
		r.guard(func() {
			r.log.node.Tick()
			if r.ticks%(4*ticksPerBeat) == 0 {
				r.sendSnapshotsAgain()
			}
		})
	} else {
		// Raft's own timer would draw lots for who stands; here members have an order.
		r.guard(func() { r.log.node.TickQuiesced() })
		r.stand(now)
	}
	r.judge(now)
}

// sendSnapshotsAgain tells Raft that snapshots may be lost: it waits for each without end.
func (r *replica) sendSnapshotsAgain() {
	var waiting []uint64
	r.log.node.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
		if p.State == tracker.StateSnapshot {
			waiting = append(waiting, id)
		}
	})
	for _, id := range waiting {
		r.log.node.ReportSnapshot(id, raft.SnapshotFailure)
	}
}

// stand stands for election when the leader has been silent: the first live voter after nine ticks, each next one
// a tick later, and again three ticks and their place after that.
func (r *replica) stand(now time.Duration) {
	voters := r.voters()
	term, last := r.log.last()
	if !slices.Contains(voters, r.n.cfg.Self) || !r.trusted(now) || r.trust.below(term, last) {
		return
	}
	tick := r.n.cfg.Times.Beat / ticksPerBeat
	wait := time.Duration(quietTicks+1+r.rank(voters)) * tick
	if len(voters) == 1 {
		wait = 0
	}
	if now-r.word < wait {
		return
	}
	r.waitForOther(now)
	r.guard(func() { _ = r.log.node.Campaign() })
}

// waitForOther leaves four ticks, and one for each live voter before this one, to an election that has begun. Two
// that stand at once would take each other's votes again and again.
func (r *replica) waitForOther(now time.Duration) {
	r.word = max(r.word, now-(quietTicks-3)*r.n.cfg.Times.Beat/ticksPerBeat)
}

// judge sees whether a majority is in contact, and begins or ends acting carefully.
func (r *replica) judge(now time.Duration) {
	voters := r.voters()
	if majority(voters, func(p crawl.PeerID) bool { return p == r.n.cfg.Self || r.n.peers.up(p) }) {
		r.care.majority, r.care.out = now, 0
		r.care.end(r)
		return
	}
	if !slices.Contains(voters, r.n.cfg.Self) || now-r.care.majority < r.n.cfg.Times.Careful || !r.trusted(now) {
		return
	}
	first := r.rank(voters) == 0
	if first != r.care.acting {
		r.care.acting = first
		r.note(Note{Kind: map[bool]Kind{true: Careful, false: CarefulEnds}[first]})
	}
	if first {
		r.foundAgain(now, voters)
	}
}

// foundAgain founds the group under the next number when all voters that are missing have been out for a day.
func (r *replica) foundAgain(now time.Duration, voters []crawl.PeerID) {
	for _, p := range voters {
		if p != r.n.cfg.Self && !r.n.peers.up(p) && !r.n.cfg.Directory.Out(p) {
			r.care.out = 0
			return
		}
	}
	if r.care.out == 0 {
		r.care.out = now
	}
	if now-r.care.out >= r.n.cfg.Times.Day {
		r.applyTail()
		r.found(r.founding>>foundingChance + 1)
	}
}

// applyTail applies entries that this member does not know to be committed: others may have acknowledged them.
func (r *replica) applyTail() {
	_, last := r.log.last()
	if last <= r.log.applied {
		return
	}
	entries, err := r.log.mem.Entries(r.log.applied+1, last+1, 1<<40)
	if err != nil {
		r.n.fail(fmt.Errorf("read the end of the log of %s: %w", r.shard, err))
		return
	}
	for _, e := range entries {
		if x, ok := decodeEntry(e.GetData()); ok && e.GetType() == pb.EntryNormal {
			for _, o := range x.ops {
				r.applyOp(o)
			}
		}
	}
}

// foundingChance is how many bits of a founding are drawn by chance; the number is above them.
const foundingChance = 40

// found begins the group again, with this member as its line and what it knows as its record.
func (r *replica) found(number uint64) {
	r.resign()
	r.founding = number<<foundingChance | r.n.cfg.Chance()&(1<<foundingChance-1)
	r.rec.members = map[uint64]crawl.PeerID{raftID(r.n.cfg.Self): r.n.cfg.Self}
	r.care = care{majority: r.n.now()}
	r.trust.term, r.trust.index, r.trust.sure = 0, 0, true
	r.open(vote{term: 1}, &pb.Snapshot{
		Data: r.rec.encode(r.leases, r.n.now()),
		Metadata: &pb.SnapshotMetadata{
			Index: new(uint64(1)), Term: new(uint64(1)),
			ConfState: &pb.ConfState{Voters: []uint64{raftID(r.n.cfg.Self)}},
		},
	})
	r.note(Note{Kind: Founded})
}

// handCareful tells the leader of leases that this member granted carefully, again and again until they lapse: a domain with
// two live leases waits for both.
func (r *replica) handCareful() {
	to := r.leader()
	if to == "" || to == r.n.cfg.Self {
		return
	}
	var careful []lease
	for _, l := range r.leases.told(r.n.now(), nil) {
		if l.Careful {
			careful = append(careful, l)
		}
	}
	if len(careful) == 0 {
		return
	}
	w := newMessage(kindHand)
	w.shard(r.shard, r.n.cfg.Self, to)
	w.leases(careful)
	r.n.peers.send(to, stream.LaneAct, w)
}
