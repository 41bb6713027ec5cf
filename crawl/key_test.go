package crawl

import (
	"math"
	"testing"
)

func TestPlaceOf(t *testing.T) {
	for _, c := range []struct {
		first uint64
		want  float64
	}{
		{0, 0}, {1 << 63, 0.5}, {1 << 62, 0.25}, {math.MaxUint64, 0.999999999}, {math.MaxUint64 / 3, 0.333333333},
	} {
		if got := PlaceOf(c.first); got != c.want {
			t.Errorf("PlaceOf(%#x) = %v, want %v", c.first, got, c.want)
		}
	}
	if got, want := KeyOf("a.example").Place(), PlaceOf(0); got == want {
		t.Errorf("a.example is at %v", got)
	}
}
