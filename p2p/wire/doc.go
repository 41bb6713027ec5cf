// Package wire is what members of a network say to each other: the messages,
// how they look as bytes, and what of them is believed. Every decoder takes
// bytes from strangers: sizes, counts and ranges are checked before anything
// is allocated for them, and what a decoder returns keeps the bounds that the
// fields' comments name. Whether a message is true is for the receiver to find out.
package wire
