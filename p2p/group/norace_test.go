//go:build !race

package group_test

// underRace says that all is ten times as slow.
const underRace = false
