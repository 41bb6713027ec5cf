// Package strip is which parts of a circle are covered, and how far each is from what shines.
package strip

import "math"

// Strip is which part of the circle is covered, in bins: what is narrower than a pixel is drawn as strong as it
// is wide.
type Strip struct {
	// sum is what is covered before each bin, in bins.
	sum []float32
}

const (
	// PerPixel is how many bins a pixel of the circle's length has.
	PerPixel = 8
	fewest   = 1 << 10
	// Most is how many bins a Strip has at most.
	Most = 1 << 17
)

// Of is how many bins a circle of a length in pixels has.
func Of(length float64) int { return int(max(fewest, min(Most, length*PerPixel))) }

// Bins is how many bins there are.
func (s *Strip) Bins() float64 { return float64(len(s.sum) - 1) }

// Reset empties it and gives it so many bins.
func (s *Strip) Reset(bins int) {
	if cap(s.sum) < bins+1 {
		s.sum = make([]float32, bins+1)
	}
	s.sum = s.sum[:bins+1]
	clear(s.sum)
}

// Add covers a part of the circle; it may reach over the top. What was covered is not covered twice as much.
func (s *Strip) Add(from, to float64) {
	n := s.Bins()
	if !(to > from) {
		return
	}
	from, to = from*n, min(to, from+1)*n
	shift := math.Floor(from/n) * n
	from, to = from-shift, to-shift
	for i := int(from); float64(i) < to; i++ {
		at := &s.sum[1+i%int(n)]
		*at = min(1, *at+float32(max(0, min(float64(i)+1, to)-max(float64(i), from))))
	}
}

// Done makes sums of what was added.
func (s *Strip) Done() {
	// In double precision, so that the last bin of many is as exact as the first.
	sum := 0.0
	for i := range s.sum {
		sum += float64(s.sum[i])
		s.sum[i] = float32(sum)
	}
}

// Cover is how much is covered between two bins, which may reach over the top, from 0 to 1.
func (s *Strip) Cover(from, to float64) float64 {
	n := s.Bins()
	var sum float64
	switch {
	case from < 0:
		sum = s.before(n) - s.before(from+n) + s.before(to)
	case to > n:
		sum = s.before(n) - s.before(from) + s.before(to-n)
	default:
		sum = s.before(to) - s.before(from)
	}
	return sum / (to - from)
}

func (s *Strip) before(at float64) float64 {
	i := int(at)
	if i >= len(s.sum)-1 {
		return float64(s.sum[len(s.sum)-1])
	}
	return float64(s.sum[i]) + (at-float64(i))*float64(s.sum[i+1]-s.sum[i])
}

// Shine is how far each bin is from the nearest of our arcs and how far that one shines, in pixels.
type Shine struct {
	far, reach []float32
}

// Bins is how many bins there are.
func (s *Shine) Bins() int { return len(s.far) }

// At is how far a bin is from what shines, and how far that shines, in pixels.
func (s *Shine) At(bin int) (far, reach float64) { return float64(s.far[bin]), float64(s.reach[bin]) }

func (s *Shine) Reset(bins int) {
	if cap(s.far) < bins {
		s.far, s.reach = make([]float32, bins), make([]float32, bins)
	}
	s.far, s.reach = s.far[:bins], s.reach[:bins]
	for i := range s.far {
		s.far[i], s.reach[i] = float32(math.Inf(1)), 0
	}
}

// Add lets a part of the circle shine; it may reach over the top once.
func (s *Shine) Add(from, to float64, reach float64) {
	n := float64(len(s.far))
	for i := int(from * n); float64(i) < to*n; i++ {
		at := i % len(s.far)
		if s.far[at] > 0 || s.reach[at] < float32(reach) {
			s.far[at], s.reach[at] = 0, float32(reach)
		}
	}
}

// Done spreads the distances; a bin is so many pixels long. The nearer light is seen where two meet.
func (s *Shine) Done(bin float64) {
	n := len(s.far)
	for i := range 2 * n {
		s.spread(i%n, (i+n-1)%n, float32(bin))
	}
	for i := 2*n - 1; i >= 0; i-- {
		s.spread(i%n, (i+1)%n, float32(bin))
	}
}

func (s *Shine) spread(to, from int, bin float32) {
	if d := s.far[from] + bin; d-s.reach[from] < s.far[to]-s.reach[to] {
		s.far[to], s.reach[to] = d, s.reach[from]
	}
}
