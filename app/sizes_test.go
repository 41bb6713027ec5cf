package app

import "testing"

// whole skips a simulation whose mechanism a smaller one tries, too, where tests are to be quick.
func whole(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short: make check runs it")
	}
}

// sized is one of two sizes of a simulation: all of it, or what is enough where tests are to be quick.
func sized(all, quick int) int {
	if testing.Short() {
		return quick
	}
	return all
}
