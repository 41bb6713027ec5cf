package oldgroup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

var errDisk = errors.New("disk full")

// breakDisk makes the next transactions of a node fail that apply anything.
func (x *node) breakDisk(broken bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fail = nil
	if broken {
		x.fail = func() error { return errDisk }
	}
}

func TestGroup_AloneGoesOnWhenTheDiskDoes(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		a := n.node("a")
		if err := a.propose("before"); err != nil {
			t.Fatal(err)
		}
		a.breakDisk(true)
		for range 3 {
			if err := a.propose("lost"); !errors.Is(err, errDisk) {
				t.Errorf("proposal while the disk is full: %v", err)
			}
		}
		a.breakDisk(false)
		if err := a.propose("after"); err != nil {
			t.Errorf("proposal afterwards: %v", err)
		}
		if got, want := entries(t, a.db, testLog), []string{"before", "after"}; !slices.Equal(got, want) {
			t.Errorf("entries %q, want %q", got, want)
		}
	})
}

// A leader whose disk fails acknowledges nothing; another leads soon.
func TestGroup_LeaderWithBrokenDisk(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		n.node("a").breakDisk(true)
		if err := n.node("a").propose("lost"); err == nil {
			t.Error("it is acknowledged")
		}
		began := time.Now()
		x := n.leader(time.Minute)
		if took := time.Since(began); took > 5*time.Second || x.name == "a" {
			t.Errorf("%s leads after %v", x.name, took)
		}
		if err := x.propose("kept"); err != nil {
			t.Fatal(err)
		}
		n.node("a").breakDisk(false)
		got := n.same("a", "b", "c")
		if !slices.Contains(got, "kept") {
			t.Errorf("entries %q", got)
		}
	})
}

func TestGroup_FollowerWithBrokenDisk(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("b").breakDisk(true)
		for i := range 10 {
			if err := n.node("a").propose(fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		n.node("b").breakDisk(false)
		if got := n.same("a", "b", "c"); len(got) != 10 {
			t.Errorf("%d entries", len(got))
		}
	})
}

// If one entry of a transaction cannot be applied, none is acknowledged.
func TestGroup_FailsTogether(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		a := n.node("a")
		count := 0
		a.mu.Lock()
		a.fail = func() error {
			if count++; count == 2 {
				return errDisk
			}
			return nil
		}
		a.mu.Unlock()
		g := a.group()
		g.mu.Lock()
		results := make(chan error)
		for range 2 {
			go func() { results <- g.Propose(context.Background(), []byte("x"), nil) }()
		}
		for len(results) == 0 {
			time.Sleep(0)
			g.queueMu.Lock()
			both := len(g.queue) == 2
			g.queueMu.Unlock()
			if both {
				break
			}
		}
		g.mu.Unlock()
		for range 2 {
			if err := <-results; !errors.Is(err, errDisk) {
				t.Errorf("proposal: %v", err)
			}
		}
		if got := entries(t, a.db, testLog); len(got) != 0 {
			t.Errorf("entries %q", got)
		}
	})
}

func TestGroup_AbandonTellsWhatIsKnown(t *testing.T) {
	g := newGroup(New(Config{}), "x", "x", nil)
	applied, unsaved, waits := newProposal(nil, nil), newProposal(nil, nil), newProposal(nil, nil)
	g.finished, g.unsaved = []*proposal{applied}, []*proposal{unsaved}
	g.waiting[5], g.waiting[6] = waits, unsaved
	g.abandon(errDisk)
	for name, c := range map[string]struct {
		p    *proposal
		want error
	}{"applied": {applied, errDisk}, "not saved": {unsaved, errDisk}, "waiting": {waits, ErrLost}} {
		if err := <-c.p.done; !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// votes asks a node for its vote and reports whether it is given.
func (x *node) votes(from string, id, to, term uint64) bool {
	x.net.t.Helper()
	m := &pb.Message{Type: pb.MsgVote.Enum(), Term: new(term), Index: new(uint64(1 << 30)), LogTerm: new(uint64(1 << 30)), Context: []byte(forced)}
	p := part{log: testLog, from: id, to: to, messages: []*pb.Message{m}}
	answer, err := x.groups.Deliver(context.Background(), from, encodePacket([]*part{&p}))
	if err != nil {
		x.net.t.Fatal(err)
	}
	if len(answer) == 0 {
		return false
	}
	parts, err := decodePacket(answer, fromAnswer([]*part{&p}))
	if err != nil {
		x.net.t.Fatal(err)
	}
	for _, p := range parts {
		for _, m := range p.messages {
			if m.GetType() == pb.MsgVoteResp && m.GetTerm() == term && !m.GetReject() {
				return true
			}
		}
	}
	return false
}

func TestGroup_VotesOnceInATerm(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		b := n.node("b")
		if !b.votes("c", 3, 2, 100) {
			t.Fatal("no vote")
		}
		b.crash()
		b.start()
		if b.votes("a", 1, 2, 100) {
			t.Error("a second vote in the same term")
		}
		if !b.votes("c", 3, 2, 100) {
			t.Error("the vote is not given again")
		}
	})
}

