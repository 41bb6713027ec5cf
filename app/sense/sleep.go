package sense

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/app/sense/bus"
	"github.com/forage-net/forage/app/sense/ladder"
)

const (
	// sleepEvery is how often clocks are compared.
	sleepEvery = 6 * time.Second
	// slept is what the clock that counts suspend must gain on the other one.
	slept = time.Second
	// gap is by how much a tick must be late where both clocks count suspend: a computer that is only
	// busy is not late by that much.
	gap = 30 * time.Second
	// drowsy is how long a computer may be about to sleep.
	drowsy = time.Minute
)

// sleeper follows suspend by clocks, and by the signals of a service if there is one.
type sleeper struct {
	h *Hub

	mu          sync.Mutex
	state       Sleep
	boot, awake time.Duration // at the last look
	ahead       time.Duration // of boot over awake
	said        time.Duration // boot, when the service said that sleep begins
	missed      bool          // the end of that has been seen by the clocks
}

// clockSleep compares clocks.
func (h *Hub) clockSleep() (Sleep, error) { return h.slept.look(false), nil }

// logindSleep is told before the computer sleeps, and compares clocks besides.
func (h *Hub) logindSleep(system *bus.Bus) func(context.Context, func(Sleep)) error {
	return func(ctx context.Context, report func(Sleep)) error {
		l := logind(system)
		hint, stop, err := l.Listen(ctx, "PrepareForSleep")
		if err != nil {
			return err
		}
		defer stop()
		s := h.slept
		preparing, told := false, true // read at once
		for {
			if told {
				if preparing, err = bus.Get[bool](ctx, l, "PreparingForSleep"); err != nil {
					return err
				}
			}
			report(s.look(preparing))
			if !ladder.Pause(ctx, ladder.MinGap) {
				return ctx.Err()
			}
			var ok bool
			if told, ok = ladder.Await(ctx, sleepEvery, hint); !ok {
				return ctx.Err()
			}
			told = told || preparing
		}
	}
}

func (h *Hub) newSleeper() *sleeper {
	s := &sleeper{h: h, boot: h.opts.Boot(), awake: h.opts.Awake()}
	s.ahead = s.boot - s.awake
	return s
}

// look compares the clocks with those of the last look.
func (s *sleeper) look(preparing bool) Sleep {
	s.mu.Lock()
	defer s.mu.Unlock()
	boot, awake := s.h.opts.Boot(), s.h.opts.Awake()
	gained := boot - awake - s.ahead
	late := boot - s.boot - sleepEvery
	began := s.state.Asleep
	switch {
	case gained > slept:
		s.state.For = gained
	case late > gap:
		s.state.For = late
	default:
		gained, late = 0, 0
	}
	woke := gained > slept || late > gap
	if woke {
		s.state.Woke, s.missed = s.h.opts.Now(), true
	}
	switch {
	case !preparing:
		s.state.Asleep, s.missed = false, false
		if began && !woke { // it slept, but shorter than the clocks tell, or not at all
			s.state.Woke, s.state.For = s.h.opts.Now(), 0
		}
	case !began && !s.missed:
		s.state.Asleep, s.said = true, boot
	case woke || boot-s.said > drowsy:
		s.state.Asleep, s.missed = false, true
	}
	s.boot, s.awake, s.ahead = boot, awake, boot-awake
	return s.state
}
