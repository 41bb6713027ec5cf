package sense

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/assets/words"
)

// Hub reads all sensors. Make it with New; it is safe for concurrent use.
type Hub struct {
	opts   Options
	wanted atomic.Pointer[Wanted]
	asked  struct{ apps, disk chan struct{} } // told when wanted changes

	input      *ladder.Ladder[Input]
	idleLocks  *ladder.Ladder[Inhibition] // of the system
	filmLocks  *ladder.Ladder[Inhibition] // of the desktop
	power      *ladder.Ladder[Power]
	metered    *ladder.Ladder[Metered]
	link       *ladder.Ladder[Link]
	fullScreen *ladder.Ladder[bool]
	apps       *ladder.Ladder[[]string]
	otherCPU   *ladder.Ladder[float64]
	heat       *ladder.Ladder[Heat]
	fan        *ladder.Ladder[bool]
	disk       *ladder.Ladder[Space]
	sleep      *ladder.Ladder[Sleep]
	network    *ladder.Ladder[uint64]

	counted  changes // of the network
	slept    *sleeper
	diskBusy chan struct{} // holds one while a file system is asked
	closers  []func()      // of what the sources share

	shared ladder.Shared // its mutex guards what follows
	seq    uint64
	at     time.Time
	subs   map[chan Snapshot]bool
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
	h.asked.apps, h.asked.disk = make(chan struct{}, 1), make(chan struct{}, 1)
	h.shared.Now, h.shared.Changed = h.opts.Now, h.publish
	h.build()
	return h
}

// Want changes what is watched.
func (h *Hub) Want(w Wanted) {
	w.Apps = append([]string(nil), w.Apps[:min(len(w.Apps), maxApps)]...)
	h.wanted.Store(&w)
	for _, ch := range []chan struct{}{h.asked.apps, h.asked.disk} {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
	h.disk.Again()
}

// sensor is a ladder of any type.
type sensor interface {
	Serve(ctx context.Context)
	Status(lang string) Status
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
		all.Go(func() { s.Serve(ctx) })
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
	h.shared.Mu.Lock()
	defer h.shared.Mu.Unlock()
	return h.snapshot()
}

func (h *Hub) snapshot() Snapshot {
	return Snapshot{
		Seq: h.seq, At: h.at, Input: h.input.Reading(),
		Inhibition: either(h.idleLocks.Reading(), h.filmLocks.Reading()),
		Power:      h.power.Reading(), Metered: h.metered.Reading(), Link: h.link.Reading(),
		FullScreen: h.fullScreen.Reading(), Apps: h.apps.Reading(), OtherCPU: h.otherCPU.Reading(),
		Heat: h.heat.Reading(), FanLoud: h.fan.Reading(), Disk: h.disk.Reading(),
		Sleep: h.sleep.Reading(), Network: h.network.Reading(),
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
	a.Why, a.Never = words.Join("; ", a.Why, b.Why), a.Never && b.Never
	return a
}

// Status describes every sensor for people, in a language.
func (h *Hub) Status(lang string) []Status {
	h.shared.Mu.Lock()
	defer h.shared.Mu.Unlock()
	var list []Status
	for _, s := range h.sensors() {
		list = append(list, s.Status(lang))
	}
	return list
}

// Subscribe returns a channel that gets the snapshot of now, then the newest one after every
// change; one that nobody took is replaced. The function ends it.
func (h *Hub) Subscribe() (<-chan Snapshot, func()) {
	ch := make(chan Snapshot, 1)
	h.shared.Mu.Lock()
	defer h.shared.Mu.Unlock()
	h.subs[ch] = true
	ch <- h.snapshot()
	return ch, func() {
		h.shared.Mu.Lock()
		defer h.shared.Mu.Unlock()
		delete(h.subs, ch)
	}
}

// publish tells subscribers of a change. The mutex is held.
func (h *Hub) publish() {
	h.seq++
	h.at = h.opts.Now()
	s := h.snapshot()
	for ch := range h.subs {
		select {
		case <-ch:
		default:
		}
		ch <- s // there is room: we alone send, with the mutex held
	}
}
