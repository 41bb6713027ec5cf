package rates

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/peerhost"
)

const (
	tcpListen  = "/ip4/127.0.0.1/tcp/0"
	quicListen = "/ip4/127.0.0.1/udp/0/quic-v1"

	// Bodies are as those of a node once compressed, and do not compress.
	workBody = 8 << 10
	bulkBody = 32 << 10
	// workers is how many calls of class Work are under way to and from each peer.
	workers = 2

	kindPing calls.Kind = 1
	kindWork calls.Kind = 2
	kindBulk calls.Kind = 3
)

// stage is the node and all that it has to do with.
type stage struct {
	budget *bandwidth.Budget
	sites  *sites
	client *fetch.Client
	meter  fetch.Meter

	// over are the hosts of the node, one for each peer in other, so that their bytes
	// can be told apart.
	other [2]*party
	over  [2]*party
	pings pings
	taps  kernelTaps
	// samples are what was counted at each look.
	samples []sample
}

// party is a host with calls on it.
type party struct {
	host           host.Host
	calls          *calls.Calls
	sent, received atomic.Int64
}

// way is what was counted in one direction.
type way struct {
	classes                    bandwidth.Bytes
	pages, quic, tcp           int64 // at the node's socket calls
	farPages, farPeers, kernel int64
}

// sockets is what the node's socket calls moved.
func (w way) sockets() int64 { return w.pages + w.quic + w.tcp }

type counts struct{ down, up way }

func newStage(b *bandwidth.Budget) (_ *stage, err error) {
	s := &stage{budget: b}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.sites, err = newSites(); err != nil {
		return nil, err
	}
	if s.client, err = fetch.New(fetch.Config{
		World: fetch.Lab, UserAgent: crawl.UserAgent(true), Meter: &s.meter, Pacer: b.Sites(),
	}); err != nil {
		return nil, err
	}
	ports := s.sites.ports()
	for i, listen := range []string{tcpListen, quicListen} {
		if s.over[i], err = newParty(listen, b); err != nil {
			return nil, err
		}
		if s.other[i], err = newParty(listen, nil); err != nil {
			return nil, err
		}
		far := s.other[i].host
		to := peer.AddrInfo{ID: far.ID(), Addrs: far.Addrs()}
		if err := s.over[i].host.Connect(context.Background(), to); err != nil {
			return nil, err
		}
		if text, err := far.Addrs()[0].ValueForProtocol(ma.P_TCP); err == nil {
			ports[text] = true
		}
	}
	s.taps = newKernelTaps(ports)
	return s, nil
}

// newParty returns a host that is under a budget, if b is not nil.
func newParty(listen string, b *bandwidth.Budget) (*party, error) {
	key, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		return nil, err
	}
	p := new(party)
	conf := calls.Config{Network: "rates", Bandwidth: [3]int{1 << 30, 1 << 30, 1 << 30}}
	if b != nil {
		conf.Limiter = limiter{b.Peers()}
	}
	p.host, _, err = peerhost.New(peerhost.Config{
		Key: key, World: peerhost.Lab, Listen: []ma.Multiaddr{ma.StringCast(listen)},
		Sockets: func(sent bool, n int) {
			if b != nil {
				b.Peers().Socket(sent, n)
			}
			if sent {
				p.sent.Add(int64(n))
			} else {
				p.received.Add(int64(n))
			}
		},
	})
	if err != nil {
		return nil, err
	}
	if p.calls, err = calls.New(p.host, conf); err != nil {
		p.host.Close()
		return nil, err
	}
	reply := make([]byte, bulkBody)
	rand.Read(reply)
	for kind, size := range map[calls.Kind]int{kindPing: 0, kindWork: workBody, kindBulk: bulkBody} {
		class := calls.Class(kind - kindPing)
		p.calls.Register(kind, calls.Spec{
			Name: class.String(), Class: class, MaxRequest: size, MaxReply: size, Rate: 1e6, Burst: 1e6,
			Handle: func(context.Context, peer.ID, []byte) ([]byte, error) { return reply[:size], nil },
		})
	}
	return p, nil
}

