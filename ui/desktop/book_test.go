package desktop

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/forage-net/forage/app/api"
)

func nan() float64 { return math.NaN() }

func pageOf(all []api.Domain, after string, limit int) []api.Domain {
	for len(all) > 0 && all[0].Domain <= after {
		all = all[1:]
	}
	return all[:min(limit, len(all))]
}

// However pages come, what a book says is what the node answered last of every part, without gaps.
func TestBook_FollowsTheNode(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		full := manySites(120)
		node := slices.Clone(full[:60])
		var b book
		for range 60 {
			switch after, more := b.next(); {
			case rng.IntN(3) == 0 && len(node) > 0: // one goes, or comes
				i := rng.IntN(len(full))
				if at, there := slices.BinarySearchFunc(node, full[i], byName); there {
					node = slices.Delete(node, at, at+1)
				} else {
					node = slices.Insert(node, at, full[i])
				}
			case more && rng.IntN(2) == 0:
				limit := 1 + rng.IntN(30)
				b.take(after, limit, pageOf(node, after, limit))
			case len(b.sites) > 0:
				after, limit := b.preceding(rng.IntN(len(b.sites))), 1+rng.IntN(30)
				b.take(after, limit, pageOf(node, after, limit))
			}
			if !slices.IsSortedFunc(b.sites, func(a, c site) int { return byName(a.Domain, c.Domain) }) {
				t.Fatalf("seed %d: out of order", seed)
			}
		}
		b.take("", 1000, pageOf(node, "", 1000))
		if got, want := len(b.sites), len(node); got != want || !b.whole {
			t.Fatalf("seed %d: %d sites, want %d; whole %v", seed, got, want, b.whole)
		}
		// Some pages of what comes later: from an old end on, it is asked on to the new one.
		node = full
		for i := 0; i < 100; i++ {
			after, more := b.next()
			if !more {
				after = b.preceding(len(b.sites) - 1)
			}
			b.take(after, 10, pageOf(node, after, 10))
		}
		last, _ := b.at(b.length() - 1)
		if last.Domain.Domain != full[119].Domain {
			t.Fatalf("seed %d: the last is %q", seed, last.name)
		}
	}
}

func byName(a, b api.Domain) int {
	switch {
	case a.Domain < b.Domain:
		return -1
	case a.Domain > b.Domain:
		return 1
	}
	return 0
}

func TestBook_IsBounded(t *testing.T) {
	var b book
	all := manySites(maxBook + 500)
	for range 200 {
		after, more := b.next()
		if !more {
			break
		}
		b.take(after, sitesSweep, pageOf(all[b.length():], after, sitesSweep))
	}
	if _, more := b.next(); more || len(b.sites) != maxBook || !b.cut {
		t.Errorf("%d sites, cut %v, more %v", len(b.sites), b.cut, more)
	}
}

// A node that answers with the same page again and again does not keep the book busy.
func TestBook_EndsWithANodeThatDoesNot(t *testing.T) {
	var b book
	page := manySites(10)
	slices.Reverse(page)
	b.take("", 10, page)
	after, _ := b.next()
	b.take(after, 10, page)
	if _, more := b.next(); more || len(b.sites) != 10 {
		t.Errorf("%d sites, more %v", len(b.sites), more)
	}
}
