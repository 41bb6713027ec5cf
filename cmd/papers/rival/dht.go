package rival

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"sort"
)

// Hash is a number that follows from some others, evenly spread.
func Hash(numbers ...uint64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, n := range numbers {
		binary.BigEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	x := h.Sum64() // FNV leaves its high bits uneven
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// Circle is a consistent hash: an agent has some points on a circle, drawn by its identifier, and keys belong to the
// next point. With one point it is a DHT such as Loo's; with 100 or 200 it is UbiCrawler's.
type Circle struct {
	points []point
	agents int
}

type point struct {
	at    uint64
	agent int
}

// NewCircle returns the circle of the agents 0 to agents-1, at least one. Their identifiers follow from the seed.
func NewCircle(agents, replicas int, seed uint64) *Circle {
	c := &Circle{agents: agents}
	for a := range agents {
		for r := range replicas {
			c.points = append(c.points, point{Hash(seed, uint64(a), uint64(r)), a})
		}
	}
	slices.SortFunc(c.points, func(a, b point) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	return c
}

// Owner is the agent of a key.
func (c *Circle) Owner(key uint64) int { return c.points[c.place(key)].agent }

func (c *Circle) place(key uint64) int {
	return sort.Search(len(c.points), func(i int) bool { return c.points[i].at >= key }) % len(c.points)
}

// InOrder yields the agents in the order in which they would own a key, if those before were gone, while yield
// returns true.
func (c *Circle) InOrder(key uint64, yield func(agent int) bool) {
	seen := make([]bool, c.agents)
	for i, left := c.place(key), c.agents; left > 0; i = (i + 1) % len(c.points) {
		if a := c.points[i].agent; !seen[a] {
			seen[a] = true
			left--
			if !yield(a) {
				return
			}
		}
	}
}

// Shares are the parts of the circle that the agents own.
func (c *Circle) Shares() []float64 {
	shares := make([]float64, c.agents)
	last := c.points[len(c.points)-1].at
	for _, p := range c.points {
		shares[p.agent] += float64(p.at-last) / (1 << 64) // the first wraps around
		last = p.at
	}
	return shares
}