// A member that begins may have been it before, and have voted.
func TestGroup_BeginsWithItsVoteGiven(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.add("d")
		d := n.node("d")
		m := &pb.Message{Type: pb.MsgHeartbeat.Enum(), Term: new(uint64(7)), Commit: new(uint64(0))}
		p := part{log: testLog, from: 1, to: 4, flags: flagBegin, messages: []*pb.Message{m}}
		if _, err := d.groups.Deliver(t.Context(), "a", encodePacket([]*part{&p})); err != nil {
			t.Fatal(err)
		}
		d.crash()
		d.start()
		if d.votes("b", 2, 4, 7) {
			t.Error("it votes in the term in which it began")
		}
		if !d.votes("b", 2, 4, 8) {
			t.Error("it does not vote in a later term")
		}
	})
}

// A member that is removed while it cannot be reached learns of it later.
func TestGroup_RemovedWhileAway(t *testing.T) {
	for _, kind := range []string{"voter", "learner"} {
		t.Run(kind, func(t *testing.T) {
			simulate(t, func(t *testing.T, n *network) {
				n.found("a", "b", "c")
				a := n.node("a").group()
				if kind == "learner" {
					if err := n.demote(a, "c"); err != nil {
						t.Fatal(err)
					}
				}
				n.isolate("c", true)
				if err := a.Remove(t.Context(), "c"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				n.isolate("c", false)
				n.await(time.Minute, "c knows", func() bool { return n.node("c").group().Status().Removed })
			})
		})
	}
}

// What several propose at once is applied with what each gave along.
func TestGroup_ManyProposeAtOnce(t *testing.T) {
	for _, members := range [][]string{{"a"}, {"a", "b", "c"}} {
		t.Run(fmt.Sprint(len(members)), func(t *testing.T) {
			simulate(t, func(t *testing.T, n *network) {
				n.found(members...)
				a := n.node("a")
				mine := make(map[string]any)
				a.mu.Lock()
				a.mine = func(data []byte, _ time.Time, m any) { mine[string(data)] = m }
				a.mu.Unlock()
				var work sync.WaitGroup
				for i := range 100 {
					work.Go(func() {
						data := fmt.Sprint("entry ", i)
						if err := a.group().Propose(context.Background(), []byte(data), i); err != nil {
							t.Error(err)
						}
					})
				}
				work.Wait()
				for i := range 100 {
					if got := mine[fmt.Sprint("entry ", i)]; got != i {
						t.Errorf("entry %d came with %v", i, got)
					}
				}
			})
		})
	}
}

// Once Propose has returned, what it was given is used no more.
func TestGroup_ProposalGivenUp(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		a := n.node("a")
		var got []any
		a.mu.Lock()
		a.mine = func(_ []byte, _ time.Time, m any) { got = append(got, m) }
		a.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := a.group().Propose(ctx, []byte("x"), "mine"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("proposal: %v", err)
		}
		n.await(time.Second, "applied", func() bool { a.mu.Lock(); defer a.mu.Unlock(); return len(got) > 0 })
		if got[0] != nil {
			t.Errorf("applied with %v", got[0])
		}
	})
}

