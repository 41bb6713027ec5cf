package ring

// Point is one of a member's points, for pictures.
type Point struct {
	// First are the first 64 bits of its key.
	First uint64
	// Member is the place of its member among Members.
	Member int
}

// Points returns the points of all members in the order of their keys.
func (r *Ring) Points() []Point {
	list := make([]Point, len(r.points.sorted))
	for i, p := range r.points.sorted {
		list[i] = Point{p.prefix, p.slot.member()}
	}
	return list
}

// OwnerAt returns the place among Members of who owns the keys that begin with the given 64
// bits. The ring must not be empty.
func (r *Ring) OwnerAt(first uint64) int {
	k := r.firstOf(first)
	return r.points.sorted[r.points.closest(&k)].slot.member()
}
