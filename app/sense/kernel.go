package sense

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

// listenKernel has a channel told of messages of the kernel that match, and died called if there will be no more.
// The function, which is never nil, ends it and waits for its goroutine.
func (h *Hub) listenKernel(ctx context.Context, open func() (io.ReadCloser, error), match func([]byte) bool,
	hint chan<- struct{}, died func(error)) (func(), error) {
	s, err := open()
	if err != nil {
		return func() {}, err
	}
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, func() { s.Close() })
	all.Go(func() {
		var t local.Throttle
		b := make([]byte, 8<<10)
		for {
			n, err := s.Read(b)
			// A message that was lost, for want of room, may have been one that matters.
			if err == nil && match(b[:n]) || errors.Is(err, errLost) {
				select {
				case hint <- struct{}{}:
				default:
				}
			} else if err != nil {
				died(err)
				return
			}
			t.One()
		}
	})
	return func() {
		cancel()
		all.Wait()
	}, nil
}

// errLost says that messages of the kernel did not fit its queue.
var errLost = words.New("said.sensor.messages-were-lost", nil)

// isPowerEvent reports whether an event of the kernel is of a power supply.
func isPowerEvent(b []byte) bool { return bytes.Contains(b, []byte("\x00SUBSYSTEM=power_supply\x00")) }

const (
	// networkEvery is how often links are compared though nothing tells of a change; networkAlone
	// where nothing would.
	networkEvery = time.Minute
	networkAlone = 10 * time.Second
	// settle is how long a change of network is given to become complete.
	settle = 500 * time.Millisecond
)

// countNetwork counts changes of links and addresses, which it compares from time to time and, if it is to listen, when
// the kernel tells of one.
func (h *Hub) countNetwork(every time.Duration, listen bool) func(context.Context, func(uint64)) error {
	return func(ctx context.Context, report func(uint64)) error {
		hint := make(chan struct{}, 1)
		if listen {
			var died context.CancelCauseFunc
			ctx, died = context.WithCancelCause(ctx)
			wait, err := h.listenKernel(ctx, h.opts.RouteEvents, func([]byte) bool { return true }, hint, died)
			defer wait()
			defer died(nil)
			if err != nil {
				return err
			}
		}
		again := false
		// Renewed leases and advertisements change nothing; they would wake others for nothing.
		read := func(context.Context) (uint64, error) {
			if again && !ladder.Pause(ctx, settle) {
				return 0, context.Cause(ctx)
			}
			again = true
			now, err := h.opts.Addresses()
			if err != nil {
				return 0, err
			}
			return h.counted.next(now), nil
		}
		last := uint64(0)
		tell := func(n uint64) {
			report(n)
			if n != last { // sources that knew nothing of the old network may know the new one
				last = n
				h.link.Again()
				h.metered.Again()
			}
		}
		return ladder.Poll(ctx, read, tell, hint, ladder.Each[uint64](every))
	}
}

// changes counts how often something was another thing than before.
type changes struct {
	mu   sync.Mutex
	last string
	any  bool
	n    uint64
}

func (c *changes) next(now string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.any && now != c.last {
		c.n++
	}
	c.last, c.any = now, true
	return c.n
}
