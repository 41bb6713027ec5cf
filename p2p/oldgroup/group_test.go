package oldgroup

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestGroup_AloneCommits(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		a := n.node("a")
		for i := range 20 {
			if err := a.propose(fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		if st := a.group().Status(); st.Bytes != 0 || !st.Leads || !st.Whole || st.Applied != 22 {
			t.Errorf("status %+v, want no bytes of entries, 22 applied", st)
		}
		a.crash()
		a.start()
		if got := entries(t, a.db, testLog); len(got) != 20 {
			t.Errorf("%d entries after a crash, want 20", len(got))
		}
		if err := a.propose("more"); err != nil {
			t.Fatal(err)
		}
	})
}

func TestGroup_ThreeHaveTheSame(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		a := n.node("a")
		for i := range 50 {
			if err := a.propose(fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		if got := n.same("a", "b", "c"); len(got) != 50 {
			t.Errorf("%d entries, want 50", len(got))
		}
		time.Sleep(30 * time.Second)
		for _, name := range []string{"a", "b", "c"} {
			if st := n.node(name).group().Status(); !st.Quiet {
				t.Errorf("%s: %+v, want quiet", name, st)
			}
		}
		if got := n.during(10 * time.Minute); got != 0 {
			t.Errorf("%d packets in a quiet group", got)
		}
		if got := a.ledLog(); !slices.Equal(got, []bool{true}) {
			t.Errorf("leadership told: %v", got)
		}
	})
}
