package frontier

import (
	"bytes"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// Whatever failed comes behind all that was never tried, and each retry behind all with fewer attempts.
func TestRank_OrderOfVisits(t *testing.T) {
	order := []rank{
		{attempts: 0, depth: 0, prio: crawl.PriorityHigh, number: 900},
		{attempts: 0, depth: 0, prio: crawl.PriorityNormal, number: 2},
		{attempts: 0, depth: 1, prio: crawl.PriorityHigh, number: 800},
		{attempts: 0, depth: 1, prio: crawl.PriorityNormal, number: 300},
		{attempts: 0, depth: 1, prio: crawl.PriorityNormal, number: 1 << 40},
		{attempts: 0, depth: 1, prio: crawl.PriorityLow, number: 3},
		{attempts: 0, depth: 255, prio: crawl.PriorityLow, number: 4},
		{attempts: 1, depth: 0, prio: crawl.PriorityHigh, number: 5},
		{attempts: 1, depth: 1, prio: crawl.PriorityNormal, number: 1},
		{attempts: 1, depth: 200, prio: crawl.PriorityNormal, number: 0},
		{attempts: 2, depth: 0, prio: crawl.PriorityHigh, number: 0},
		{attempts: maxRefusals - 1, depth: 0, prio: crawl.PriorityHigh, number: 0},
	}
	var last []byte
	for i, r := range order {
		tail := r.append(nil)
		if len(tail) != tailSize || rankOf(tail) != r {
			t.Errorf("%+v is read back as %+v, of %d bytes", r, rankOf(tail), len(tail))
		}
		if bytes.Compare(last, tail) >= 0 {
			t.Errorf("%+v comes before %+v", r, order[i-1])
		}
		last = tail
	}
}
