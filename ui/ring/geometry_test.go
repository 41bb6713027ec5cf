package ring

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/ui/ring/age"
	"github.com/forage-net/forage/ui/ring/paint"
)

var hundred = disc{100, 100, 80}

// apart is how far two places are from each other, 0 to 0.5.
func apart(a, b float64) float64 {
	d := math.Mod(math.Abs(a-b), 1)
	return min(d, 1-d)
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func TestPlaces_GoClockwiseFromTheTop(t *testing.T) {
	for _, c := range []struct{ at, part, x, y float64 }{
		{0, 1, 100, 20}, {0.25, 1, 180, 100}, {0.5, 1, 100, 180}, {0.75, 0.5, 60, 100},
	} {
		if p := hundred.onDisc(c.at, c.part); !near(p.X, c.x) || !near(p.Y, c.y) {
			t.Errorf("onDisc(%v, %v) = %v, want %v, %v", c.at, c.part, p, c.x, c.y)
		}
	}
}

func TestPlaces_AreFoundAgain(t *testing.T) {
	for _, at := range []float64{0, 0.1, 0.25, 0.49, 0.5, 0.77, 0.999} {
		for _, part := range []float64{0.3, 1} {
			got, far := hundred.placeOf(hundred.onDisc(at, part))
			if apart(got, at) > 1e-9 || !near(far, part) || !known(got) {
				t.Errorf("placeOf of %v at %v = %v, %v", at, part, got, far)
			}
		}
	}
	if at, part := hundred.placeOf(paint.At(100, 100)); !known(at) || part != 0 {
		t.Errorf("placeOf the middle = %v, %v", at, part)
	}
}

func TestChord_BendsToTheMiddle(t *testing.T) {
	from, to := hundred.onDisc(0, 1), hundred.onDisc(0.25, 1)
	by := hundred.bend(from, to)
	if paint.Along(from, by, to, 0) != from || paint.Along(from, by, to, 1) != to {
		t.Error("a chord does not begin and end where it should")
	}
	if at, part := hundred.placeOf(paint.Along(from, by, to, 0.5)); !near(at, 0.125) || part >= math.Sqrt2/2 {
		t.Errorf("the middle of a chord is at %v, %v", at, part)
	}
	if _, part := hundred.placeOf(hundred.bend(from, hundred.onDisc(0.02, 1))); part <= 0.7 {
		t.Errorf("a short chord bends to %v: a hairpin", part)
	}
}

var four = []arc{{0, 0.1, 0}, {0.1, 0.5, 1}, {0.5, 0.7, 0}, {0.7, 1, 2}}

func TestArcs_HoldTheirPlaces(t *testing.T) {
	for at, want := range map[float64]int{0: 0, 0.0999: 0, 0.1: 1, 0.5: 2, 0.9999: 3, 1: -1, -1: -1} {
		if got := arcAt(four, at); got != want {
			t.Errorf("arcAt(%v) = %d, want %d", at, got, want)
		}
		if got := arcAt(nil, at); got != -1 {
			t.Errorf("arcAt(%v) of none = %d", at, got)
		}
	}
}

func TestArcs_OfOneMemberJoinWhereTheyTouch(t *testing.T) {
	got := joined([]arc{{0, 0.25, 1}, {0.25, 0.5, 1}, {0.5, 0.75, 0}, {0.75, 1, 1}})
	if want := []arc{{0, 0.5, 1}, {0.5, 0.75, 0}, {0.75, 1, 1}}; !slices.Equal(got, want) {
		t.Errorf("joined = %v, want %v", got, want)
	}
}

func TestArcs_HaveASeatInTheWidest(t *testing.T) {
	got := seats(four, 4)
	if !near(got[0], 0.6) || !near(got[1], 0.3) || !near(got[2], 0.85) || got[3] != -1 {
		t.Errorf("seats = %v", got)
	}
}

func TestDepth_IsLessWithMorePages(t *testing.T) {
	before := math.Inf(1)
	for _, pages := range []int64{0, 1, 10, 100, 1000, 1e9} {
		got := depth(pages)
		if got > before || got < 0.2 {
			t.Errorf("depth(%d) = %v after %v", pages, got, before)
		}
		before = got
	}
	if depth(-3) != depth(0) || depth(math.MaxInt64) != innermost {
		t.Error("depth is beyond its bounds")
	}
}

func TestBrightness_FadesOverDays(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		age  time.Duration
		want float64
	}{{0, 1}, {-5 * time.Second, 1}, {2 * day, (1 + age.Faintest) / 2}, {math.MaxInt64, age.Faintest}} {
		if got := age.Brightness(c.age); !near(got, c.want) {
			t.Errorf("age.Brightness(%v) = %v, want %v", c.age, got, c.want)
		}
	}
	if age.Step(1) != age.Steps-1 || age.Step(age.Faintest) != 0 {
		t.Error("steps do not cover all of it")
	}
	for n := range age.Steps {
		if got := age.Step(age.OfStep(n)); got != n {
			t.Errorf("age.Step(age.OfStep(%d)) = %d", n, got)
		}
	}
}
