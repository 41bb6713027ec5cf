package draw

import "math"

// point is a place in an icon; y grows downwards.
type point struct{ x, y float64 }

func (p point) minus(q point) point { return point{p.x - q.x, p.y - q.y} }
func (p point) length() float64     { return math.Hypot(p.x, p.y) }
func (p point) dot(q point) float64 { return p.x*q.x + p.y*q.y }

// shape returns the distance of a point to the shape's edge, negative inside.
type shape func(point) float64

// disc is a filled circle.
func disc(c point, r float64) shape {
	return func(p point) float64 { return p.minus(c).length() - r }
}

// band is a circle drawn with a pen.
func band(c point, r, width float64) shape {
	return func(p point) float64 { return math.Abs(p.minus(c).length()-r) - width/2 }
}

// line is a straight stroke with round ends.
func line(a, b point, width float64) shape {
	along := b.minus(a)
	return func(p point) float64 {
		q := p.minus(a)
		t := min(1, max(0, q.dot(along)/along.dot(along)))
		return q.minus(point{along.x * t, along.y * t}).length() - width/2
	}
}

// arc is a part of a circle, clockwise from one angle to another, drawn with a round pen. Angles are in radians, 0 at
// the top, and less than half a circle apart.
func arc(c point, r, from, to, width float64) shape {
	a, b, middle := around(c, r, from), around(c, r, to), around(point{}, 1, (from+to)/2)
	within := math.Cos((to - from) / 2)
	return func(p point) float64 {
		q := p.minus(c)
		if q.dot(middle) >= within*q.length() {
			return math.Abs(q.length()-r) - width/2
		}
		return min(p.minus(a).length(), p.minus(b).length()) - width/2
	}
}

// around returns the point of a circle at an angle.
func around(c point, r, angle float64) point {
	return point{c.x + r*math.Sin(angle), c.y - r*math.Cos(angle)}
}

// polygon is a convex polygon, its corners given clockwise, with edges moved outwards and corners round by a radius.
func polygon(round float64, corners ...point) shape {
	return func(p point) float64 {
		inside, nearest := true, math.Inf(1)
		for i, a := range corners {
			b := corners[(i+1)%len(corners)]
			edge, q := b.minus(a), p.minus(a)
			if edge.x*q.y-edge.y*q.x < 0 {
				inside = false
			}
			nearest = min(nearest, line(a, b, 0)(p))
		}
		if inside {
			nearest = -nearest
		}
		return nearest - round
	}
}

// hexagon has a corner at the top. Its corners are round, and lie within r.
func hexagon(c point, r, round float64) shape {
	return polygon(round, hexagonCorners(c, r-round)...)
}

func hexagonCorners(c point, r float64) []point {
	corners := make([]point, 6)
	for i := range corners {
		corners[i] = around(c, r, float64(i)*math.Pi/3)
	}
	return corners
}

// without takes one shape out of another.
func without(from, what shape) shape {
	return func(p point) float64 { return max(from(p), -what(p)) }
}

// either joins shapes.
func either(shapes ...shape) shape {
	return func(p point) float64 {
		d := math.Inf(1)
		for _, s := range shapes {
			d = min(d, s(p))
		}
		return d
	}
}

// grown moves the edge outwards.
func grown(s shape, by float64) shape {
	return func(p point) float64 { return s(p) - by }
}