// limiter is a budget as calls see it.
type limiter struct{ peers bandwidth.Peers }

func classOf(c calls.Class) bandwidth.Class {
	switch c {
	case calls.Work:
		return bandwidth.Work
	case calls.Bulk:
		return bandwidth.Bulk
	}
	return bandwidth.Control
}

// Send implements calls.Limiter.
func (l limiter) Send(ctx context.Context, c calls.Class, frame []byte, write func([]byte) (int, error)) error {
	return l.peers.Send(ctx, classOf(c), frame, write)
}

// Received implements calls.Limiter.
func (l limiter) Received(ctx context.Context, c calls.Class, n int) error {
	return l.peers.Received(ctx, classOf(c), n)
}

// play lets all traffic flow until ctx ends; done waits for its end.
func (s *stage) play(ctx context.Context) (done func()) {
	var wg sync.WaitGroup
	body := make([]byte, bulkBody)
	rand.Read(body)
	for i := range s.over {
		near, far := s.over[i], s.other[i]
		for _, p := range []*party{near, far} {
			wg.Go(func() { p.calls.Serve(ctx) })
		}
		for _, pair := range [][2]*party{{near, far}, {far, near}} {
			call := func(kind calls.Kind, size int) {
				wg.Go(func() {
					repeat(ctx, func() error {
						_, err := pair[0].calls.Call(ctx, pair[1].host.ID(), kind, body[:size])
						return err
					})
				})
			}
			for range workers {
				call(kindWork, workBody)
			}
			call(kindBulk, bulkBody)
		}
		wg.Go(func() { s.pings.run(ctx, near, far) })
	}
	for _, u := range s.sites.urls() {
		wg.Go(func() { repeat(ctx, func() error { return s.fetch(ctx, u) }) })
	}
	return wg.Wait
}

// repeat does what do does for as long as ctx.
func repeat(ctx context.Context, do func() error) {
	for ctx.Err() == nil {
		if do() != nil {
			sleep(ctx, 50*time.Millisecond)
		}
	}
}

func (s *stage) fetch(ctx context.Context, u crawl.URL) error {
	addrs, err := s.client.Addrs(ctx, u)
	if err != nil {
		return err
	}
	r, err := s.client.Get(ctx, fetch.Request{URL: u, Addr: addrs[0]})
	if err != nil {
		return err
	}
	defer r.Release()
	if r.Truncated != "" {
		return fmt.Errorf("page cut: %s", r.Truncated)
	}
	return nil
}

// watch asks the kernel now and then for a while.
func (s *stage) watch(ctx context.Context, d time.Duration) error {
	end := time.Now().Add(d)
	for time.Now().Before(end) {
		c := s.counts()
		s.samples = append(s.samples, sample{time.Now(), c.down.sockets(), c.up.sockets()})
		sleep(ctx, min(sampled, time.Until(end)))
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
	}
	return nil
}

func (s *stage) counts() (c counts) {
	u := s.budget.Totals()
	c.down = way{
		classes: u.Received, pages: s.meter.Received(), tcp: s.over[0].received.Load(), quic: s.over[1].received.Load(),
		farPages: s.sites.sent.Load(), farPeers: s.other[0].sent.Load() + s.other[1].sent.Load(),
	}
	c.up = way{
		classes: u.Sent, pages: s.meter.Sent(), tcp: s.over[0].sent.Load(), quic: s.over[1].sent.Load(),
		farPages: s.sites.received.Load(), farPeers: s.other[0].received.Load() + s.other[1].received.Load(),
	}
	c.down.kernel, c.up.kernel = s.taps.look()
	return c
}

func (s *stage) close() {
	for _, p := range append(s.over[:], s.other[:]...) {
		if p != nil {
			p.host.Close()
		}
	}
	if s.client != nil {
		s.client.Close()
	}
	if s.sites != nil {
		s.sites.close()
	}
}
