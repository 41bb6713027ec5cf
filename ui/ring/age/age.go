// Package age is how bright a site is: fresh ones shine, and fade over days.
package age

import (
	"math"
	"time"
)

const (
	halfLife = 2 * 24 * time.Hour
	// Faintest is the least brightness.
	Faintest = 0.22
	// Steps of brightness are drawn, so that what is brighter is drawn later.
	Steps = 8
)

// Brightness of a site last fetched so long ago, from Faintest to 1.
func Brightness(age time.Duration) float64 {
	return Faintest + (1-Faintest)*math.Exp2(-float64(max(0, age))/float64(halfLife))
}

// Step is that of a brightness, from 0 to Steps - 1.
func Step(bright float64) int {
	n := int(math.Floor((bright - Faintest) / (1 - Faintest) * Steps))
	return min(Steps-1, max(0, n))
}

// OfStep is the brightness in the middle of a step.
func OfStep(n int) float64 { return Faintest + (float64(n)+0.5)/Steps*(1-Faintest) }
