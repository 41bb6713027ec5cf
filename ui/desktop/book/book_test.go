package book

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/forage-net/forage/app/api"
)

func manySites(n int) []api.Domain {
	list := make([]api.Domain, n)
	for i := range list {
		list[i] = api.Domain{Domain: fmt.Sprintf("site%05d.example", i), State: "due", Title: fmt.Sprintf("Title %d", i)}
	}
	return list
}

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
		var b Book
		for range 60 {
			switch after, more := b.Next(); {
			case rng.IntN(3) == 0 && len(node) > 0: // one goes, or comes
				i := rng.IntN(len(full))
				if at, there := slices.BinarySearchFunc(node, full[i], byName); there {
					node = slices.Delete(node, at, at+1)
				} else {
					node = slices.Insert(node, at, full[i])
				}
			case more && rng.IntN(2) == 0:
				limit := 1 + rng.IntN(30)
				b.Take(after, limit, pageOf(node, after, limit))
			case len(b.Sites) > 0:
				after, limit := b.Preceding(rng.IntN(len(b.Sites))), 1+rng.IntN(30)
				b.Take(after, limit, pageOf(node, after, limit))
			}
			if !slices.IsSortedFunc(b.Sites, func(a, c Site) int { return byName(a.Domain, c.Domain) }) {
				t.Fatalf("seed %d: out of order", seed)
			}
		}
		b.Take("", 1000, pageOf(node, "", 1000))
		if got, want := len(b.Sites), len(node); got != want || !b.Whole {
			t.Fatalf("seed %d: %d sites, want %d; whole %v", seed, got, want, b.Whole)
		}
		// Some pages of what comes later: from an old end on, it is asked on to the new one.
		node = full
		for i := 0; i < 100; i++ {
			after, more := b.Next()
			if !more {
				after = b.Preceding(len(b.Sites) - 1)
			}
			b.Take(after, 10, pageOf(node, after, 10))
		}
		last, _ := b.At(b.Length() - 1)
		if last.Domain.Domain != full[119].Domain {
			t.Fatalf("seed %d: the last is %q", seed, last.Name)
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
	var b Book
	all := manySites(maxBook + 500)
	for range 200 {
		after, more := b.Next()
		if !more {
			break
		}
		b.Take(after, 1000, pageOf(all[b.Length():], after, 1000))
	}
	if _, more := b.Next(); more || len(b.Sites) != maxBook || !b.Cut {
		t.Errorf("%d sites, cut %v, more %v", len(b.Sites), b.Cut, more)
	}
}

// A node that answers with the same page again and again does not keep the book busy.
func TestBook_EndsWithANodeThatDoesNot(t *testing.T) {
	var b Book
	page := manySites(10)
	slices.Reverse(page)
	b.Take("", 10, page)
	after, _ := b.Next()
	b.Take(after, 10, page)
	if _, more := b.Next(); more || len(b.Sites) != 10 {
		t.Errorf("%d sites, more %v", len(b.Sites), more)
	}
}
