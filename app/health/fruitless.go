package health

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// manyFruitless is how many requests in a row bring nothing, and fruitlessFor how long that lasts at least, before
	// a node needs a look: among sites that are there so many are rare, and a list of dead links is over sooner. With
	// more, a node whose sites all back off would take hours to say so.
	manyFruitless = 20
	fruitlessFor  = 10 * time.Minute
)

// Fruitless is the row of requests up to the latest that brought nothing: no answer, an error in the site, or a
// refusal.
type Fruitless struct {
	// Requests are so many, Refused those of them that a site turned away.
	Requests, Refused int64
	from, to          time.Time
}

// Matters reports whether the row is so long that somebody should have a look.
func (f Fruitless) Matters() bool {
	return f.Requests >= manyFruitless && f.to.Sub(f.from) >= fruitlessFor
}

// see takes in one more request, of some kind.
func (f *Fruitless) see(o *crawl.Outcome, k Kind) {
	switch {
	case k == OK:
		*f = Fruitless{}
		return
	case k.answers():
		f.Refused++
	case k != Failed && (o.Result != crawl.Deferred || o.Reason == ""): // deferred without robots.txt, it was tried
		return
	}
	if f.Requests == 0 || o.Date.Before(f.from) { // the clock was set back
		f.from = o.Date
	}
	f.Requests++
	f.to = o.Date
}

// row is Fruitless for many callers.
type row struct {
	mu sync.Mutex
	is Fruitless
}

func (r *row) see(o *crawl.Outcome, k Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.is.see(o, k)
}

func (r *row) now() Fruitless {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.is
}
