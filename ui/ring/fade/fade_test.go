package fade

import (
	"testing"
	"time"
)

func TestAt(t *testing.T) {
	since, strongest, n := -time.Second, 0.0, 0
	for {
		strength, next, changes := At(since)
		strongest = max(strongest, strength)
		if !changes {
			if strength != 0 {
				t.Errorf("in the end it is %v", strength)
			}
			break
		}
		since = next
		n++
	}
	if n != Stages || strongest != 1 || since > 4*time.Second {
		t.Errorf("%d stages up to %v, the last after %v", n, strongest, since)
	}
}
