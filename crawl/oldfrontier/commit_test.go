package frontier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
)

// narrow is a log with little room, on a disk that refuses the second entry once.
type narrow struct {
	alone
	room    int // in bytes
	refuses bool
	entries int
}

func (n *narrow) Propose(ctx context.Context, data []byte, mine any) error {
	if len(data) > n.room {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, len(data))
	}
	if n.refuses && n.entries == 1 {
		n.refuses = false
		return syscall.ENOSPC
	}
	n.entries++
	return n.alone.Propose(ctx, data, mine)
}

// linksOf makes an entry of URLs with so many bytes in all that nothing compresses.
func linksOf(rng *rand.Rand, host string, size int) Entry {
	var links []Link
	for i := 0; size > 0; i++ {
		url := fmt.Sprintf("http://%s/%d-", host, i)
		for len(url) < 1024 {
			url += fmt.Sprintf("%x", rng.Uint64())
		}
		links = append(links, Link{URL: url})
		size -= len(url)
	}
	return Entry{Enqueue: &Enqueue{Links: links}}
}

// What is committed together stands and falls alone: one that no entry has room for, and a disk that is full for a moment between two
// entries, take nothing from the others.
func TestServe_OneProposalFailsAlone(t *testing.T) {
	const small, large = 200 << 10, 700 << 10
	for name, c := range map[string]struct {
		sizes   []int
		refuses bool
		fails   []int
		entries int
	}{
		"one is too large":          {[]int{small, large, small}, false, []int{1}, 2},
		"the first is":              {[]int{large, small, small}, false, []int{0}, 1},
		"the last is":               {[]int{small, small, large}, false, []int{2}, 1},
		"all are":                   {[]int{large, large}, false, []int{0, 1}, 0},
		"full between two":          {[]int{small, small, small, small}, true, nil, 2},
		"full, and one is too much": {[]int{small, large, small}, true, []int{1}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, _, end := serveShared(t, Config{})
				defer end()
				log := &narrow{alone: alone{f}, room: maxBatch + maxBatch/8, refuses: c.refuses}
				f.log = log
				rng := rand.New(rand.NewPCG(1, 2))
				type result struct {
					i, found int
					err      error
				}
				results := make(chan result, len(c.sizes))
				want := make([]int, len(c.sizes))
				for i, size := range c.sizes {
					e := linksOf(rng, fmt.Sprintf("h%d.test", i), size)
					want[i] = len(e.Enqueue.Links)
					go func() {
						applied, err := f.ProposeSoon(t.Context(), e)
						r := result{i: i, err: err}
						for _, a := range applied {
							r.found += a.New
						}
						results <- r
					}()
					synctest.Wait() // they are taken in this order
				}
				for range c.sizes {
					r := <-results
					if fails := slices.Contains(c.fails, r.i); fails != errors.Is(r.err, ErrTooLarge) || !fails && (r.err != nil || r.found != want[r.i]) {
						t.Errorf("proposal %d of %d bytes: %d new URLs, %v; it is too large: %v, URLs %d", r.i, c.sizes[r.i], r.found, r.err, fails, want[r.i])
					}
				}
				if log.entries != c.entries {
					t.Errorf("%d entries, want %d", log.entries, c.entries)
				}
			})
		})
	}
}
