//go:build race

package durabletest

// OneIn says that one case in so many is enough for a test that tries every place of a fault: under the race detector
// all is many times as slow, and what is raced for does not depend on the place.
const OneIn = 11
