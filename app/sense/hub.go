package sense

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Hub reads all sensors. Make it with New; it is safe for concurrent use.
type Hub struct {
	opts   Options
	wanted atomic.Pointer[Wanted]
	asked  kicks // told when wanted changes

	input      *ladder[Input]
	idleLocks  *ladder[Inhibition] // of the system
	filmLocks  *ladder[Inhibition] // of the desktop
	power      *ladder[Power]
	metered    *ladder[Metered]
	link       *ladder[Link]
	fullScreen *ladder[bool]
	apps       *ladder[[]string]
	otherCPU   *ladder[float64]
	heat       *ladder[Heat]
	fan        *ladder[bool]
	disk       *ladder[Space]
	sleep      *ladder[Sleep]
	network    *ladder[uint64]

	counted  changes // of the network
	slept    *sleeper
	diskBusy chan struct{} // holds one while a file system is asked
	closers  []func()      // of what the sources share

	mu   sync.Mutex
	seq  uint64
	at   time.Time
	subs map[chan Snapshot]bool
}

// Wanted is what the user asks to be watched.
type Wanted struct {
	// Apps are names of programs as a list of processes shows them, at most 64 of them.
	Apps []string
	// Dir is on the disk whose free space matters.
	Dir string
}

// New returns a Hub that reads nothing before Serve.
func New(opts Options) *Hub {
	h := &Hub{opts: opts.withDefaults(), subs: make(map[chan Snapshot]bool), diskBusy: make(chan struct{}, 1)}
	h.slept = h.newSleeper()
	h.at = h.opts.Now()
	h.wanted.Store(&Wanted{})
	h.build()
	return h
}

// Want changes what is watched.
func (h *Hub) Want(w Wanted) {
	w.Apps = append([]string(nil), w.Apps[:min(len(w.Apps), maxApps)]...)
	h.wanted.Store(&w)
	h.asked.kick()
	h.disk.again()
}

// sensor is a ladder of any type.
type sensor interface {
	serve(ctx context.Context)
	status() Status
}

func (h *Hub) sensors() []sensor {
	return []sensor{
		h.input, h.idleLocks, h.filmLocks, h.power, h.metered, h.link, h.fullScreen, h.apps, h.otherCPU, h.heat,
		h.fan, h.disk, h.sleep, h.network,
	}
}

// Serve reads all sensors until ctx is over, and returns its error when everything has
// stopped. It may be called once.
func (h *Hub) Serve(ctx context.Context) error {
	var all sync.WaitGroup
	for _, s := range h.sensors() {
		all.Go(func() { s.serve(ctx) })
	}
	<-ctx.Done()
	for _, c := range h.closers {
		c()
	}
	all.Wait()
	return ctx.Err()
}

// Snapshot returns what is known now.
func (h *Hub) Snapshot() Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.snapshot()
}

func (h *Hub) snapshot() Snapshot {
	return Snapshot{
		Seq: h.seq, At: h.at,
		Input: h.input.read, Inhibition: either(h.idleLocks.read, h.filmLocks.read), Power: h.power.read,
		Metered: h.metered.read,
		Link:    h.link.read, FullScreen: h.fullScreen.read, Apps: h.apps.read, OtherCPU: h.otherCPU.read,
		Heat: h.heat.read, FanLoud: h.fan.read, Disk: h.disk.read,
		Sleep: h.sleep.read, Network: h.network.read,
	}
}

// either joins what the system and the desktop know of films: each knows of some programs
// only, so one that says yes is enough.
func either(a, b Reading[Inhibition]) Reading[Inhibition] {
	switch {
	case a.Known && a.Value.Held:
		return a
	case b.Known && b.Value.Held:
		return b
	case a.Known && b.Known:
		a.Source += ", " + b.Source
		if b.Since.After(a.Since) {
			a.Since = b.Since
		}
		return a
	case b.Known:
		return b
	case a.Known:
		return a
	}
	a.Why, a.Never = a.Why+"; "+b.Why, a.Never && b.Never
	return a
}

// Status describes every sensor for people.
func (h *Hub) Status() []Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []Status
	for _, s := range h.sensors() {
		list = append(list, s.status())
	}
	return list
}

// Subscribe returns a channel that gets the snapshot of now, then the newest one after every
// change; one that nobody took is replaced. The function ends it.
func (h *Hub) Subscribe() (<-chan Snapshot, func()) {
	ch := make(chan Snapshot, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs[ch] = true
	ch <- h.snapshot()
	return ch, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, ch)
	}
}

// publish tells subscribers of a change. mu is held.
func (h *Hub) publish() {
	h.seq++
	h.at = h.opts.Now()
	s := h.snapshot()
	for ch := range h.subs {
		select {
		case <-ch:
		default:
		}
		ch <- s // there is room: we alone send, with mu held
	}
}
