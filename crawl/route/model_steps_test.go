package route_test

import (
	"fmt"
	"strings"
)

// verb is something that can happen.
type verb uint8

const (
	passTime  verb = iota // until something is over for somebody
	passSome              // a quarter of a lease
	elect                 // a by the vote of b
	replicate             // from a to b
	push                  // the same, but the answer is lost
	spread                // a tells all that act what is committed
	lapse
	crash
	switchOff
	restart
	wipe
	admit // by a of b
	sleep
	freeze
	wake
	ahead // the wall clock of a is set
	back
	ask
	giveUp // waiting for answers
	begin
	end
	renew
	giveBack
	failing // the process of a fetcher
	hearAsk // by a, of fetcher b
	hearRenew
	hearRelease
	takeGrant
	takeRenewal
	lose   // the oldest message
	double // of a message: it is what happens to others too
	verbs
)

var verbNames = [verbs]string{
	"pass", "pass some", "elect", "replicate", "push", "spread", "lapse", "crash", "switch off", "restart", "wipe", "admit", "sleep", "freeze", "wake",
	"set ahead", "set back", "ask", "give up", "begin", "end", "renew", "give back", "fail", "hear ask", "hear renewal", "hear release",
	"take grant", "take renewal", "lose", "double",
}

// step is one thing that happens. Which message it is about, of some alike, is nth;
// again says that it stays on its way.
type step struct {
	do    verb
	a, b  uint8
	nth   uint8
	again bool
}

// takes says what a and b are: a member, a fetcher, a computer, or nothing.
func (v verb) takes() (a, b byte) {
	switch v {
	case elect, replicate, push, admit:
		return 'm', 'm'
	case spread, lapse, crash, switchOff, restart, wipe:
		return 'm', 0
	case sleep, freeze, wake, ahead, back:
		return 'c', 0
	case ask, giveUp, begin, end, renew, giveBack, failing, takeGrant, takeRenewal:
		return 'f', 0
	case hearAsk, hearRenew, hearRelease:
		return 'm', 'f'
	}
	return 0, 0
}

// message returns the kind of message that a verb is about, 0 if none.
func (v verb) message() kind {
	switch v {
	case hearAsk:
		return askFor
	case hearRenew:
		return renewOf
	case hearRelease:
		return releaseOf
	case takeGrant:
		return grantOf
	case takeRenewal:
		return renewedOf
	}
	return 0
}

func name(what byte, i uint8) string {
	if what == 'c' && i >= maxMembers {
		return fmt.Sprint("f", i-maxMembers)
	} else if what == 'c' {
		return fmt.Sprint("m", i)
	}
	return fmt.Sprintf("%c%d", what, i)
}

func (s step) String() string {
	words := []string{verbNames[s.do]}
	a, b := s.do.takes()
	if a != 0 {
		words = append(words, name(a, s.a))
	}
	if b != 0 {
		words = append(words, name(b, s.b))
	}
	if s.nth > 0 {
		words = append(words, fmt.Sprint("#", s.nth))
	}
	if s.again {
		words = append(words, "doubled")
	}
	return strings.Join(words, " ")
}

// parseSteps reads a trace: steps that commas part.
func parseSteps(trace string) ([]step, error) {
	known := make(map[string]step)
	for _, s := range everyStep() {
		known[s.String()] = s
	}
	var list []step
	for text := range strings.SplitSeq(trace, ",") {
		text = strings.Join(strings.Fields(text), " ")
		if text == "" {
			continue
		}
		s, ok := known[text]
		if !ok {
			return nil, fmt.Errorf("no step is called %q", text)
		}
		list = append(list, s)
	}
	return list, nil
}

func formatSteps(list []step) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = s.String()
	}
	return strings.Join(words, ", ")
}

// everyStep returns all steps there are.
func everyStep() (list []step) {
	count := map[byte]int{0: 1, 'm': maxMembers, 'f': fetchers, 'c': computers}
	for v := range verbs {
		a, b := v.takes()
		for i := range count[a] {
			for j := range count[b] {
				if a == 'm' && b == 'm' && i == j && v != elect {
					continue
				}
				s := step{do: v, a: uint8(i), b: uint8(j)}
				list = append(list, s)
				if v.message() == 0 {
					continue
				}
				for nth := range uint8(3) {
					if s.nth = nth; nth > 0 {
						list = append(list, s)
					}
					s.again = true
					list = append(list, s)
					s.again = false
				}
			}
		}
	}
	return list
}

