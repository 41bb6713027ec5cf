//go:build !race

package route_test

const underRace = false
