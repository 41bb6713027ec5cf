// Package layouts places widgets beside and below each other in ways that the toolkit has no layout for.
//
// How high something is depends on how wide it is where texts wrap, and Fyne asks for its least size before it says how
// wide it will be. These layouts ask again when they have said it, and speak of the width that they had last.
package layouts
