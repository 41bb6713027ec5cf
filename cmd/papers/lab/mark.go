package lab

import (
	"fmt"
	"slices"
	"strings"
)

// Mark is a bound that a figure must keep.
type Mark struct {
	Name      string
	Got       float64
	Low, High float64
	// Because says why the figure is known to differ, if the reason is known.
	Because string
}

func (m Mark) holds() bool { return m.Got >= m.Low && m.Got <= m.High }

// Within is a mark of a figure that may differ by a part of what is wanted.
func Within(name string, got, want, part float64) Mark {
	return Mark{Name: name, Got: got, Low: want * (1 - part), High: want * (1 + part)}
}

// About is a mark of a figure that may differ by so much.
func About(name string, got, want, by float64) Mark {
	return Mark{Name: name, Got: got, Low: want - by, High: want + by}
}

// AtMost and AtLeast are marks of figures that are not negative.
func AtMost(name string, got, most float64) Mark { return Mark{Name: name, Got: got, High: most} }
func AtLeast(name string, got, least float64) Mark {
	return Mark{Name: name, Got: got, Low: least, High: 1e18}
}

// Since says why a mark is known not to hold.
func (m Mark) Since(because string) Mark {
	m.Because = because
	return m
}

// Is is a mark of a claim that is true or false.
func Is(name string, holds bool) Mark {
	got := 0.0
	if holds {
		got = 1
	}
	return Mark{Name: name, Got: got, Low: 1, High: 1}
}

// String says how the figure misses the bound.
func (m Mark) String() string {
	switch {
	case m.Low == 1 && m.High == 1:
		return m.Name + " does not hold"
	case m.High >= 1e18:
		return fmt.Sprintf("%s is %.3g, not ≥ %.3g", m.Name, m.Got, m.Low)
	case m.Low == 0:
		return fmt.Sprintf("%s is %.3g, not ≤ %.3g", m.Name, m.Got, m.High)
	}
	return fmt.Sprintf("%s is %.3g, not %.3g to %.3g", m.Name, m.Got, m.Low, m.High)
}

// Failed are the marks that do not hold.
func (r Result) Failed() (failed []Mark) {
	for _, m := range r.Marks {
		if !m.holds() {
			failed = append(failed, m)
		}
	}
	return failed
}

// Verdict says in a few words what came out.
func (r Result) Verdict() string {
	failed := r.Failed()
	switch {
	case len(r.Marks) == 0:
		return "shown"
	case failed == nil:
		return fmt.Sprintf("agrees (%d marks)", len(r.Marks))
	}
	var why []string
	for _, m := range failed {
		because := m.Because
		if because == "" {
			because = m.String()
		}
		if !slices.Contains(why, because) {
			why = append(why, because)
		}
	}
	return fmt.Sprintf("differs (%d of %d marks), because %s", len(failed), len(r.Marks), strings.Join(why, "; "))
}
