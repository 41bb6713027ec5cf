// Package orbit places the members of a network around one of them, for a picture: how far one stands from the middle
// is how long a message takes to it and back. Lengths are parts of the picture's radius.
package orbit

import (
	"math"
	"slices"
)

// Body is one of the others.
type Body struct {
	// Ms is the round trip to it in milliseconds, negative if nobody knows.
	Ms float64
	// Bearing is in which direction it lies, as a part of a turn clockwise from the top; negative if nobody knows.
	Bearing float64
	// Seat is its direction where nothing tells another.
	Seat float64
	// Share decides how large it is, 0 to 1.
	Share float64
}

// Place is where one stands: in which direction, how far from the middle, and how large its circle is.
type Place struct{ At, Part, Size float64 }

const (
	// outermost is where the last ring of the scale is, beyond where those stand that are still farther away, rim
	// where those are of which nobody knows how far.
	outermost = 0.8
	beyond    = 0.9
	rim       = 1
	// gap is between two circles.
	gap = 0.02
	// mostApart bounds those that make room for each other: among more there is none.
	mostApart = 128
)

// Size is how large the circle of one with a share is.
func Size(share float64) float64 { return 0.02 + 0.08*math.Sqrt(max(0, min(1, share))) }

// Reach is the round trip of the last ring of the scale: round, and such that nine of ten are within it.
func Reach(bodies []Body) float64 {
	var known []float64
	for _, b := range bodies {
		if b.Ms >= 0 {
			known = append(known, b.Ms)
		}
	}
	slices.Sort(known)
	farthest := 0.0
	if n := len(known); n > 0 {
		farthest = known[(n*9+9)/10-1]
	}
	for power := 10.0; ; power *= 10 {
		for _, nice := range [...]float64{2, 4, 10} {
			if reach := nice * power; reach >= farthest {
				return reach
			}
		}
	}
}

// Rings are the round trips at which rings of the scale stand, from the middle out.
func Rings(reach float64) [3]float64 { return [3]float64{reach / 4, reach / 2, reach} }

// Part is how far from the middle a round trip is.
func Part(ms, reach float64) float64 {
	if ms > reach {
		return beyond
	}
	return outermost * ms / reach
}

// Around places some around one whose circle has a size. Those that would lie on others are turned a little aside;
// how far they are stays as it is, except for those that would lie on the middle.
func Around(bodies []Body, middle float64) []Place {
	reach := Reach(bodies)
	places := make([]Place, len(bodies))
	for i, b := range bodies {
		p := Place{b.Seat, rim, Size(b.Share)}
		if b.Ms >= 0 {
			p.Part = max(Part(b.Ms, reach), middle+p.Size+gap)
			if b.Bearing >= 0 {
				p.At = b.Bearing
			}
		}
		if i < mostApart {
			p.At = aside(p, places[:i])
		}
		places[i] = p
	}
	return places
}

// aside is the direction nearest to that of a place in which no other circle is, or its own if there is none.
func aside(p Place, others []Place) float64 {
	const step, most = 1.0 / 96, 32
	for n := range 2 * most {
		try := p
		try.At += float64((n+1)/2) * step * float64(1-n%2*2)
		try.At -= math.Floor(try.At)
		if !slices.ContainsFunc(others, func(o Place) bool { return apart(try, o) < try.Size+o.Size+gap }) {
			return try.At
		}
	}
	return p.At
}

// apart is how far the middles of two are from each other.
func apart(a, b Place) float64 {
	return math.Sqrt(max(0, a.Part*a.Part+b.Part*b.Part-2*a.Part*b.Part*math.Cos((a.At-b.At)*2*math.Pi)))
}

// Box is a part of a picture, from its upper left corner.
type Box struct{ X, Y, W, H float64 }

func (b Box) meets(o Box) bool {
	return b.X < o.X+o.W && o.X < b.X+b.W && b.Y < o.Y+o.H && o.Y < b.Y+b.H
}

// Room is what of a picture is not taken.
type Room struct {
	In    Box
	taken []Box
}

// Take takes what a circle covers.
func (r *Room) Take(x, y, size float64) {
	r.taken = append(r.taken, Box{x - size, y - size, 2 * size, 2 * size})
}

// Beside takes a box of a size below, above or beside a circle, or a little aside of that; false if there is no room.
func (r *Room) Beside(x, y, size, w, h float64) (Box, bool) {
	const away = 3
	for _, b := range [...]Box{
		{x - w/2, y + size + away, w, h}, {x - w/2, y - size - away - h, w, h},
		{x + size + away, y - h/2, w, h}, {x - size - away - w, y - h/2, w, h},
		{x - size, y + size + away, w, h}, {x + size - w, y + size + away, w, h},
		{x - size, y - size - away - h, w, h}, {x + size - w, y - size - away - h, w, h},
	} {
		inside := b.X >= r.In.X && b.Y >= r.In.Y && b.X+w <= r.In.X+r.In.W && b.Y+h <= r.In.Y+r.In.H
		if inside && !slices.ContainsFunc(r.taken, b.meets) {
			r.taken = append(r.taken, b)
			return b, true
		}
	}
	return Box{}, false
}
