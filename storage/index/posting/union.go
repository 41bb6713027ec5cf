package posting

import "math"

// Union goes through the pages that are in at least one of several lists. NewUnion makes one.
type Union struct {
	// Doc is the page it is at, math.MaxInt32 at the end, and Weight what its weights in all lists come to.
	Doc    int32
	Weight Weight

	cursors []Cursor
	size    int
}

// NewUnion returns a union of no lists, in front of its first page.
func NewUnion() Union { return Union{Doc: -1} }

// Add adds the list that raw begins with. It comes before Next and Seek.
func (u *Union) Add(raw []byte) {
	if c := Open(raw); c.left > 0 {
		u.size += int(c.left)
		u.cursors = append(u.cursors, c)
	}
}

// Lists is how many lists it has that are not empty.
func (u *Union) Lists() int { return len(u.cursors) }

// Size is how many pages there are at most.
func (u *Union) Size() int { return u.size }

// Next goes to the next page; false at the end.
func (u *Union) Next() bool { return u.Seek(u.Doc + 1) }

// Seek goes to the first page from doc on; it stays where it is if that is there.
func (u *Union) Seek(doc int32) bool {
	if u.Doc == math.MaxInt32 {
		return false
	}
	if u.Doc >= doc {
		return true
	}
	if len(u.cursors) == 1 { // most words have one form
		return u.seekOnly(doc)
	}
	least := int32(math.MaxInt32)
	w := Weight(0)
	for i := 0; i < len(u.cursors); {
		c := &u.cursors[i]
		for c.Doc < doc {
			if !c.Next() {
				break
			}
		}
		switch {
		case c.Doc < doc: // its end
			u.cursors[i] = u.cursors[len(u.cursors)-1]
			u.cursors = u.cursors[:len(u.cursors)-1]
			continue
		case c.Doc < least:
			least, w = c.Doc, c.Weight
		case c.Doc == least:
			w = w.plus(c.Weight)
		}
		i++
	}
	u.Doc, u.Weight = least, w
	return least != math.MaxInt32
}

// seekOnly is Seek for a single list.
func (u *Union) seekOnly(doc int32) bool {
	c := &u.cursors[0]
	for c.Doc < doc {
		if !c.Next() {
			u.Doc = math.MaxInt32
			return false
		}
	}
	u.Doc, u.Weight = c.Doc, c.Weight
	return true
}
