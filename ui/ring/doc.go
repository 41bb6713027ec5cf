// Package ring draws the Ring and charts into images, from what the local API says of a node. It knows
// no window: the same pictures are shown, tested and exported.
//
// The Ring is the whole space of keys as a circle, clockwise from the top. Its arcs are who owns which part, its
// points the sites of this node at their real places, and whatever flies over it is one event of the API. A Ring
// keeps what lasts as a picture of its own and paints only what moves again, so that a frame costs little and, once it
// runs, leaves no garbage behind.
//
// Nothing here starts goroutines, takes locks or asks a clock: a Ring and a Chart belong to one goroutine, which
// tells them the time and is told by Next when to draw. What the API says is not trusted: places that are none,
// shares beyond the whole and lists without end leave a smaller picture, never a broken one.
package ring
