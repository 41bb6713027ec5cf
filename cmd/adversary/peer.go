package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// stranger is a host that is connected to one member, and paces itself by nothing.
type stranger struct {
	host  host.Host
	calls *calls.Calls
	to    peer.ID
	net   string
	stop  context.CancelFunc
	ended chan struct{}
}

func newKey() crypto.PrivKey {
	key, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		panic(err) // the system has no random numbers
	}
	return key
}

func newHost(o *options, key crypto.PrivKey) (host.Host, error) {
	listen, err := ma.NewMultiaddr(o.listen)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", o.listen, err)
	}
	h, _, err := peerhost.New(peerhost.Config{Key: key, Listen: []ma.Multiaddr{listen}, World: peerhost.Lab})
	return h, err
}

// dialFor is how long a member may take to answer a connection or a request.
const dialFor = 10 * time.Second

func newStranger(ctx context.Context, o *options) (*stranger, error) {
	h, err := newHost(o, newKey())
	if err != nil {
		return nil, err
	}
	c, err := calls.New(h, calls.Config{Network: o.network, Dictionary: wire.Dictionary()})
	if err != nil {
		h.Close()
		return nil, err
	}
	c.Register(calls.Kind(wire.KindSync), calls.Spec{Name: "roster", MaxRequest: calls.MaxBody,
		MaxReply: calls.MaxBody, Rate: 1e6, Burst: 1e6})
	s := &stranger{host: h, calls: c, to: o.door.ID, net: o.network, ended: make(chan struct{})}
	ctx, s.stop = context.WithCancel(ctx)
	go func() {
		defer close(s.ended)
		_ = c.Serve(ctx)
	}()
	dial, cancel := context.WithTimeout(ctx, dialFor)
	defer cancel()
	if err := h.Connect(dial, o.door); err != nil {
		s.close()
		return nil, fmt.Errorf("connect: %w", err)
	}
	return s, nil
}

func (s *stranger) close() {
	s.stop()
	<-s.ended
	s.host.Close()
}

// sync brings signed items to the member, and asks for its roster.
func (s *stranger) sync(ctx context.Context, items ...[]byte) error {
	ctx, cancel := context.WithTimeout(ctx, dialFor)
	defer cancel()
	_, err := s.calls.Call(ctx, s.to, calls.Kind(wire.KindSync), syncBody(s.net, items...))
	return err
}

// syncBody compares rosters as one that knows nobody.
func syncBody(network string, items ...[]byte) []byte {
	summary, _, _ := roster.New(roster.Config{Network: network}).Summary("", 0, wire.MaxSummary)
	return wire.Encode(&wire.Sync{Digest: make([]byte, 16), Summary: summary, Items: items})
}

// invented returns a signed record of a member that does not exist: one at some public address, which owns domains.
func invented(o *options) ([]byte, error) {
	firsts := []int{5, 23, 31, 46, 62, 77, 81, 93, 151, 178, 185, 193, 212}
	ip := fmt.Sprintf("%d.%d.%d.%d", firsts[mathrand.IntN(len(firsts))], mathrand.IntN(250)+1, mathrand.IntN(250)+1,
		mathrand.IntN(250)+1)
	r := roster.Record{
		Seq: uint64(time.Now().UnixMilli()), Issued: time.Now().Unix(), State: roster.StateActive,
		Reach: roster.ReachPublic, Version: crawl.Version, Capacity: 8, Seats: 40,
		Addrs: []ma.Multiaddr{ma.StringCast("/ip4/" + ip + "/tcp/4001")},
	}
	for port := 2000; o.victim != "" && port < 2000+roster.MaxAddrs-1; port++ {
		r.Addrs = append(r.Addrs, ma.StringCast(fmt.Sprintf("/ip4/%s/tcp/%d", o.victim, port)))
	}
	return roster.Seal(o.network, newKey(), r)
}

// sybil gossips records of members that do not exist.
func sybil(ctx context.Context, o *options) error {
	s, err := newStranger(ctx, o)
	if err != nil {
		return err
	}
	defer s.close()
	for failures := 0; o.did.of("records") < o.n && failures < 60; {
		var items [][]byte
		for len(items) < min(wire.MaxItems, o.n-o.did.of("records")) {
			item, err := invented(o)
			if err != nil {
				return err
			}
			items = append(items, item)
		}
		if err = s.sync(ctx, items...); err == nil {
			o.did.add("records", len(items))
			continue
		}
		failures++
		o.did.add("refusals", 1)
		if wait(ctx, pauseOf(err)); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// pauseOf is how long to wait after an error.
func pauseOf(err error) time.Duration {
	if busy, is := errors.AsType[*calls.Busy](err); is {
		return min(busy.After, 2*time.Second)
	}
	return time.Second
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
