// Package boxes is what stands around the things of a window: grounds with round corners, cards with a title,
// outlines and margins. It also shows and hides things, which has the window drawn again only where that is a
// change.
package boxes