// do lets a step happen, and reports whether it can. Nothing has changed if not.
func (w *world) do(r *rules, s step) bool {
	if !w.try(r, s) {
		return false
	}
	w.check(r)
	return true
}

func (w *world) try(r *rules, s step) bool {
	a, b := int(s.a), int(s.b)
	if k := s.do.message(); k != 0 {
		return w.deliver(r, s, k)
	}
	switch s.do {
	case passTime:
		d := w.next(r)
		if d == 0 {
			return false
		}
		w.pass(r, d)
		return true
	case passSome:
		w.pass(r, 30*second)
		return true
	case elect:
		return w.elect(r, a, b)
	case replicate, push:
		return w.replicate(r, a, b, s.do == push)
	case spread:
		return w.spread(r, a)
	case lapse:
		return w.lapse(r, a)
	case crash, switchOff:
		return w.isAwake(a) && w.crash(a, s.do == switchOff)
	case restart:
		return w.restart(r, a)
	case wipe:
		return w.wipe(r, a)
	case admit:
		return w.admit(r, a, b)
	case sleep:
		return w.rest(a, asleep)
	case freeze:
		return w.rest(a, frozen)
	case wake:
		return w.wake(r, a)
	case ahead, back:
		return w.setWall(a, s.do == ahead)
	case ask:
		return w.ask(a)
	case giveUp:
		return w.giveUp(a)
	case begin:
		return w.begin(r, a)
	case end:
		return w.end(a)
	case renew:
		return w.renew(r, a)
	case giveBack:
		return w.giveBack(r, a)
	case failing:
		return w.failFetcher(a)
	case lose:
		if w.onWay == 0 {
			return false
		}
		w.lose(0)
		return true
	}
	return false
}

// deliver hands a message to who can do something with it.
func (w *world) deliver(r *rules, s step, k kind) bool {
	f := int(s.a)
	if _, b := s.do.takes(); b == 'f' {
		f = int(s.b)
	}
	i := w.find(k, f, int(s.nth))
	if i < 0 {
		return false
	}
	m := w.net[i]
	if !s.again {
		w.lose(i) // what it leads to may need its place
	}
	ok := false
	switch k {
	case askFor:
		ok = w.hearAsk(r, int(s.a), m)
	case renewOf:
		ok = w.hearRenew(r, int(s.a), m)
	case releaseOf:
		ok = w.hearRelease(r, int(s.a), m)
	case grantOf:
		ok = w.takeGrant(r, f, m)
	case renewedOf:
		ok = w.takeRenewal(r, f, m)
	}
	if !ok && !s.again {
		copy(w.net[i+1:], w.net[i:w.onWay])
		w.net[i] = m
		w.onWay++
	}
	return ok
}

// rest sends a computer to sleep, with all that is in flight from it.
func (w *world) rest(pc int, how rest) bool {
	if !w.isAwake(pc) || pc < maxMembers && pc >= int(w.size) {
		return false
	}
	if f := pc - maxMembers; f >= 0 && w.fetch[f].flying != 0 {
		w.noteEnd(f)
	}
	w.pcs[pc].rest = how
	return true
}

// wake wakes it up. What is in flight for a lease that is over is cut then.
func (w *world) wake(r *rules, pc int) bool {
	if w.pcs[pc].rest != asleep && w.pcs[pc].rest != frozen {
		return false
	}
	w.pcs[pc].rest = awake
	if f := pc - maxMembers; f >= 0 && w.fetch[f].flying != 0 {
		if x := &w.fetch[f]; r.cuts && x.held == x.flying && w.isOver(r, f, x.from) {
			x.flying = 0 // it ended when it fell asleep
		} else {
			w.noteBegin(f)
		}
	}
	return true
}

// setWall moves a wall clock by an hour.
func (w *world) setWall(pc int, ahead bool) bool {
	if pc < maxMembers && pc >= int(w.size) {
		return false
	}
	if ahead {
		w.pcs[pc].wall += wallStep
	} else {
		w.pcs[pc].wall -= wallStep
	}
	return true
}
