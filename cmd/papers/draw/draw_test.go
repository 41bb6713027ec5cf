package draw

import (
	"bytes"
	"testing"
)

// A picture is the same wherever it is drawn, has every curve's name, and stays small.
func TestFigure_IsSmallAndRepeatable(t *testing.T) {
	f := Figure{File: "x", Title: "a title", X: "nodes", Y: "ms", Log: true, Curves: []Curve{{Name: "ours", X: []float64{1, 10, 100}, Y: []float64{1.0 / 3, 2, 0}}, {Name: "theirs", X: []float64{1, 10}, Y: []float64{4, 5}, Dashed: true}}}
	first, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	second, _ := f.SVG()
	if !bytes.Equal(first, second) || len(first) > 10_000 {
		t.Errorf("two drawings of %d and %d bytes, want the same, below 10,000", len(first), len(second))
	}
	for _, want := range []string{"a title", "nodes", "ms", "ours", "theirs", "stroke-dasharray"} {
		if !bytes.Contains(first, []byte(want)) {
			t.Errorf("the picture lacks %q", want)
		}
	}
}

func TestDistribution_EndsAtAll(t *testing.T) {
	c := Distribution("x", []float64{1, 2, 3, 4})
	if n := len(c.X) - 1; c.X[0] != 1 || c.X[n] != 4 || c.Y[n] != 1 {
		t.Errorf("got %+v", c)
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 123456789: 123457000, 1.0 / 3: 0.333333, -2.00000049: -2} {
		if got := short(x); got != want {
			t.Errorf("short(%v) = %v, want %v", x, got, want)
		}
	}
}
