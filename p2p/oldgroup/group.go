package oldgroup

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
)

const (
	// maxAppend is how many bytes of entries one message takes, if it is not one entry.
	maxAppend = 16 << 10
	// maxFlight is how many messages with entries, and maxFlightBytes how many bytes of them, are on the way to one member.
	maxFlight      = 32
	maxFlightBytes = 1 << 20
	// maxUncommitted is how many bytes of entries wait to be committed.
	maxUncommitted = 16 << 20
	// maxApply is how many bytes of entries Raft gives out to be applied at once, and
	// maxTransaction how many go into one transaction.
	maxApply       = 1 << 20
	maxTransaction = 4 << 20
)

// Group is this node's member of one log.
type Group struct {
	s       *Groups
	log     string
	bucket  string
	short   [shortName]byte // what stands for log
	seen    atomic.Pointer[view]
	glanced atomic.Pointer[glanced]

	queueMu sync.Mutex
	queue   []*proposal // to be proposed by who has mu next

	mu      sync.Mutex
	closed  bool
	machine Machine
	st      store
	rn      *raft.RawNode // nil if it could not be read from the store
	changed chan struct{} // closed when what seen shows, or the members, have changed

	waiting  map[uint64]*proposal // by index
	finished []*proposal          // applied in the open transaction
	unsaved  []*proposal          // in waiting, appended in the open transaction
	pending  uint64               // index of the last change of members that was proposed
	// pendingOf is the member that it changes.
	pendingOf uint64

	out     []*pb.Message // to be sent when the transaction is committed
	notes   []note        // the same, parts without messages
	sink    *outbox       // takes what goes to sinkFor: it is in a call to this node
	sinkFor string
	later   bool // links are not to be kicked
	failing bool // the last transaction failed

	changedAt time.Time // when Tend last made a change that could have waited

	clock    int // ticks; it stands while the group is quiet
	elect    electing
	silence  silence
	owed     owed
	deferred deferred
	follower following
	members  map[uint64]*contact // on the leader, and of who is asked
}

// note is a part for a peer.
type note struct {
	peer string
	part part
}

// view is what is asked often.
type view struct {
	leads  bool
	leader string
	term   uint64
	shared bool
	epoch  Epoch
	to     uint64 // member that leadership is being handed to
}

// contact is what the leader knows of a member that is not in the log.
type contact struct {
	heard   int    // clock when it last said something
	acked   int    // clock when it last took entries
	copying int    // clock when it last said that it copies, 0 if never
	lost    bool   // it lost what it had
	trim    uint64 // what it was told to be dropped
	pinned  uint64 // entries from here on are kept, since it copies; 0 if it does not
	pinAt   int    // clock when it last asked for a piece
}

func newGroup(s *Groups, log, bucket string, m Machine) *Group {
	g := &Group{
		s: s, log: log, bucket: bucket, short: shorten(log), machine: m,
		st:      store{db: s.cfg.DB, bucket: bucket, now: s.cfg.Now},
		changed: make(chan struct{}),
		waiting: make(map[uint64]*proposal),
		members: make(map[uint64]*contact),
	}
	g.seen.Store(&view{})
	return g
}

// Log returns the name of the log.
func (g *Group) Log() string { return g.log }

// Bucket returns the name of its bucket in storage.BucketLogs.
func (g *Group) Bucket() string { return g.bucket }

// Machine returns what applies its entries.
func (g *Group) Machine() Machine {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.machine
}

// Leads reports whether this node leads the log and everything of earlier leaders is
// applied here. Another may have been elected since, of which this node has not heard; then
// nothing that it proposes is committed. Leads, Leader, Shared and Epoch take no locks.
func (g *Group) Leads() bool { return g.seen.Load().leads }

// Leader returns the peer that leads the log, "" if none is known to, and the term.
func (g *Group) Leader() (peer string, term uint64) {
	v := g.seen.Load()
	return v.leader, v.term
}

// Shared reports whether others keep the log too, or are about to.
func (g *Group) Shared() bool { return g.seen.Load().shared }

// Epoch returns the epoch of this node's copy.
func (g *Group) Epoch() Epoch { return g.seen.Load().epoch }

func (g *Group) logger() *slog.Logger { return g.s.cfg.Log.With("log", show(g.log)) }

