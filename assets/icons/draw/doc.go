// Package draw draws the program's icons: what is committed beside it is its work, so that a change
// of a colour is a change of one line. It decides how they look, stores nothing, and every call gives
// the same bytes. The programs do not import it.
//
// An icon is a pile of layers, each a shape and a paint. A shape says how far a point is from its edge, so that an
// outline is the same shape at another distance.
package draw
