package group

import (
	"testing"
	"time"
)

// quiet counts the packets of a while.
func (n *network) during(d time.Duration) (packets int) {
	before := n.packets
	time.Sleep(d)
	return n.packets - before
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
// committed for each.
func TestGroup_OneEntryTakesFourPackets(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		before, bytes := n.packets, n.bytes
		if err := n.node("a").propose(string(make([]byte, 100))); err != nil {
			t.Fatal(err)
		}
		n.same("a", "b", "c")
		time.Sleep(500 * time.Millisecond)
		if got := n.packets - before; got != 4 {
			t.Errorf("%d packets, want 4", got)
		}
		if got := n.bytes - bytes; got > 2*100+8*40 {
			t.Errorf("%d bytes", got)
		}
		// In use, word of a commit goes with the next entry.
		before = n.packets
		for range 20 {
			if err := n.node("a").propose("x"); err != nil {
				t.Fatal(err)
			}
		}
		n.same("a", "b", "c")
		if got := n.packets - before; got > 2*20+4 {
			t.Errorf("%d packets for 20 entries, want 2 each", got)
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
