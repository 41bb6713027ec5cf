package ring

import (
	"math"
	"slices"
)

// Share returns how much of the key space a member owns, from 0 to 1. It is
// computed, not sampled.
func (r *Ring) Share(id string) float64 {
	share, grain := 0.0, int(r.Grain())
	for _, a := range r.Arcs(id) {
		share += math.Ldexp(float64(a.To>>(64-grain)-a.From>>(64-grain)+1), -grain)
	}
	return share
}

// Arc is a range of keys by their first 64 bits, From and To included.
type Arc struct{ From, To uint64 }

// Arcs returns the keys a member owns, in order and with gaps in between.
// The arcs of all members cover every key once.
func (r *Ring) Arcs(id string) []Arc {
	m, ok := r.index(id)
	if !ok {
		return nil
	}
	d := drawer{points: &r.points, grain: int(r.Grain())}
	own := make([]int, 0, r.members[m].Units*PointsPerUnit)
	for number := range cap(own) {
		k := r.points.key(id, uint32(number))
		if i := r.points.closest(&k); r.points.sorted[i].slot.member() == m {
			own = append(own, i)
		}
	}
	slices.Sort(own)
	d.draw(r.points.all(), slices.Compact(own), 0, 0)
	return d.arcs
}

// drawer collects the arcs of a member.
type drawer struct {
	points *points
	grain  int
	arcs   []Arc
}

// draw adds the arcs among the keys that begin with the first depth bits of from. r are
// the points they may belong to, own the places of the member's among them.
func (d *drawer) draw(r part, own []int, from uint64, depth int) {
	if len(own) == 0 {
		return
	}
	if len(own) == r.hi-r.lo {
		d.add(Arc{from, from | math.MaxUint64>>depth})
		return
	}
	if depth == d.grain { // these keys belong together: the first counts, and the first point is closest to its zeros
		if own[0] == r.lo {
			d.add(Arc{from, from | math.MaxUint64>>depth})
		}
		return
	}
	bit := uint64(1) << (63 - depth)
	mid := d.points.firstWith(r, bit)
	if mid == r.lo || mid == r.hi { // no point differs in this bit, so it does not matter
		d.draw(r, own, from, depth+1)
		d.draw(r, own, from|bit, depth+1)
		return
	}
	at, _ := slices.BinarySearch(own, mid)
	d.draw(part{r.lo, mid, 0}, own[:at], from, depth+1)
	d.draw(part{mid, r.hi, 0}, own[at:], from|bit, depth+1)
}

// add appends an arc that begins after the last one.
func (d *drawer) add(a Arc) {
	if n := len(d.arcs); n > 0 && d.arcs[n-1].To+1 == a.From {
		d.arcs[n-1].To = a.To
		return
	}
	d.arcs = append(d.arcs, a)
}
