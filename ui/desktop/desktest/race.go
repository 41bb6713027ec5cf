//go:build race

package desktest

// raced says that the race detector is on.
const raced = true
