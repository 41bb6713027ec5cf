package membership

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/near"
)

// A node that does not tell where it is knows it all the same.
func TestPlace(t *testing.T) {
	other := near.New("other").At().Text()
	for _, tells := range []bool{true, false} {
		p := Place{tells: tells, here: near.New("self")}
		for range 50 {
			p.Heard("peer", other, 80*time.Millisecond)
			p.Heard("liar", "not a place", time.Millisecond)
		}
		if got := p.Told(); (got != "") != tells {
			t.Errorf("tells %v: it tells %q", tells, got)
		}
		from, _ := near.Parse(other)
		if p.At().Text() == from.Text() {
			t.Error("it has learned nothing")
		}
		if far, bearings := p.Around([]string{"stranger"}); far[0] != -1 || bearings[0] != -1 {
			t.Errorf("a peer that never told is %v ms away", far)
		}
	}
}
