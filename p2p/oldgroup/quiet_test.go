package oldgroup

import (
	"fmt"
	"testing"
	"time"
)

// quiet counts the packets of a while.
func (n *network) during(d time.Duration) (packets int) {
	before, _ := n.sent()
	time.Sleep(d)
	after, _ := n.sent()
	return after - before
}

func TestGroup_QuietSendsNothing(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		if got := n.during(24 * time.Hour); got != 0 {
			t.Errorf("%d packets in a day", got)
		}
		if err := n.node("a").propose("x"); err != nil {
			t.Fatal(err)
		}
		n.same("a", "b", "c")
		n.settle()
		if got := n.during(24 * time.Hour); got != 0 {
			t.Errorf("%d packets in a day after a proposal", got)
		}
	})
}

func TestGroup_QuietWithoutOneThatIsDown(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("c").crash()
		if err := n.node("a").propose("x"); err != nil {
			t.Fatal(err)
		}
		n.settle()
		if got := n.during(time.Hour); got != 0 {
			t.Errorf("%d packets in an hour", got)
		}
		n.node("c").start()
		n.same("a", "b", "c")
		n.settle()
		if st := n.node("c").group().Status(); st.Leader != "a" {
			t.Errorf("%+v, want a to lead", st)
		}
	})
}

func TestGroup_QuietNotWithoutMajority(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("b").crash()
		n.node("c").crash()
		time.Sleep(time.Minute)
		if st := n.node("a").group().Status(); st.Quiet || st.Leads {
			t.Errorf("%+v", st)
		}
	})
}

// One that was cut off while the others are quiet comes back without a restart.
func TestGroup_QuietIsBrokenByOneThatWasCutOff(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		n.isolate("c", true)
		if err := n.node("a").propose("x"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		n.isolate("c", false)
		n.node("c").group().LeaderDown() // its failure detector cannot reach anybody
		n.same("a", "b", "c")
		n.settle()
	})
}

// What one entry costs: an append and its answer for each member, and word that it is
// committed for each, with which the group falls quiet.
func TestGroup_OneEntryTakesFourPackets(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		before, bytes := n.sent()
		if err := n.node("a").propose(string(make([]byte, 100))); err != nil {
			t.Fatal(err)
		}
		n.same("a", "b", "c")
		time.Sleep(500 * time.Millisecond)
		packets, all := n.sent()
		if got := packets - before; got != 4 {
			t.Errorf("%d packets, want 4", got)
		}
		if got := all - bytes; got > 2*100+8*20 {
			t.Errorf("%d bytes for an entry of 100 to two members", got)
		}
		// In use, word of a commit goes with the next entry.
		before = packets
		for range 20 {
			if err := n.node("a").propose("x"); err != nil {
				t.Fatal(err)
			}
		}
		n.same("a", "b", "c")
		packets, _ = n.sent()
		if got := packets - before; got > 2*20+4 {
			t.Errorf("%d packets for 20 entries, want 2 each", got)
		}
	})
}

// What nodes have to say of several logs goes into one packet.
func TestGroups_LogsShareAPacket(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.add("a", "b")
		for i := range 8 {
			name := fmt.Sprint("log", i)
			g, err := n.node("a").groups.Create(name, name, n.node("a").machine(name))
			if err != nil {
				t.Fatal(err)
			}
			n.join(g, "b")
		}
		quiet := func() bool {
			for _, x := range []*node{n.node("a"), n.node("b")} {
				for _, g := range x.groups.All() {
					if !g.Status().Quiet {
						return false
					}
				}
			}
			return true
		}
		n.await(time.Minute, "quiet", quiet)
		for _, g := range n.node("a").groups.All() {
			g.Wake()
		}
		time.Sleep(500 * time.Millisecond)
		before, _ := n.sent()
		n.await(time.Minute, "quiet", quiet)
		after, _ := n.sent()
		if got := after - before; got > 4 {
			t.Errorf("%d packets for heartbeats and silence of 8 logs", got)
		}
	})
}

// A member that lacks something, or follows another leader, does not stop its clock.
func TestGroup_QuietOnlyWithEverything(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(3)
		n.settle()
		b := n.node("b")
		st := b.group().Status()
		for _, c := range []struct {
			name         string
			from         uint64
			term, commit uint64
			want         bool
		}{
			{"all", 1, st.Term, st.Applied, true},
			{"an entry is missing", 1, st.Term, st.Applied + 1, false},
			{"another term", 1, st.Term + 1, st.Applied, false},
			{"not the leader", 3, st.Term, st.Applied, false},
		} {
			b.group().Wake()
			p := part{log: testLog, from: c.from, to: 2, flags: flagQuiet, term: c.term, commit: c.commit}
			answer, err := b.groups.Deliver(t.Context(), map[uint64]string{1: "a", 3: "c"}[c.from], encodePacket([]*part{&p}))
			if err != nil {
				t.Fatal(err)
			}
			if got := b.group().Status().Quiet; got != c.want || len(answer) > 0 != c.want {
				t.Errorf("%s: quiet %v, answer %x", c.name, got, answer)
			}
		}
	})
}
