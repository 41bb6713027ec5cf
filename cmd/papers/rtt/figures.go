package rtt

import (
	"math"
	"slices"
)

// Quantile returns the q-th quantile of some figures, 0 ≤ q ≤ 1, NaN of none.
func Quantile(figures []float64, q float64) float64 {
	if len(figures) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(figures))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Median is the middle one of some figures.
func Median(figures []float64) float64 { return Quantile(figures, 0.5) }

// Mean returns NaN of none.
func Mean(figures []float64) float64 { return Total(figures) / float64(len(figures)) }

// Total adds figures up.
func Total(figures []float64) (sum float64) {
	for _, f := range figures {
		sum += f
	}
	return sum
}
