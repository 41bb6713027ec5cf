//go:build race

package route_test

// underRace says that all is ten times as slow. The model runs on one goroutine, so there
// is nothing to be found.
const underRace = true
