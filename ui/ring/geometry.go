package ring

import "math"

// A place is a part of the whole circle, 0 ≤ at < 1, clockwise from the top.

type point struct{ x, y float64 }

// disc is the circle; r is the radius of the middle of the band of arcs.
type disc struct{ cx, cy, r float64 }

type arc struct {
	from, to float64
	member   int
}

const whole = 2 * math.Pi

// known says whether a place is one.
func known(at float64) bool { return at >= 0 && at < 1 }

// onDisc is the point of a place, at a part of the radius.
func (d disc) onDisc(at, part float64) point {
	sin, cos := math.Sincos(at * whole)
	return point{d.cx + sin*d.r*part, d.cy - cos*d.r*part}
}

// inside is the point nearest to p where a text, so long and so high at each side of it, is within the circle.
func (d disc) inside(p point, long, high float64) point {
	half := func(off, less float64) float64 { return max(0, math.Sqrt(max(0, d.r*d.r-off*off))-less) }
	y := max(-half(long, high), min(half(long, high), p.y-d.cy))
	wide := half(math.Abs(y)+high, long)
	return point{d.cx + max(-wide, min(wide, p.x-d.cx)), d.cy + y}
}

// placeOf is the place that a point stands for, and at which part of the radius it is.
func (d disc) placeOf(p point) (at, part float64) {
	return turnOf(p.x-d.cx, p.y-d.cy), math.Hypot(p.x-d.cx, p.y-d.cy) / d.r
}

// band is how wide the arcs of this node are.
func (d disc) band() float64 { return max(7, d.r*0.062) }

func (d disc) middle() point { return point{d.cx, d.cy} }

// turnOf is the place in whose direction a way leads.
func turnOf(x, y float64) float64 {
	at := math.Atan2(x, -y) / whole
	if at < 0 {
		at++
	}
	if at >= 1 {
		return 0
	}
	return at
}

// bend is the point that draws a chord towards the middle, as the control point of a quadratic curve; short ones
// bend less.
func (d disc) bend(from, to point) point {
	pull := 0.2 + 0.25*min(2, math.Hypot(to.x-from.x, to.y-from.y)/d.r)
	x, y := (from.x+to.x)/2, (from.y+to.y)/2
	return point{x + (d.cx-x)*pull, y + (d.cy-y)*pull}
}

// along is a point of such a curve, p from 0 to 1.
func along(from, by, to point, p float64) point {
	q := 1 - p
	return point{q*q*from.x + 2*q*p*by.x + p*p*to.x, q*q*from.y + 2*q*p*by.y + p*p*to.y}
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
