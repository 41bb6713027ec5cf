// Package resolver finds the addresses of hosts. A Resolver remembers answers and failures for some minutes,
// asks once at a time for a name and for few names at once, so that neither name servers nor home routers are
// bothered.
//
// It is safe for concurrent use and starts no goroutines.
package resolver

import (
	"context"
	"errors"
	"fmt"
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
	// maxAnswers bounds what is kept of one answer.
	maxAnswers = 32
)

var (
	// ErrNoName says that a name does not exist, or has no address.
	ErrNoName = errors.New("no such name")
	// ErrLookup says that its name servers, or ours, did not answer well.
	ErrLookup = errors.New("name lookup failed")
)

// Lookuper resolves names. *net.Resolver is one. Names are passed with a dot
// at the end, so that no search list of the system applies to them.
type Lookuper interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Resolver remembers the answers of a Lookuper and asks it once at a time for
// a name. It starts no goroutines: who asks first does the work, and if it
// gives up, one of those who wait for it takes over.
type Resolver struct {
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

// New returns a resolver that asks l, and judges the age of answers by now.
func New(l Lookuper, now func() time.Time) *Resolver {
	answers, _ := simplelru.NewLRU[string, *answer](cachedNames, nil) // fails for no size only
	return &Resolver{
		lookup:  l,
		now:     now,
		slots:   make(chan struct{}, lookupsAtOnce),
		answers: answers,
		asking:  make(map[string]chan struct{}),
	}
}

// Resolve returns the addresses of host, IPv4 first, since IPv6 that does not
// work is common. The caller must not change the slice. The error is ErrNoName, ErrLookup or that of ctx.
func (r *Resolver) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
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
			return nil, ctx.Err()
		}
	}
}

// remembered returns the valid answer for host, or nil. r.mu is held.
func (r *Resolver) remembered(host string) *answer {
	a, ok := r.answers.Get(host)
	if ok && !r.now().Before(a.expires) {
		r.answers.Remove(host)
		return nil
	}
	return a
}

// ask looks host up for all who wait for it.
func (r *Resolver) ask(ctx context.Context, host string, over chan struct{}) ([]netip.Addr, error) {
	addrs, err := r.lookUp(ctx, host)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.asking, host)
	close(over)
	if ctx.Err() != nil {
		return nil, ctx.Err() // says nothing about the name
	}
	life := goodFor
	if err != nil {
		life = badFor
	}
	r.answers.Add(host, &answer{addrs, err, r.now().Add(life)})
	return addrs, err
}

func (r *Resolver) lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := r.lookup.LookupNetIP(ctx, "ip", host+".")
	if err != nil {
		return nil, lookupError(err)
	}
	addrs := tidy(found)
	if len(addrs) == 0 {
		return nil, ErrNoName
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
		return fmt.Errorf("%w: %w", ErrNoName, err)
	}
	return fmt.Errorf("%w: %w", ErrLookup, err)
}

// Local reports whether a name is meant for local use only, so that
// asking a public resolver for it could only tell what our user's network
// is like or be answered by a device in it (RFC 6761, 6762, 7686, 8375, 9476). The host is
// in lower-case ASCII.
func Local(host string) bool {
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
