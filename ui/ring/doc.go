// Package ring draws the Ring into images, from what the local API says of a node. It knows no window: the same
// pictures are shown, tested and exported. Package chart draws charts; both paint with package paint, in the
// colours of palette.
//
// The Ring is the whole space of keys as a circle, clockwise from the top. Its arcs are who owns which part, its
// points the sites of this node at their real places, and whatever flies over it is one event of the API. A Ring
// keeps what lasts as a picture of its own and paints only what moves again, so that a frame costs little and, once it
// runs, leaves no garbage behind.
//
// Nothing here starts goroutines, takes locks or asks a clock: a Ring belongs to one goroutine, which
// tells it the time and is told by Next when to draw. What the API says is not trusted: places that are none,
// shares beyond the whole and lists without end leave a smaller picture, never a broken one.
package ring