func TestGroup_RefusesWhatCannotBe(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		a, b := n.node("a").group(), n.node("b").group()
		if err := a.Propose(t.Context(), nil, nil); !errors.Is(err, ErrTooLarge) {
			t.Errorf("empty entry: %v", err)
		}
		if err := a.Propose(t.Context(), make([]byte, MaxData+1), nil); !errors.Is(err, ErrTooLarge) {
			t.Errorf("large entry: %v", err)
		}
		if err := a.Propose(t.Context(), make([]byte, MaxData), nil); err != nil {
			t.Errorf("largest entry: %v", err)
		}
		n.same("a", "b", "c")
		if err := b.Propose(t.Context(), []byte("x"), nil); !errors.Is(err, ErrNotLeader) || LeaderOf(err) != "a" {
			t.Errorf("proposal to a follower: %v, leader %q", err, LeaderOf(err))
		}
		if _, err := a.Add(t.Context(), "b"); !errors.Is(err, ErrExists) {
			t.Errorf("a member is added: %v", err)
		}
		if err := a.Remove(t.Context(), "x"); !errors.Is(err, ErrNoMember) {
			t.Errorf("a stranger is removed: %v", err)
		}
		if _, err := n.node("a").groups.Create(testLog, "other", nil); !errors.Is(err, ErrExists) {
			t.Errorf("log is made twice: %v", err)
		}
		if _, err := n.node("a").groups.Create("other", testLog, nil); !errors.Is(err, ErrExists) {
			t.Errorf("bucket is used twice: %v", err)
		}
		if _, err := n.node("a").groups.Open("other", "other", nil); !errors.Is(err, ErrUnknown) {
			t.Errorf("nothing is opened: %v", err)
		}
	})
}

// A member that claims what cannot be makes nobody stumble for long.
func TestGroup_HostileMember(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(10)
		n.settle()
		b := n.node("b").groups
		_, term := n.node("b").group().Leader()
		head := part{log: testLog, from: 1, to: 2}
		message := func(t pb.MessageType, m *pb.Message) *pb.Message {
			m.Type, m.From, m.To = t.Enum(), new(uint64(1)), new(uint64(2))
			if m.Term == nil {
				m.Term = new(term)
			}
			return m
		}
		for _, m := range []*pb.Message{
			message(pb.MsgHeartbeat, &pb.Message{Commit: new(uint64(1 << 40))}),
			message(pb.MsgApp, &pb.Message{Index: new(uint64(2)), LogTerm: new(uint64(1)), Commit: new(uint64(1 << 40))}),
			message(pb.MsgApp, &pb.Message{Index: new(uint64(14)), LogTerm: new(term), Commit: new(uint64(1 << 40)), Entries: []*pb.Entry{
				{Type: pb.EntryConfChange.Enum(), Term: new(term), Index: new(uint64(15)), Data: []byte("nonsense")},
				{Type: pb.EntryConfChangeV2.Enum(), Term: new(term), Index: new(uint64(16)), Data: []byte("nonsense")},
				{Type: pb.EntryConfChangeV2.Enum(), Term: new(term), Index: new(uint64(17))},
			}}),
			message(pb.MsgSnap, &pb.Message{Snapshot: &pb.Snapshot{Metadata: &pb.SnapshotMetadata{Index: new(uint64(1 << 40)), Term: new(uint64(1))}}}),
			message(pb.MsgTimeoutNow, &pb.Message{}),
			message(pb.MsgAppResp, &pb.Message{Index: new(uint64(1 << 40))}),
			message(pb.MsgVoteResp, &pb.Message{}),
			message(pb.MsgVote, &pb.Message{Term: new(term + 1000), Index: new(uint64(1 << 40)), LogTerm: new(uint64(1 << 40)), Context: []byte(forced)}),
		} {
			p := head
			p.messages = []*pb.Message{m}
			if _, err := b.Deliver(t.Context(), "a", encodePacket([]*part{&p})); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Minute)
		x := n.leader(time.Minute)
		if err := x.propose("after"); err != nil {
			t.Fatal(err)
		}
	})
}

// Nobody speaks for a member but that member.
func TestGroup_StrangersAreNotHeard(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		b := n.node("b")
		b.mu.Lock()
		b.admit = func(string, string) bool { return false }
		b.mu.Unlock()
		_, term := b.group().Leader()
		for _, from := range []uint64{1, 3, 7} {
			m := &pb.Message{Type: pb.MsgHeartbeat.Enum(), From: new(from), To: new(uint64(2)), Term: new(term + 5), Commit: new(uint64(0))}
			p := part{log: testLog, from: from, to: 2, messages: []*pb.Message{m}}
			answer, err := b.groups.Deliver(t.Context(), "stranger", encodePacket([]*part{&p}))
			if err != nil || len(answer) > 0 {
				t.Errorf("a stranger that is member %d is answered %x, %v", from, answer, err)
			}
		}
		if _, now := b.group().Leader(); now != term {
			t.Errorf("term %d, want %d", now, term)
		}
		if st := b.group().Status(); !st.Quiet {
			t.Error("strangers have broken the silence")
		}
		// Nor can they make it leave, or hold other logs.
		gone := part{log: testLog, from: 1, to: 2, flags: flagGone}
		m := &pb.Message{Type: pb.MsgHeartbeat.Enum(), From: new(uint64(1)), To: new(uint64(2)), Term: new(uint64(1)), Commit: new(uint64(0))}
		begin := part{log: "other", from: 1, to: 2, flags: flagBegin, messages: []*pb.Message{m}}
		if _, err := b.groups.Deliver(t.Context(), "stranger", encodePacket([]*part{&gone, &begin})); err != nil {
			t.Fatal(err)
		}
		if b.group().Status().Removed || b.groups.Get("other") != nil {
			t.Error("a stranger is obeyed")
		}
	})
}

