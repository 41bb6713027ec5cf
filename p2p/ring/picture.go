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

// OwnerAt returns the place among Members of who owns the key that begins with the given 64
// bits and goes on with zeros. The ring must not be empty.
func (r *Ring) OwnerAt(first uint64) int {
	var k Key
	for i := range 8 {
		k[i] = byte(first >> (56 - 8*i))
	}
	return r.points.sorted[r.points.closest(&k)].slot.member()
}
