package lab

import (
	"testing"

	"github.com/forage-net/forage/cmd/papers/rtt"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		marks []Mark
		want  string
	}{
		{nil, "shown"},
		{[]Mark{AtMost("x", 1, 2), AtLeast("y", 3, 2), Within("z", 10, 11, 0.1), About("a", 5, 4, 1), Is("b", true)}, "agrees (5 marks)"},
		{[]Mark{AtMost("x", 3, 2), Is("b", true)}, "differs (1 of 2 marks), because x is 3, not ≤ 2"},
		{[]Mark{{Name: "x", Got: 3, High: 2, Because: "it rains"}, Is("the sun shines", false)}, "differs (2 of 2 marks), because it rains; the sun shines does not hold"},
	} {
		if got := (Result{Marks: c.marks}).Verdict(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A figure's spread is over halves of the nodes: each run among a half sees half as many.
func TestOver_RunsOnHalves(t *testing.T) {
	l := &Lab{Trips: rtt.Generate(160, 1), Draws: 3, Small: true, Seed: 1, Step: func(float64) {}}
	s := l.Over("test", 10, func(c Choice) []float64 { return []float64{float64(len(c.Crawlers) + len(c.Sites))} })
	if s[0].Median != 160 || s[0].Low != 80 || s[0].High != 80 {
		t.Errorf("got %+v, want 160 nodes and halves of 80", s[0])
	}
}
