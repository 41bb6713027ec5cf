package ring

import (
	"math"

	"github.com/forage-net/forage/ui/ring/paint"
)

// A place is a part of the whole circle, 0 ≤ at < 1, clockwise from the top.

// disc is the circle; r is the radius of the middle of the band of arcs.
type disc struct{ cx, cy, r float64 }

type arc struct {
	from, to float64
	member   int
}

// known says whether a place is one.
func known(at float64) bool { return at >= 0 && at < 1 }

// onDisc is the point of a place, at a part of the radius.
func (d disc) onDisc(at, part float64) paint.Point {
	sin, cos := math.Sincos(at * paint.Whole)
	return paint.At(d.cx+sin*d.r*part, d.cy-cos*d.r*part)
}

// placeOf is the place that a point stands for, and at which part of the radius it is.
func (d disc) placeOf(p paint.Point) (at, part float64) {
	x, y := p.X-d.cx, p.Y-d.cy
	return paint.Turn(x, y), math.Hypot(x, y) / d.r
}

// band is how wide the arcs of this node are.
func (d disc) band() float64 { return max(7, d.r*0.062) }

func (d disc) middle() paint.Point { return paint.At(d.cx, d.cy) }

// bend is the point that draws a chord towards the middle, as the control point of a quadratic curve; short ones
// bend less.
func (d disc) bend(from, to paint.Point) paint.Point {
	pull := 0.2 + 0.25*min(2, math.Hypot(to.X-from.X, to.Y-from.Y)/d.r)
	x, y := (from.X+to.X)/2, (from.Y+to.Y)/2
	return paint.At(x+(d.cx-x)*pull, y+(d.cy-y)*pull)
}

// arcAt is the index of the arc that holds a place, -1 if none does. Arcs are in order.
func arcAt(arcs []arc, at float64) int {
	low, high := 0, len(arcs)-1
	for low <= high {
		mid := (low + high) / 2
		switch {
		case at < arcs[mid].from:
			high = mid - 1
		case at >= arcs[mid].to:
			low = mid + 1
		default:
			return mid
		}
	}
	return -1
}

// joined is neighbouring arcs of one member as one.
func joined(arcs []arc) []arc {
	var list []arc
	for _, a := range arcs {
		if n := len(list); n > 0 && list[n-1].member == a.member && a.from-list[n-1].to < 1e-9 {
			list[n-1].to = a.to
		} else {
			list = append(list, a)
		}
	}
	return list
}

// seats are the middles of the members' widest arcs, -1 where one has none.
func seats(arcs []arc, members int) []float64 {
	list, widest := make([]float64, members), make([]float64, members)
	for i := range list {
		list[i] = -1
	}
	for _, a := range arcs {
		if m := a.member; m >= 0 && m < members && a.to-a.from > widest[m] {
			widest[m], list[m] = a.to-a.from, (a.from+a.to)/2
		}
	}
	return list
}

const (
	outermost = 0.86
	innermost = 0.28
	manyPages = 3000
)

// depth is at which part of the radius a site is: the more pages were fetched, the nearer to the middle.
func depth(pages int64) float64 {
	share := math.Log1p(float64(max(0, pages))) / math.Log1p(manyPages)
	return outermost - (outermost-innermost)*min(1, share)
}