// Who may make a node hold a copy of a log can not undo what it has.
func TestGroup_AdmittedStrangersHarmNobody(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(5)
		n.settle()
		_, term := n.node("a").group().Leader()
		attack := func() {
			for _, name := range []string{"a", "b"} {
				x := n.node(name)
				id := x.group().Status().ID
				beat := &pb.Message{Type: pb.MsgHeartbeat.Enum(), Term: new(term + 5), Commit: new(uint64(0))}
				vote := &pb.Message{Type: pb.MsgVote.Enum(), Term: new(term + 5), Index: new(uint64(1 << 30)), LogTerm: new(uint64(1 << 30)), Context: []byte(forced)}
				for _, p := range []part{
					{from: 9, to: id, messages: []*pb.Message{beat}},
					{from: 9, to: id, messages: []*pb.Message{vote}},
					{from: 9, to: id, flags: flagGone},
					{from: 9, to: id + 7, flags: flagBegin, messages: []*pb.Message{beat}},
				} {
					p.log = testLog
					if _, err := x.groups.Deliver(t.Context(), "stranger", encodePacket([]*part{&p})); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		attack()
		for _, name := range []string{"a", "b"} {
			if st := n.node(name).group().Status(); st.Term != term || st.Removed || st.Copying {
				t.Errorf("%s: %+v, want term %d", name, st, term)
			}
		}
		n.settle()
		for _, peer := range []string{"b", "c"} {
			if err := n.node("a").group().Remove(t.Context(), peer); err != nil {
				t.Fatal(err)
			}
		}
		n.await(time.Second, "b removed", func() bool { return n.node("b").group().Status().Removed })
		attack()
		if st := n.node("a").group().Status(); !st.Leads || st.Removed || len(st.Members) != 1 || st.Applied < 5 {
			t.Errorf("alone: %+v", st)
		}
	})
}

// A member that was wiped says so, instead of beginning with an empty log under the ID
// that has voted and acknowledged.
func TestGroup_LostDiskIsNotForgotten(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(5)
		n.settle()
		c := n.node("c")
		c.shut()
		c.wipe()
		c.start()
		a := n.node("a").group()
		a.Wake()
		n.await(time.Minute, "known to be lost", func() bool { return a.Status().Members[2].Lost })
		if c.group() != nil {
			t.Fatalf("c begins again as %+v", c.group().Status())
		}
		n.tendUntil([]string{"a", "b", "c"}, func(st Status) bool { return len(st.Members) == 3 && st.Members[2].ID == 4 && st.Members[2].Voter })
		if got := n.same("a", "b", "c"); len(got) != 5 {
			t.Errorf("%d entries", len(got))
		}
	})
}

// Before the first entry of its term is applied a leader does not count as one.
func TestGroup_LeadsOnceItKnowsEverything(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		n.isolate("a", true)
		b, c := n.node("b").group(), n.node("c").group()
		b.LeaderDown()
		c.LeaderDown()
		b.Campaign()
		n.await(time.Minute, "b known to lead", b.isLeaderNow)
		if b.Leads() {
			t.Error("it leads before anything of its term is committed")
		}
		if err := b.Propose(t.Context(), []byte("x"), nil); !errors.Is(err, ErrNotLeader) {
			t.Errorf("proposal before that: %v", err)
		}
		n.await(time.Minute, "b leads", b.Leads)
	})
}

func TestGuard_ReturnsWhatRaftPanicsWith(t *testing.T) {
	log := newGroup(New(Config{}), "x", "x", nil).logger()
	if err := guard(log, func() { raftLogger{log}.Panicf("no %d", 1) }); err == nil {
		t.Error("a panic is not an error")
	}
	if err := guard(log, func() { panic(raft.ErrCompacted) }); !errors.Is(err, raft.ErrCompacted) {
		t.Errorf("got %v", err)
	}
	if err := guard(log, func() {}); err != nil {
		t.Errorf("got %v", err)
	}
}
