package rtt

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
)

// Generate returns round trips that follow from the seed, of a form like that of measured ones: nodes lie around
// towns, towns on four continents. A round trip is 1 ms for each 100 km of fibre and back, times a detour, plus what
// both last miles take. It is for tests: no figure from it says anything of the internet.
func Generate(nodes int, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 0x70617065))
	type place struct{ x, y, last float64 } // ms
	continents := []place{{x: 0, y: 0}, {x: 80, y: 10}, {x: 140, y: 60}, {x: 40, y: 110}}
	towns := make([]place, max(4, nodes/4))
	for i := range towns {
		c := continents[rng.IntN(len(continents))]
		towns[i] = place{x: c.x + 12*rng.NormFloat64(), y: c.y + 12*rng.NormFloat64()}
	}
	at := make([]place, nodes)
	for i := range at {
		t := towns[rng.IntN(len(towns))]
		at[i] = place{t.x + rng.Float64(), t.y + rng.Float64(), math.Exp(0.5 + rng.NormFloat64())}
	}
	m := &Matrix{Name: fmt.Sprintf("generated %d", seed), rows: make([][]float64, nodes)}
	for i := range m.rows {
		m.rows[i] = make([]float64, nodes)
	}
	for i := range at {
		for j := range i {
			ms := math.Hypot(at[i].x-at[j].x, at[i].y-at[j].y)*(1+0.3*rng.ExpFloat64()) + at[i].last + at[j].last
			m.rows[i][j], m.rows[j][i] = ms, ms
		}
	}
	m.Sum = sha256.Sum256([]byte(m.Name))
	return m
}
