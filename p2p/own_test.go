package p2p

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/p2ptest"
)

// memory is a Store that can be copied.
type memory struct {
	mu    sync.Mutex
	items [][]byte
	seq   uint64
}

func (m *memory) LoadRoster() ([][]byte, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.items), m.seq, nil
}

func (m *memory) SaveRoster(items [][]byte, seq uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.items, m.seq = slices.Clone(items), seq
	return nil
}

// number is that of the last record.
func (m *memory) number() uint64 {
	_, seq, _ := m.LoadRoster()
	return seq
}

func (m *memory) copy() *memory {
	items, seq, _ := m.LoadRoster()
	return &memory{items: items, seq: seq}
}

// added returns what a network adds, or ends the test.
func added(t *testing.T) func(*p2ptest.Host, error) *p2ptest.Host {
	return func(h *p2ptest.Host, err error) *p2ptest.Host {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// A store that was set back shows when another member is met, even one that is met long after the node found
// itself alone. It does not show any more once that was acted on; and a node that was only restarted, or whose
// store is new, shows nothing.
func TestNode_StoreThatWasSetBack(t *testing.T) {
	for _, c := range []struct {
		name  string
		store func(old, last *memory) Store
		alone bool // it finds nobody at first
		want  bool
	}{
		{"set back", func(old, _ *memory) Store { return old }, false, true},
		{"set back, and alone at first", func(old, _ *memory) Store { return old }, true, true},
		{"restarted", func(_, last *memory) Store { return last }, false, false},
		{"restarted, and alone at first", func(_, last *memory) Store { return last }, true, false},
		{"new", func(_, _ *memory) Store { return new(memory) }, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				net := p2ptest.New(p2ptest.Between(10*time.Millisecond, 50*time.Millisecond), 1)
				defer net.Close()
				host := added(t)
				first, h := host(net.NewHost()), host(net.NewHost())
				_, stopA := simulated(t, first)
				defer stopA()
				last := new(memory)
				_, stop := simulatedWith(t, h, last, first)
				time.Sleep(20 * time.Second)
				stop()
				old := last.copy()
				h = host(net.Again(h))
				n, stop := simulatedWith(t, h, last, first) // at another address: it issues another record
				time.Sleep(20 * time.Second)
				if isClosed(n.SetBack()) || last.number() <= old.number() {
					t.Fatalf("set back: %v, number %d after %d", isClosed(n.SetBack()), last.number(), old.number())
				}
				stop()
				h = host(net.Again(h))
				var doors []*p2ptest.Host
				if !c.alone {
					doors = append(doors, first)
				} else {
					net.CutBetween(first, h, true)
				}
				n, stop = simulatedWith(t, h, c.store(old, last), doors...)
				defer func() { stop() }()
				if c.alone {
					time.Sleep(2 * time.Minute)
					if !isClosed(n.Joined()) || isClosed(n.SetBack()) {
						t.Errorf("alone, it has joined: %v, and is set back: %v", isClosed(n.Joined()),
							isClosed(n.SetBack()))
					}
					net.CutBetween(first, h, false)
					if err := h.Connect(t.Context(), peer.AddrInfo{ID: first.ID(), Addrs: first.Addrs()}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(20 * time.Second)
				if got := isClosed(n.SetBack()); got != c.want {
					t.Errorf("set back: %v, want %v", got, c.want)
				}
				if isClosed(n.Doubled()) {
					t.Error("it takes itself for a copy")
				}
				if !c.want {
					return
				}
				if got := old.number(); c.want && !c.alone && got >= last.number() {
					t.Errorf("it issued number %d before that was acted on", got)
				}
				n.TrustStore()
				time.Sleep(10 * time.Second)
				if got := old.number(); got <= last.number() {
					t.Errorf("it goes on with number %d, want one above %d", got, last.number())
				}
				stop()
				h = host(net.Again(h))
				n, stop = simulatedWith(t, h, old, first)
				time.Sleep(20 * time.Second)
				if isClosed(n.SetBack()) {
					t.Error("it shows again after the next start")
				}
			})
		})
	}
}

// Of a node and a copy of it that run at the same time one gives way.
func TestNode_CopyThatRuns(t *testing.T) {
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			net := p2ptest.New(p2ptest.Between(10*time.Millisecond, 150*time.Millisecond), seed)
			defer net.Close()
			host := added(t)
			first, second, h := host(net.NewHost()), host(net.NewHost()), host(net.NewHost())
			_, stopA := simulated(t, first)
			defer stopA()
			_, stopB := simulatedWith(t, second, new(memory), first)
			defer stopB()
			store := new(memory)
			was, stopWas := simulatedWith(t, h, store, first)
			defer stopWas()
			time.Sleep(time.Minute)
			records := store.number()
			again, stopAgain := simulatedWith(t, host(net.Again(h)), store.copy(), second)
			defer stopAgain()
			for _, n := range []*Node{was, again} {
				go func() {
					select {
					case <-n.SetBack():
						n.TrustStore()
					case <-t.Context().Done():
					}
				}()
			}
			select {
			case <-again.Doubled():
			case <-was.Doubled():
			case <-time.After(time.Minute):
				t.Errorf("seed %d: they go on, with number %d after %d", seed, store.number(), records)
			}
		})
	}
}
