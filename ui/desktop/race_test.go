//go:build race

package desktop

// raced says that the race detector is on.
const raced = true
