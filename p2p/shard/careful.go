package shard

import (
	"fmt"
	"slices"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// care is what a member without a majority keeps in mind.
type care struct {
	r      *Replica
	wall   time.Time     // when a majority was last in contact, by the calendar, which goes on in a sleep
	alone  time.Duration // how long this member has listened since then
	judged time.Duration // when it last did
	acting bool          // this member acts carefully
	out    time.Duration // since when all missing voters have been out, 0 if not
}

// carefulPace is how many gaps a careful leader leaves between two requests: two halves of a partition send at
// most 4/3 of the rate that a domain allows, and each further part adds a third.
const carefulPace = 3

func newCare(r *Replica) care { return care{r: r, judged: r.h.now(), wall: r.h.Clock.Wall()} }

// apart reports whether no majority has been in contact for so long that others may act carefully by now.
// A machine that was stopped or slept learns of it when it goes on.
func (c *care) apart() bool {
	return max(c.alone, c.r.h.Clock.Wall().Sub(c.wall)) >= c.r.h.Times.Careful
}

// end ends acting carefully.
func (c *care) end() {
	if c.acting {
		c.acting = false
		c.r.note(Note{Kind: CarefulEnds})
	}
}

// judge sees whether a majority is in contact, and begins or ends acting carefully.
func (c *care) judge(now time.Duration) {
	r := c.r
	voters, past := r.voters(), min(now-c.judged, r.h.Times.Beat)
	c.judged, c.alone = now, c.alone+past
	if majority(voters, func(p crawl.PeerID) bool { return p == r.h.Self || r.h.Up(p) }) {
		c.wall, c.alone, c.out = r.h.Clock.Wall(), 0, 0
		c.end()
		return
	}
	if !slices.Contains(voters, r.h.Self) || c.alone < r.h.Times.Careful || !r.trusted() {
		return
	}
	if r.election.rank(voters, r.Leader()) > 0 {
		c.end()
		return
	}
	if !c.acting {
		c.acting = true
		r.note(Note{Kind: Careful})
	}
	c.foundAgain(now, voters)
}

// foundAgain founds the group under the next number when all voters that are missing have been out for a day.
func (c *care) foundAgain(now time.Duration, voters []crawl.PeerID) {
	r := c.r
	away := func(p crawl.PeerID) bool { return p != r.h.Self && !r.h.Up(p) && !r.h.Directory.Out(p) }
	switch {
	case slices.ContainsFunc(voters, away):
		c.out = 0
	case c.out == 0:
		c.out = now
	case now-c.out >= r.h.Times.Day:
		c.applyTail()
		r.found(r.founding>>foundingChance + 1)
	}
}

// applyTail applies entries that this member does not know to be committed: others may have acknowledged them.
func (c *care) applyTail() {
	r := c.r
	entries, err := r.log.Tail()
	if err != nil {
		r.h.Fail(fmt.Errorf("read the end of the log of %s: %w", r.shard, err))
		return
	}
	for _, e := range entries {
		if x, ok := record.DecodeEntry(e.GetData()); ok && e.GetType() == pb.EntryNormal {
			for _, o := range x.Ops {
				r.applyOp(o)
			}
		}
	}
}

// foundingChance is how many bits of a founding are drawn by chance; the number is above them.
const foundingChance = 40

// hand tells the leader of leases that this member granted carefully, again and again until they lapse: a domain with
// two live leases waits for both.
func (c *care) hand() {
	r := c.r
	to, careful := r.Leader(), r.leases.Told(r.h.now(), func(l record.Lease) bool { return l.Careful })
	if to == "" || to == r.h.Self || len(careful) == 0 {
		return
	}
	w := r.h.message(kindHand, to, r.shard)
	record.WriteLeases(w, careful)
	r.h.Send(to, stream.LaneAct, w)
}

// found begins the group again, with this member as its line and what it knows as its record.
func (r *Replica) found(number uint64) {
	r.resign()
	r.unaware = countingOn(r, r.h.Self)
	r.founding = number<<foundingChance | r.h.Chance()&(1<<foundingChance-1)
	r.rec.Members = map[uint64]crawl.PeerID{raftlog.ID(r.h.Self): r.h.Self}
	r.care = newCare(r)
	r.trust.term, r.trust.index, r.trust.sure = 0, 0, true
	live := r.leases.All(r.h.now())
	r.leases.Restore(live, r.founding, r.h.now())
	r.open(raftlog.Vote{Term: 1}, &pb.Snapshot{
		Data: r.rec.Encode(live),
		Metadata: &pb.SnapshotMetadata{
			Index: new(uint64(1)), Term: new(uint64(1)),
			ConfState: &pb.ConfState{Voters: []uint64{raftlog.ID(r.h.Self)}},
		},
	})
	r.note(Note{Kind: Founded})
}
