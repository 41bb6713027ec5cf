// Package requests asks other members, and answers them. It knows from the roster where they are, asks none that said
// it rests, and nobody at all while this node is silent. Both ways a gate may put requests off. What the requests say
// is the caller's business.
package requests

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/members"
	"github.com/forage-net/forage/p2p/wire"
)

var (
	// ErrSilent is returned for calls while this node is silent. It is an
	// ErrUnreachable.
	ErrSilent = fmt.Errorf("this node is silent: %w", calls.ErrUnreachable)
	// ErrRests is returned for calls to a member that rests. It is an ErrUnreachable.
	ErrRests = fmt.Errorf("the member rests: %w", calls.ErrUnreachable)
)

const (
	// findWithin is how long it may take to look up where a peer is.
	findWithin = 3 * time.Second
	// addrTTL is how long an address of a member's record is believed.
	addrTTL = 30 * time.Minute
)

// Gate puts requests off. Its methods are called for every request, from many
// goroutines, and must not block.
type Gate interface {
	// Answer returns for how long a peer shall wait with a request of so many
	// bytes, 0 if it is answered.
	Answer(class calls.Class, kind wire.Kind, n int) time.Duration
	// Ask returns for how long this node shall wait with one of its own.
	Ask(class calls.Class, kind wire.Kind, n int) time.Duration
}

// Finder looks up where a peer is.
type Finder interface {
	FindPeer(ctx context.Context, id peer.ID) (peer.AddrInfo, error)
}

// Config says what Requests work with.
type Config struct {
	Host    host.Host
	Members *members.Members
	Calls   calls.Config
	// Gate, Finder and Places may be nil.
	Gate   Gate
	Finder Finder
	Places Places
	Log    *slog.Logger
}

// Requests go to other members, and come from them. Methods are safe for concurrent use.
type Requests struct {
	cfg   Config
	calls *calls.Calls

	mu      sync.Mutex
	audible context.Context // ends when this node falls silent
	hush    context.CancelFunc
}

// New returns requests of a node that is not silent. Handlers must be set before Serve.
func New(cfg Config) (*Requests, error) {
	c, err := calls.New(cfg.Host, cfg.Calls)
	if err != nil {
		return nil, fmt.Errorf("prepare calls: %w", err)
	}
	r := &Requests{cfg: cfg, calls: c}
	r.audible, r.hush = context.WithCancel(context.Background())
	return r, nil
}

// Serve answers peers until ctx is done.
func (r *Requests) Serve(ctx context.Context) error { return r.calls.Serve(ctx) }

// Call asks a peer. Errors are those of p2p/calls, ErrSilent and ErrRests.
func (r *Requests) Call(ctx context.Context, to string, kind wire.Kind, body []byte) ([]byte, error) {
	if r.cfg.Gate != nil {
		if wait := r.cfg.Gate.Ask(specs[kind].class, kind, len(body)); wait > 0 {
			return nil, &calls.Busy{After: wait}
		}
	}
	audible := r.whileAudible()
	if audible.Err() != nil {
		return nil, ErrSilent
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(audible, cancel)()
	id := peer.ID(to)
	if r.cfg.Members.Rests(to) && r.cfg.Host.Network().Connectedness(id) == network.NotConnected {
		return nil, ErrRests // it would not answer, and connects when it is back
	}
	r.addAddrs(ctx, id)
	answer, err := r.calls.Call(ctx, id, calls.Kind(kind), body)
	if errors.Is(err, context.DeadlineExceeded) && audible.Err() == nil {
		r.dropOld(id)
	}
	if err != nil && audible.Err() != nil {
		return nil, ErrSilent
	}
	return answer, err
}

// addAddrs makes sure that the host knows where a peer is: from its record, or
// else from others.
func (r *Requests) addAddrs(ctx context.Context, id peer.ID) {
	if r.cfg.Host.Network().Connectedness(id) == network.Connected {
		return
	}
	store := r.cfg.Host.Peerstore()
	if m, ok := r.cfg.Members.Roster.Get(id); ok {
		store.AddAddrs(id, m.Addrs, addrTTL)
	}
	if len(store.Addrs(id)) > 0 || r.cfg.Finder == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	if found, err := r.cfg.Finder.FindPeer(ctx, id); err == nil {
		store.AddAddrs(id, found.Addrs, addrTTL)
	}
}

// Handle sets what answers requests of a kind; before Serve.
func (r *Requests) Handle(kind wire.Kind, h calls.Handler) {
	spec := SpecOf(kind)
	spec.Handle = h
	if gate := r.cfg.Gate; gate != nil {
		spec.Handle = func(ctx context.Context, from peer.ID, body []byte) ([]byte, error) {
			if wait := gate.Answer(spec.Class, kind, len(body)); wait > 0 {
				return nil, &calls.Busy{After: wait}
			}
			return h(ctx, from, body)
		}
	}
	r.calls.Register(calls.Kind(kind), spec)
}

// SetSilent makes all calls fail, those under way too; false ends it. What else a host sends is its own affair.
func (r *Requests) SetSilent(silent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if (r.audible.Err() != nil) == silent {
		return
	}
	if silent {
		r.hush()
	} else {
		r.audible, r.hush = context.WithCancel(context.Background())
	}
}

// Silent reports whether nothing may be sent.
func (r *Requests) Silent() bool { return r.whileAudible().Err() != nil }

// whileAudible returns a context that ends when this node falls silent.
func (r *Requests) whileAudible() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.audible
}

// Offend counts what a peer should not have said.
func (r *Requests) Offend(p peer.ID, what string, weight int) { r.calls.Offend(p, what, weight) }

// Banned reports whether a peer has lied too much of late.
func (r *Requests) Banned(p peer.ID) bool { return r.calls.Banned(p) }

// Offences returns what peers did wrong, and how often.
func (r *Requests) Offences() map[string]uint64 { return r.calls.Counts() }
