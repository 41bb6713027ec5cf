package peerhost

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// Book keeps peers between runs. Load returns what was saved last, none the
// first time; Save replaces it. Neither is called while the other runs.
type Book interface {
	Load() ([]peer.AddrInfo, error)
	Save([]peer.AddrInfo) error
}

const (
	// maxRemembered bounds the peers that are remembered; a handful of live ones
	// among them suffices to come back.
	maxRemembered = 64
	// firstSave is early, so that a short run or a crash leaves something.
	firstSave = time.Minute
	saveEvery = 10 * time.Minute
)

// memory is what is in the Book, the most recently useful first. The zero
// value is empty.
type memory struct {
	mu   sync.Mutex
	list []peer.AddrInfo
}

// peers returns the list, which the caller may change, but not its addresses.
func (m *memory) peers() []peer.AddrInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list)
}

// renew puts useful ones in front, with their present addresses, drops the
// oldest, and returns the new list.
func (m *memory) renew(useful []peer.AddrInfo) []peer.AddrInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := make(map[peer.ID]bool, len(useful))
	for _, p := range useful {
		now[p.ID] = true
	}
	old := slices.DeleteFunc(m.list, func(p peer.AddrInfo) bool { return now[p.ID] })
	list := slices.Concat(useful, old)
	m.list = list[:min(len(list), maxRemembered)]
	return slices.Clone(m.list)
}

// load reads the Book. What is in it was written by an earlier version, or by
// the user, and is checked like anything else when it is dialled.
func (f *Finder) load() {
	if f.cfg.Book == nil {
		return
	}
	list, err := f.cfg.Book.Load()
	if err != nil {
		f.log.Warn("Remembered peers not read", "err", err)
		return
	}
	list = slices.DeleteFunc(mergePeers(nil, list), func(p peer.AddrInfo) bool {
		return p.ID.Validate() != nil || p.ID == f.cfg.Host.ID()
	})
	f.memory.renew(list[:min(len(list), maxRemembered)])
}

// keepSaved saves the Book from time to time.
func (f *Finder) keepSaved(ctx context.Context) {
	for wait := firstSave; f.cfg.Book != nil; wait = saveEvery {
		pause(ctx, wait, nil)
		if ctx.Err() != nil {
			return
		}
		f.save()
	}
}

// save writes the Book, unless there is nothing to write.
func (f *Finder) save() {
	if f.cfg.Book == nil {
		return
	}
	list := f.memory.renew(f.useful())
	if len(list) == 0 {
		return
	}
	if err := f.cfg.Book.Save(list); err != nil {
		f.log.LogAttrs(context.Background(), slog.LevelWarn, "Remembered peers not saved", slog.Any("err", err))
	}
}

// useful returns the connected peers that could be dialled another time: those
// in the routing table first, since they answered questions.
func (f *Finder) useful() []peer.AddrInfo {
	h, table := f.cfg.Host, f.table.Load()
	var first, rest []peer.AddrInfo
	for _, p := range h.Network().Peers() {
		if h.Network().Connectedness(p) != network.Connected {
			continue // by way of a relay
		}
		addrs := f.cfg.Gater.Announce(h.Peerstore().Addrs(p))
		if len(addrs) == 0 {
			continue
		}
		info := peer.AddrInfo{ID: p, Addrs: addrs}
		if table != nil && table.RoutingTable().Find(p) != "" {
			first = append(first, info)
		} else {
			rest = append(rest, info)
		}
	}
	out := slices.Concat(first, rest)
	return out[:min(len(out), maxRemembered)]
}
