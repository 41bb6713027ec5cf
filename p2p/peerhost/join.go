package peerhost

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

const (
	// enough is how many peers a search for a way in stops at. One would do;
	// three differ in what they know.
	enough = 3
	// checkEvery is how often a host with peers makes sure that it still has
	// some; losing the last is noticed at once.
	checkEvery = 30 * time.Second
	// firstWait and lastWait bound the wait between two tries to get in.
	firstWait = 5 * time.Second
	lastWait  = 5 * time.Minute
	// nameAge is how long what a name resolved to is used.
	nameAge = 10 * time.Minute
	// maxNamed is the most peers that all names together may lead to.
	maxNamed = 128
)

// keepJoined connects the host to somebody whenever it is connected to nobody,
// or to nobody who speaks for this network.
func (f *Finder) keepJoined(ctx context.Context) {
	lost := make(chan struct{}, 1)
	bundle := &network.NotifyBundle{DisconnectedF: func(network.Network, network.Conn) { poke(lost) }}
	f.cfg.Host.Network().Notify(bundle)
	defer f.cfg.Host.Network().StopNotify(bundle)
	tries, was := 0, true
	for ctx.Err() == nil {
		alone := f.alone()
		if alone != was {
			f.log.LogAttrs(ctx, slog.LevelInfo, "Connection to the network changed", slog.Bool("connected", !alone))
			was = alone
		}
		if !alone {
			tries = 0
			pause(ctx, checkEvery, lost)
			continue
		}
		if f.join(ctx) > 0 {
			poke(f.joined)
		}
		// Nothing cuts this wait short: a peer that takes connections and
		// drops them must not make us dial without pause.
		pause(ctx, joinWait(tries), nil)
		tries++
	}
}

// alone reports whether the host has no way into the network.
func (f *Finder) alone() bool {
	return f.TableSize() == 0 || len(f.cfg.Host.Network().Peers()) == 0
}

// join dials candidates until enough answered, and returns how many did.
func (f *Finder) join(ctx context.Context) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan peer.AddrInfo)
	var reached atomic.Int32
	var wg sync.WaitGroup
	for range maxDials {
		wg.Go(func() {
			for p := range work {
				err := f.Connect(ctx, p)
				if err != nil {
					f.log.LogAttrs(ctx, slog.LevelDebug, "Peer not reached", slog.String("peer", p.ID.String()),
						slog.Any("err", err))
				} else if reached.Add(1) >= enough {
					cancel()
				}
			}
		})
	}
	for _, p := range f.candidates(ctx) {
		select {
		case work <- p:
		case <-ctx.Done():
		}
	}
	close(work)
	wg.Wait()
	return int(reached.Load())
}

// candidates are the peers worth dialling to get in, in random order, so that
// not all newcomers ask the same one.
func (f *Finder) candidates(ctx context.Context) []peer.AddrInfo {
	list := mergePeers(f.cfg.Bootstrap.Known, f.names.get(ctx, f))
	list = mergePeers(list, f.memory.peers())
	self := f.cfg.Host.ID()
	list = slices.DeleteFunc(list, func(p peer.AddrInfo) bool { return p.ID == self })
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// resolved are the peers behind the names of the bootstrap list. It is used by
// keepJoined alone.
type resolved struct {
	at    time.Time
	peers []peer.AddrInfo
}

// get returns them, looking them up if that was long ago or found nothing.
func (r *resolved) get(ctx context.Context, f *Finder) []peer.AddrInfo {
	if len(f.cfg.Bootstrap.Names) == 0 || len(r.peers) > 0 && time.Since(r.at) < nameAge {
		return r.peers
	}
	var found []peer.AddrInfo
	for _, name := range f.cfg.Bootstrap.Names {
		if peers, ok := f.lookUp(ctx, name); ok {
			found = mergePeers(found, peers)
		}
	}
	if len(found) > 0 { // else those of last time may still be there
		r.peers, r.at = found[:min(len(found), maxNamed)], time.Now()
	}
	return r.peers
}

func (f *Finder) lookUp(ctx context.Context, name ma.Multiaddr) ([]peer.AddrInfo, bool) {
	peers, err := resolve(ctx, f.cfg.Resolver, name)
	if err != nil {
		f.log.LogAttrs(ctx, slog.LevelInfo, "Bootstrap name not found", slog.String("name", name.String()),
			slog.Any("err", err))
	}
	return peers, err == nil
}

// joinWait is the wait after so many tries in vain: it doubles up to lastWait,
// give or take a third, so that a server that comes back is not met by everybody
// at once.
func joinWait(tries int) time.Duration {
	d := min(firstWait<<min(tries, 10), lastWait)
	return jitter(d*2/3, d*4/3)
}

// jitter returns a random duration from low to high.
func jitter(low, high time.Duration) time.Duration {
	return low + rand.N(high-low+1)
}

// poke fills c, which has room for one, without waiting.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// pause waits for d, for wake, or for ctx, whichever comes first.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-wake:
	case <-ctx.Done():
	}
}
