package sim

import (
	"math"
	"math/rand/v2"
)

// Line is what a peer has: bytes a second for all its threads together.
type Line float64

// Peer lets threads fetch pages one after the other for some seconds, from sites that are as far as trip says, in ms,
// and returns bytes a second. Each page waits for its round trips by itself, and for the line that all threads share.
func Peer(threads int, line Line, seconds float64, trip func() float64, rng *rand.Rand) float64 {
	due := make([]float64, threads) // when each thread asks for the line
	size := make([]float64, threads)
	begin := func(i int, now float64) {
		size[i] = 10_000 * math.Exp(rng.NormFloat64()-0.5) // as pages of package web
		due[i] = now + trip()/1000*(1+math.Ceil(math.Log2(size[i]/window+1)))
	}
	for i := range due {
		begin(i, 0)
	}
	free, bytes := 0.0, 0.0
	for {
		next := 0
		for i := range due {
			if due[i] < due[next] {
				next = i
			}
		}
		free = math.Max(free, due[next]) + size[next]/float64(line)
		if free > seconds {
			return bytes / seconds
		}
		bytes += size[next]
		begin(next, free)
	}
}
