package route_test

import (
	"math/bits"
	"slices"
	"testing"
)

// A log without its majority begins anew wherever its members, or those who find the
// domain again, are. How often a site is then visited by all sides together is a
// matter of arithmetic: each side adds what its own gap allows.

const (
	people = 6 // members of the network
	keep   = 3 // members of a group, R
)

// side is a part of the network that reaches no other.
type side struct {
	members uint8 // who is there, by bits
	group   uint8 // who of them keeps the log
	gap     int   // wholeGap is the one of a network that is whole
	anew    bool  // the log began anew, here or before
}

const wholeGap = 60

// anewGap returns the gap that a log keeps on a side, and the one it came from. goesOn
// says that a majority was there and nothing began anew now.
type anewGap func(from, to side, goesOn bool) int

// split parts a side. The part with a majority of the group goes on; the other begins anew.
func (s side) split(part uint8, gapOf anewGap) (a, b side) {
	a, b = side{members: part}, side{members: s.members &^ part}
	for _, x := range []*side{&a, &b} {
		if have := s.group & x.members; 2*bits.OnesCount8(have) > bits.OnesCount8(s.group) {
			x.gap, x.anew = s.gap, s.anew
			if s.anew {
				x.gap = gapOf(s, *x, true)
			}
		} else {
			x.anew = true
			x.gap = gapOf(s, *x, false)
		}
		x.group = s.group & x.members
		for i := range uint8(people) { // others take the places of those who are missing
			if bits.OnesCount8(x.group) < keep {
				x.group |= x.members & (1 << i)
			}
		}
	}
	return a, b
}

// visits is how they are counted: eighteenths of those that one crawler makes are
// whole numbers here.
const visits = 18

// mostVisits returns how many all sides together make at most after so many splits, and
// of which sides.
func mostVisits(sides []side, splits int, gapOf anewGap) (most int, worst []side) {
	for _, s := range sides {
		most += visits * wholeGap / s.gap
	}
	worst = slices.Clone(sides)
	if splits == 0 {
		return most, worst
	}
	for i, s := range sides {
		for part := (s.members - 1) & s.members; part > 0; part = (part - 1) & s.members {
			a, b := s.split(part, gapOf)
			next := append(slices.Delete(slices.Clone(sides), i, i+1), a, b)
			if n, at := mostVisits(next, splits-1, gapOf); n > most {
				most, worst = n, at
			}
		}
	}
	return most, worst
}

func TestBeginAnew_SitesSeeSoManyVisits(t *testing.T) {
	whole := []side{{members: 1<<people - 1, group: 1<<keep - 1, gap: wholeGap}}
	fixed := func(from, _ side, goesOn bool) int {
		if goesOn {
			return from.gap
		}
		return keep * wholeGap
	}
	again := func(from, _ side, goesOn bool) int {
		if goesOn {
			return from.gap
		}
		return keep * from.gap
	}
	// The parts share what one of them might do: each keeps R gaps, times how much larger
	// the network was when it was whole than what is in reach now.
	share := func(_, to side, _ bool) int { return keep * wholeGap * people / bits.OnesCount8(to.members) }
	for _, c := range []struct {
		name  string
		gapOf anewGap
		want  []int // eighteenths, after so many splits; 24 are allowed
	}{
		{"R gaps", fixed, []int{18, 24, 30, 36}}, // more than allowed from the second split on
		{"R of the gaps before", again, []int{18, 24, 30, 36}},
		{"R gaps, by share", share, []int{18, 22, 22, 22}},
	} {
		for splits, want := range c.want {
			if n, at := mostVisits(whole, splits, c.gapOf); n != want {
				t.Errorf("%s: %d/%d of the visits after %d splits, want %d: %+v", c.name, n, visits, splits, want, at)
			}
		}
	}
}
