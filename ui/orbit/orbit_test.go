package orbit

import (
	"math"
	"testing"
)

func TestReach_IsRoundAndHoldsNineOfTen(t *testing.T) {
	for _, c := range []struct {
		ms   []float64
		want float64
	}{
		{nil, 20}, {[]float64{-1}, 20}, {[]float64{5, 20}, 20}, {[]float64{21}, 40}, {[]float64{41, 90}, 100}, {[]float64{180}, 200},
		{[]float64{201}, 400}, {[]float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 3000}, 20}, {[]float64{60_000}, 100_000},
	} {
		var list []Body
		for _, ms := range c.ms {
			list = append(list, Body{Ms: ms})
		}
		if got := Reach(list); got != c.want {
			t.Errorf("Reach(%v) = %v, want %v", c.ms, got, c.want)
		}
	}
}

func TestAround_DistanceIsTheRoundTrip(t *testing.T) {
	list := []Body{{40, 0.1, 0.7, 0.2}, {160, 0.4, 0.7, 0.2}, {80, -1, 0.25, 0.2}, {-1, -1, 0.6, 0.1}, {1, 0.9, 0, 0.1}}
	got := Around(list, Size(0.2))
	for i, want := range []struct{ at, part float64 }{
		{0.1, 0.16}, {0.4, 0.64}, {0.25, 0.32}, {0.6, 1}, {0.9, Size(0.2) + Size(0.1) + gap},
	} {
		if p := got[i]; math.Abs(p.At-want.at) > 1e-9 || math.Abs(p.Part-want.part) > 1e-9 {
			t.Errorf("number %d stands at %v, %v from the middle, want %+v", i, p.At, p.Part, want)
		}
	}
	crowd := make([]Body, 10)
	for i := range crowd {
		crowd[i] = Body{float64(5 * i), 0.3, 0.3, 0.05}
	}
	if far := Around(append(crowd, Body{900, 0.5, 0.5, 0.1}), 0.1)[10]; far.Part != beyond {
		t.Errorf("what is far beyond all others stands at %v, want %v", far.Part, beyond)
	}
}

func TestAround_MakesRoom(t *testing.T) {
	list := make([]Body, 12)
	for i := range list {
		list[i] = Body{30, 0.995, 0.5, 0.04}
	}
	got := Around(list, 0.05)
	for i, p := range got {
		if p.At < 0 || p.At >= 1 || p.Part != got[0].Part {
			t.Errorf("number %d stands at %+v", i, p)
		}
		for _, o := range got[:i] {
			if apart(p, o) < p.Size+o.Size {
				t.Errorf("%+v lies on %+v", p, o)
			}
		}
	}
}

func TestRoom(t *testing.T) {
	r := Room{In: Box{0, 0, 100, 100}}
	r.Take(50, 50, 10)
	for i, want := range []Box{{30, 63, 40, 20}, {30, 17, 40, 20}} {
		if got, ok := r.Beside(50, 50, 10, 40, 20); !ok || got != want {
			t.Errorf("text %d stands at %v, %v, want %v", i, got, ok, want)
		}
	}
	if got, ok := r.Beside(50, 50, 10, 40, 20); ok {
		t.Errorf("a third text stands at %v", got)
	}
	if got, ok := r.Beside(50, 50, 10, 30, 20); !ok || got.X != 63 {
		t.Errorf("a narrow one stands at %v, %v", got, ok)
	}
	if got, ok := r.Beside(8, 80, 4, 40, 10); !ok || got != (Box{4, 87, 40, 10}) {
		t.Errorf("one near the edge stands at %v, %v", got, ok)
	}
}