// load reads everything anew from the store: as after a start. What waits is told err.
func (g *Group) load(err error) error {
	g.forgetOwed()
	g.deferred = deferred{}
	g.rn, g.out, g.notes = nil, nil, nil
	g.abandon(err)
	g.pending, g.elect, g.silence, g.follower = 0, electing{}, silence{}, following{pull: g.follower.pull}
	g.owed.until, g.owed.pause = 0, 0
	clear(g.members)
	if err := g.st.load(); err != nil {
		return err
	}
	if g.st.state.gone() {
		return nil
	}
	g.elect.young = g.s.cfg.ElectionTicks
	return guard(g.logger(), func() {
		rn, err := raft.NewRawNode(&raft.Config{
			ID:                        g.st.state.id,
			ElectionTick:              g.s.cfg.ElectionTicks,
			HeartbeatTick:             heartbeatTicks,
			Storage:                   &g.st,
			Applied:                   g.st.state.applied,
			MaxSizePerMsg:             maxAppend,
			MaxCommittedSizePerReady:  maxApply,
			MaxUncommittedEntriesSize: maxUncommitted,
			MaxInflightMsgs:           maxFlight,
			MaxInflightBytes:          maxFlightBytes,
			CheckQuorum:               true,
			PreVote:                   true,
			DisableProposalForwarding: true,
			StepDownOnRemoval:         true,
			Logger:                    raftLogger{g.logger()},
		})
		if err != nil {
			panic(err)
		}
		g.rn = rn
	})
}

// usable reports why the group cannot be used, after it has tried to make it so.
func (g *Group) usable() error {
	switch {
	case g.closed || g.st.state.gone():
		return ErrClosed
	case g.unsure():
		return ErrBusy
	case g.rn != nil:
		return nil
	}
	if err := g.load(ErrLost); err != nil {
		return fmt.Errorf("read log %s: %w", show(g.log), err)
	}
	return nil
}

func (g *Group) status() raft.BasicStatus {
	if g.rn == nil {
		return raft.BasicStatus{HardState: g.st.state.hardState()}
	}
	return g.rn.BasicStatus()
}

// isLeader reports whether Raft says that this member leads.
func (g *Group) isLeader() bool { return g.rn != nil && g.status().RaftState == raft.StateLeader }

// leads reports whether it leads and has applied an entry of its own term, and so all
// that were committed before.
func (g *Group) leads() bool {
	if g.rn == nil {
		return false
	}
	st := g.status()
	return st.RaftState == raft.StateLeader && g.st.state.appliedTerm == st.GetTerm()
}

// leaderPeer returns the peer that leads, "" if none is known to.
func (g *Group) leaderPeer() string {
	if m := g.st.state.member(g.status().Lead); m != nil {
		return m.peer
	}
	return ""
}

func (g *Group) notLeader() error { return notLeader{g.leaderPeer()} }

// progress returns what Raft knows of a member, on the leader.
func (g *Group) progress(id uint64) (p tracker.Progress, ok bool) {
	if g.rn == nil {
		return p, false
	}
	g.rn.WithProgress(func(i uint64, _ raft.ProgressType, pr tracker.Progress) {
		if i == id {
			p, ok = pr, true
		}
	})
	return p, ok
}

// contact returns what is known of a member.
func (g *Group) contact(id uint64) *contact {
	c := g.members[id]
	if c == nil {
		c = &contact{heard: g.clock, acked: -spareTicks - 1}
		g.members[id] = c
	}
	return c
}

// show updates what others see.
func (g *Group) show() {
	st := &g.st.state
	now := view{
		epoch: st.epoch, term: g.status().GetTerm(), to: g.status().LeadTransferee,
		shared: len(st.members) > 1 || st.copying || st.gone() || g.isLeader() && g.pending > st.applied,
	}
	if !g.closed && !st.gone() {
		now.leads, now.leader = g.leads(), g.leaderPeer()
	}
	before := g.seen.Load()
	if now == *before {
		return
	}
	g.seen.Store(&now)
	g.wakeWaiters()
	switch {
	case before.leads && now.leads && (before.term != now.term || before.epoch != now.epoch):
		g.s.events.led(g, false)
		g.s.events.led(g, true)
	case before.leads != now.leads:
		g.s.events.led(g, now.leads)
	}
}

// wakeWaiters wakes those that wait for a change.
func (g *Group) wakeWaiters() {
	close(g.changed)
	g.changed = make(chan struct{})
}
