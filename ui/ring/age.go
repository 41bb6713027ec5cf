package ring

import (
	"math"
	"time"
)

// How bright a site is: fresh ones shine, and fade over days.
const (
	halfLife = 2 * 24 * time.Hour
	faintest = 0.22
	// steps of brightness are drawn, so that what is brighter is drawn later.
	steps = 8
)

// brightness of a site last fetched so long ago, from faintest to 1.
func brightness(age time.Duration) float64 {
	return faintest + (1-faintest)*math.Exp2(-float64(max(0, age))/float64(halfLife))
}

func stepOf(bright float64) int {
	n := int(math.Floor((bright - faintest) / (1 - faintest) * steps))
	return min(steps-1, max(0, n))
}

// ofStep is the brightness in the middle of a step.
func ofStep(n int) float64 { return faintest + (float64(n)+0.5)/steps*(1-faintest) }
