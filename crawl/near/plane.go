package near

import "math"

// Plane shows coordinates in two dimensions: those in which they lie farthest from one node. It follows them, so that
// what is shown again lies about where it lay. The zero value is ready.
type Plane struct{ axes [2]vector }

type vector [dimensions]float64

func (v vector) dot(w vector) (sum float64) {
	for i := range v {
		sum += v[i] * w[i]
	}
	return sum
}

// add adds a multiple of another.
func (v *vector) add(w vector, times float64) {
	for i := range v {
		v[i] += w[i] * times
	}
}

// rounds of the search for the axes are enough for a picture, and the next call goes on from there.
const rounds = 32

// Bearings returns in which direction others lie from here, as parts of a turn, 0 ≤ x < 1; -1 where nothing tells.
func (p *Plane) Bearings(here Coordinate, others []Coordinate) []float64 {
	ways := make([]vector, len(others))
	for i, o := range others {
		if _, known := here.Ms(o); known {
			for k := range ways[i] {
				ways[i][k] = o.at.Vec[k] - here.at.Vec[k]
			}
		}
	}
	p.follow(ways)
	bearings := make([]float64, len(others))
	for i, way := range ways {
		x, y := way.dot(p.axes[0]), way.dot(p.axes[1])
		bearings[i] = math.Mod(math.Atan2(y, x)/(2*math.Pi)+1, 1)
		if x == 0 && y == 0 {
			bearings[i] = -1
		}
	}
	return bearings
}

// follow turns the axes to where the ways are longest: orthogonal iteration.
func (p *Plane) follow(ways []vector) {
	if p.axes == [2]vector{} {
		for a := range p.axes {
			for k := range p.axes[a] {
				p.axes[a][k] = math.Cos(float64((a + 1) * (k + 1))) // any that are not along the axes of coordinates
			}
		}
		p.axes[0], _ = unit(p.axes[0], vector{})
		p.axes[1], _ = unit(p.axes[1], p.axes[0])
	}
	for range rounds {
		var next [2]vector
		for _, way := range ways {
			for a := range next {
				next[a].add(way, way.dot(p.axes[a]))
			}
		}
		first, ok := unit(next[0], vector{})
		if !ok {
			return
		}
		second, ok := unit(next[1], first)
		if !ok { // all lie on one line
			if second, ok = unit(p.axes[1], first); !ok {
				return
			}
		}
		p.axes = [2]vector{first, second}
	}
}

// unit returns what of v is at a right angle to another unit, with length 1; false if there is nothing of it.
func unit(v, other vector) (vector, bool) {
	before := v.dot(v)
	v.add(other, -v.dot(other))
	length := v.dot(v)
	if !(length > before*1e-12) {
		return v, false
	}
	var u vector
	u.add(v, 1/math.Sqrt(length))
	return u, true
}
