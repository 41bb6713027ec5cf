//go:build race

package group_test

// underRace says that all is ten times as slow. The simulation runs each history on one goroutine, so there is nothing to
// be found.
const underRace = true
