package near

import (
	"math"
	"testing"
)

// turned is how far one bearing is from another, -0.5 to 0.5.
func turned(from, to float64) float64 { return math.Mod(to-from+1.5, 1) - 0.5 }

func TestPlane_KeepsAngles(t *testing.T) {
	var p Plane
	here := at(10, 0, 5, 0, 0, 0, 20)
	// A square around here, in two of the eight dimensions.
	square := []Coordinate{at(10, 100, 5, 0, 0, 0, 20), at(10, 0, 5, 0, 0, 0, 120), at(10, -100, 5, 0, 0, 0, 20), at(10, 0, 5, 0, 0, 0, -80)}
	got := p.Bearings(here, append(square, here, Coordinate{}))
	for i := range square {
		if d := math.Abs(turned(got[i], got[(i+1)%4])); math.Abs(d-0.25) > 1e-6 {
			t.Errorf("from %v to the next corner it is %v of a turn, want 0.25", got[i], d)
		}
	}
	if got[4] != -1 || got[5] != -1 {
		t.Errorf("of one at the same place and of an unknown one the bearings are %v", got[4:])
	}
}

func TestPlane_FollowsCalmly(t *testing.T) {
	var p Plane
	others := func(aside float64) []Coordinate {
		return []Coordinate{at(80, aside, 3), at(-60, 20, 0, aside), at(0, 50, aside), at(0, -90, 0, 0, aside), at(20, 5, 0, 0, 0, aside)}
	}
	before := p.Bearings(at(), others(0))
	for aside := 0.0; aside < 20; aside++ {
		now := p.Bearings(at(), others(aside))
		for i := range now {
			if d := math.Abs(turned(before[i], now[i])); d > 0.05 {
				t.Errorf("at %v number %d turned by %v", aside, i, d)
			}
		}
		before = now
	}
}

func TestPlane_OnOneLineAndAlone(t *testing.T) {
	var p Plane
	if got := p.Bearings(at(), nil); len(got) != 0 {
		t.Errorf("alone: %v", got)
	}
	got := p.Bearings(at(), []Coordinate{at(0, 0, 30), at(0, 0, -70)})
	if d := math.Abs(turned(got[0], got[1])); math.Abs(d-0.5) > 1e-6 {
		t.Errorf("on both sides of here: %v", got)
	}
	if got := p.Bearings(Coordinate{}, []Coordinate{at(1)}); got[0] != -1 {
		t.Errorf("from nowhere: %v", got)
	}
}
