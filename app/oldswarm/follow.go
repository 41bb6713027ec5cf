package swarm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// maxHops bounds the members that are asked for who leads a log: all that may.
	maxHops = 1 + speakers
	// hopFor is how long a member has to answer before the next one is asked too, and hopRate, in bytes a second,
	// how much longer for what it is sent: as a node that stands by may send. Halved, a leader whose
	// disk is slow has what it is sent go to a partner as well, which says that it leads; doubled, all that is for the log of a member that hangs
	// is late by as much.
	hopFor  = 3 * time.Second
	hopRate = 4 << 10
)

// errNoLeader means that nobody who was asked leads a log: its group elects, or
// has lost its majority.
var errNoLeader = errors.New("nobody leads the log now")

// errNoLog is an errNoLeader that stays: none of those who would keep the log has it. Its domains have gone to others,
// or all its copies are lost.
var errNoLog = fmt.Errorf("%w, nor keeps it", errNoLeader)

// hop is what one member said.
type hop struct {
	to string
	reply
	err error
}

// pursuit is one request on its way to who leads a log.
type pursuit struct {
	hub  *Hub
	e    envelope
	log  string
	kind wire.Kind
	body []byte

	tried   map[string]bool
	waits   map[string]bool // of those, who has not answered yet
	sure    string          // of those, whom another named
	results chan hop
	all     sync.WaitGroup
}

// follow asks member after member until one leads the log. One that does not answer within hopFor is still waited
// for while the next is asked, unless that one says that it leads.
func (h *Hub) follow(ctx context.Context, e envelope, log string, kind wire.Kind, body []byte) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := pursuit{
		hub: h, e: e, log: log, kind: kind, body: body,
		tried: map[string]bool{h.net.Self(): true}, waits: make(map[string]bool), results: make(chan hop, maxHops),
	}
	defer f.all.Wait()
	defer cancel()
	return f.run(ctx)
}

func (f *pursuit) run(ctx context.Context) ([]byte, error) {
	next := f.hub.known(f.log)
	if next == "" || f.tried[next] {
		next = f.candidate()
	}
	last, answered := errNoLeader, false
	_, isKept := f.hub.leaderHere(f.log)
	var said error
	for hops := 0; ; {
		if next != "" && hops < maxHops {
			hops++
			f.ask(ctx, next)
		}
		if len(f.waits) == 0 {
			break
		}
		r, ok := f.wait(ctx, hops < maxHops && f.sure == "" && f.candidate() != "")
		if ctx.Err() != nil && (!ok || r.answer == nil) {
			return nil, context.Cause(ctx)
		}
		switch {
		case !ok: // nobody has answered in time
			next = f.candidate()
		case r.err == nil && r.answer != nil:
			f.hub.note(f.log, r.to)
			return r.answer, nil
		case r.err == nil:
			answered, isKept = true, isKept || r.kept
			next = f.after(r)
		case isNoAnswer(r.err):
			last, isKept = r.err, isKept || f.hub.net.Holds(r.to)
			next = f.after(r)
		case len(f.waits) == 0:
			return nil, r.err // it leads the log, and has said why not
		default:
			said, next = r.err, ""
		}
	}
	switch {
	case said != nil:
		return nil, said
	case answered && !isKept && !f.mayBeKept():
		return nil, errNoLog
	case answered: // whoever else could not be reached
		return nil, errNoLeader
	}
	return nil, last
}

// isNoAnswer reports whether a member said nothing, as far as it matters who leads a log.
func isNoAnswer(err error) bool {
	return errors.Is(err, calls.ErrUnreachable) || errors.Is(err, calls.ErrUnknownKind) || errors.Is(err, context.DeadlineExceeded)
}

// mayBeKept reports whether a member that was not asked, since it is down, may keep a copy of the log.
func (f *pursuit) mayBeKept() bool {
	for _, p := range append([]string{f.log}, f.hub.net.Near(f.log, speakers)...) {
		if !f.tried[p] && f.hub.net.Holds(p) {
			return true
		}
	}
	return false
}

// candidate returns the next one to ask, "" if all were.
func (f *pursuit) candidate() string { return f.hub.candidate(f.log, f.tried) }

// ask sends the request to a member.
func (f *pursuit) ask(ctx context.Context, to string) {
	f.tried[to], f.waits[to] = true, true
	e := f.e
	if e.to = f.log; to == f.log {
		e.to = ""
	}
	f.all.Go(func() {
		r := hop{to: to}
		raw, err := f.hub.net.Call(ctx, to, f.kind, e.seal(f.body))
		if r.err = err; err == nil {
			r.reply, r.err = openReply(raw)
		}
		f.results <- r
	})
}

// wait waits for the answer of a member, and if bounded for as long as the last one asked may take; ok is false if
// there is none.
func (f *pursuit) wait(ctx context.Context, bounded bool) (r hop, ok bool) {
	var over <-chan time.Time
	if bounded {
		timer := time.NewTimer(hopFor + time.Duration(len(f.body))*time.Second/hopRate)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case r = <-f.results:
		delete(f.waits, r.to)
		if f.sure == r.to {
			f.sure = ""
		}
		return r, true
	case <-over:
	case <-ctx.Done():
	}
	return r, false
}

// after returns whom to ask behind one that does not lead the log or did not answer: whom it names, or the next in
// order of distance. It is nobody if who is named is being waited for.
func (f *pursuit) after(r hop) string {
	f.hub.forget(f.log, r.to)
	switch {
	case r.leader != "" && f.waits[r.leader]:
		f.sure = r.leader
		return ""
	case f.sure != "":
		return ""
	case r.leader != "" && !f.tried[r.leader]:
		return r.leader
	}
	return f.candidate()
}
