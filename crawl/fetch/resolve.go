package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// cachedNames bounds the resolver's memory: at about 300 bytes a name, 3 MB.
	cachedNames = 10_000
	// goodFor stands in for the TTL, which net.Resolver does not tell. Longer,
	// and we miss a site that moves; shorter, and every page costs a look-up
	// where domains are slow.
	goodFor = 5 * time.Minute
	// badFor is how long a failure is remembered, so that the tasks of a dead
	// domain do not each wait for it.
	badFor = time.Minute
	// lookupsAtOnce spares home routers, whose resolvers drop bursts.
	lookupsAtOnce = 16
	lookupTime    = 10 * time.Second
	// maxAnswers bounds what is kept of one answer, maxAddrs what is tried.
	maxAnswers = 32
	maxAddrs   = 8
)

// Lookuper resolves names. *net.Resolver is one. Names are passed with a dot
// at the end, so that no search list of the system applies to them.
type Lookuper interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// resolver remembers the answers of a Lookuper and asks it once at a time for
// a name. It starts no goroutines: who asks first does the work, and if it
// gives up, one of those who wait for it takes over.
type resolver struct {
	lookup Lookuper
	now    func() time.Time
	slots  chan struct{} // one element for each look-up under way

	mu      sync.Mutex
	answers *simplelru.LRU[string, *answer] // by host
	asking  map[string]chan struct{}        // closed when the look-up is over
}

type answer struct {
	addrs   []netip.Addr
	err     error
	expires time.Time
}

func newResolver(l Lookuper, now func() time.Time) *resolver {
	answers, _ := simplelru.NewLRU[string, *answer](cachedNames, nil) // fails for no size only
	return &resolver{
		lookup:  l,
		now:     now,
		slots:   make(chan struct{}, lookupsAtOnce),
		answers: answers,
		asking:  make(map[string]chan struct{}),
	}
}

// resolve returns the addresses of host, IPv4 first, since IPv6 that does not
// work is common. The caller must not change the slice.
func (r *resolver) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	for {
		r.mu.Lock()
		if a := r.remembered(host); a != nil {
			r.mu.Unlock()
			return a.addrs, a.err
		}
		over, asked := r.asking[host]
		if !asked {
			over = make(chan struct{})
			r.asking[host] = over
			r.mu.Unlock()
			return r.ask(ctx, host, over)
		}
		r.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
			return nil, stopped(ctx)
		}
	}
}

// remembered returns the valid answer for host, or nil. r.mu is held.
func (r *resolver) remembered(host string) *answer {
	a, ok := r.answers.Get(host)
	if ok && !r.now().Before(a.expires) {
		r.answers.Remove(host)
		return nil
	}
	return a
}

// ask looks host up for all who wait for it.
func (r *resolver) ask(ctx context.Context, host string, over chan struct{}) ([]netip.Addr, error) {
	addrs, err := r.lookUp(ctx, host)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.asking, host)
	close(over)
	if ctx.Err() != nil {
		return nil, stopped(ctx) // says nothing about the name
	}
	life := goodFor
	if err != nil {
		life = badFor
	}
	r.answers.Add(host, &answer{addrs, err, r.now().Add(life)})
	return addrs, err
}

func (r *resolver) lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, stopped(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := r.lookup.LookupNetIP(ctx, "ip", host+".")
	if err != nil {
		return nil, lookupError(err)
	}
	addrs := tidy(found)
	if len(addrs) == 0 {
		return nil, &Error{Kind: KindNoName}
	}
	return addrs, nil
}

// tidy sorts IPv4 before IPv6, drops repeats and what is too much.
// net.Resolver may give IPv4 addresses in IPv6 form.
func tidy(found []netip.Addr) []netip.Addr {
	found = found[:min(len(found), maxAnswers)]
	addrs := make([]netip.Addr, 0, len(found))
	seen := make(map[netip.Addr]bool, len(found))
	for _, four := range []bool{true, false} {
		for _, a := range found {
			if a = a.Unmap(); a.Is4() == four && !seen[a] {
				seen[a] = true
				addrs = append(addrs, a)
			}
		}
	}
	return addrs
}

func lookupError(err error) error {
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return &Error{Kind: KindNoName, Err: err}
	}
	return &Error{Kind: KindLookup, Err: err}
}

// LocalName reports whether a name is meant for local use only, so that
// asking a public resolver for it could only tell what our user's network
// is like or be answered by a device in it (RFC 6761, 6762, 7686, 8375, 9476). The host is
// in lower-case ASCII.
func LocalName(host string) bool {
	_, top := host, host
	if i := strings.LastIndexByte(host, '.'); i >= 0 {
		top = host[i+1:]
	} else {
		return true
	}
	switch top {
	case "local", "localhost", "internal", "onion", "alt", "invalid", "test":
		return true
	}
	return strings.HasSuffix(host, ".home.arpa")
}
