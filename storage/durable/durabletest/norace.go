//go:build !race

package durabletest

// OneIn says that a test which tries every place of a fault leaves out none.
const OneIn = 1
