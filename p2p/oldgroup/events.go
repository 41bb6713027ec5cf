package oldgroup

import (
	"context"
	"slices"
	"sync"
)

// event is something that Config's functions are told.
type event struct {
	kind  eventKind
	g     *Group
	leads bool
	log   string
	from  string
	epoch Epoch
}

type eventKind int

const (
	eventLed eventKind = iota
	eventDropped
	eventEpoch
)

// maxEpochs bounds the epochs that wait to be told: strangers make them up.
const maxEpochs = 256

// events are those that are yet to be told, in order.
type events struct {
	ready chan struct{} // holds one when there are any

	mu   sync.Mutex
	wait []event
}

// led tells that a group begins or ceases to lead. A beginning that was not told when it ends is
// never.
func (e *events) led(g *Group, leads bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !leads {
		for i := len(e.wait) - 1; i >= 0; i-- {
			if w := e.wait[i]; w.kind == eventLed && w.g == g {
				if w.leads {
					e.wait = slices.Delete(e.wait, i, i+1)
					return
				}
				break
			}
		}
	}
	e.add(event{kind: eventLed, g: g, leads: leads})
}

func (e *events) dropped(g *Group) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.ContainsFunc(e.wait, func(w event) bool { return w.kind == eventDropped && w.g == g }) {
		e.add(event{kind: eventDropped, g: g})
	}
}

// higher tells of a higher epoch; the highest that waits is enough, of each peer that says so.
func (e *events) higher(log, from string, epoch Epoch) {
	e.mu.Lock()
	defer e.mu.Unlock()
	count := 0
	for i, w := range e.wait {
		if w.kind != eventEpoch {
			continue
		}
		if w.log == log && w.from == from {
			if epoch.Compare(w.epoch) > 0 {
				e.wait[i].epoch = epoch
			}
			return
		}
		count++
	}
	if count < maxEpochs {
		e.add(event{kind: eventEpoch, log: log, from: from, epoch: epoch})
	}
}

func (e *events) add(ev event) {
	e.wait = append(e.wait, ev)
	select {
	case e.ready <- struct{}{}:
	default:
	}
}

func (e *events) take() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.wait
	e.wait = nil
	return list
}

// tell calls the functions of Config until ctx ends.
func (s *Groups) tell(ctx context.Context) {
	for {
		for _, e := range s.events.take() {
			switch {
			case e.kind == eventLed && s.cfg.Led != nil:
				s.cfg.Led(e.g, e.leads)
			case e.kind == eventDropped && s.cfg.Dropped != nil:
				s.cfg.Dropped(e.g)
			case e.kind == eventEpoch && s.cfg.Epoch != nil:
				s.cfg.Epoch(e.log, e.from, e.epoch)
			}
		}
		select {
		case <-s.events.ready:
		case <-ctx.Done():
			return
		}
	}
}
