package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

// However many pages there are: each is merged about once for each size, and there are few segments at any time.
func TestDue_MergesEachPageSeldom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		commit         func() int // pages of a commit
		pages, rewrite int        // how often a page is written again, at most
	}{
		{"full commits", func() int { return 1000 }, 4_000_000, 5},
		{"commits of any size", func() func() int {
			r := rand.New(rand.NewPCG(1,
				1))
			return func() int { return 1 + r.IntN(1000) }
		}(), 2_000_000, 7},
	} {
		var list []*segment
		all, merged, most := 0, 0, 0
		for all < c.pages {
			n := c.commit()
			all += n
			list = append(list, segmentOf(n))
			if from, to := due(list); to > from {
				sum := 0
				for _, s := range list[from:to] {
					sum += s.n
				}
				merged += sum
				list = slices.Replace(list, from, to, segmentOf(sum))
			}
			most = max(most, len(list))
		}
		t.Logf("%s: %.1f times, %d segments", c.name, float64(merged)/float64(all), most)
		if merged > c.rewrite*all {
			t.Errorf("%s: each page is written again %d times, want at most %d", c.name, merged/all, c.rewrite)
		}
		if most > 5*mergeFrom {
			t.Errorf("%s: up to %d segments", c.name, most)
		}
	}
}

func TestDue_MergesWhatIsMostlyDeleted(t *testing.T) {
	t.Parallel()
	list := []*segment{segmentOf(100_000), segmentOf(9000), segmentOf(10)}
	if from, to := due(list); from != to {
		t.Errorf("segments %d to %d are merged", from, to)
	}
	list[1].deleted.AddRange(0, 4501)
	if from, to := due(list); from != 1 || to != 2 {
		t.Errorf("segments %d to %d are merged, want the second", from, to)
	}
}

func segmentOf(n int) *segment { return &segment{table: table{n: n}, deleted: roaring.New()} }
