package frontier

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

const carefulGap = 10 * time.Second

func newCarefulRig(t *testing.T) *rig {
	gap := carefulGap
	return newRig(t, Config{Politeness: crawl.Politeness{Fixed: &gap}, Members: 3})
}

// wants makes sure which gap a domain has that is due, and visits it.
func (r *rig) wants(what string, times time.Duration) {
	r.t.Helper()
	l := r.lease()
	if l.Gap != times*carefulGap {
		r.t.Errorf("%s: the gap is %v, want %v", what, l.Gap, times*carefulGap)
	}
	r.settle(l, l.Tasks[0], fetched)
	r.release(l)
	if next := r.nextVisit(); next != times*carefulGap {
		r.t.Errorf("%s: the next visit is in %v, want %v", what, next, times*carefulGap)
	}
	r.advance(times * carefulGap)
}

func (r *rig) isCareful() bool {
	r.t.Helper()
	is, err := r.Careful()
	if err != nil {
		r.t.Fatal(err)
	}
	return is
}

func TestCareful_DomainsOfALogThatBeganAnew(t *testing.T) {
	a, b, c := newCarefulRig(t), newCarefulRig(t), newCarefulRig(t)
	b.advance(-1000 * time.Hour) // calendars may be wrong
	a.enqueue("http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4", "http://a.test/5", "http://a.test/6")
	a.propose(Entry{Anew: &Anew{Missing: []string{"p", "q"}}})
	a.moveTo(b, "a.test")
	if !b.isCareful() {
		t.Error("the destination does not know that it is careful")
	}
	b.wants("moved", 3)
	b.advance(20 * time.Hour)
	b.moveTo(c, "a.test")
	c.wants("moved again", 3)
	c.advance(4 * time.Hour)
	c.propose() // what time it is, a log hears with what is proposed
	if c.isCareful() {
		t.Error("careful for more than a day")
	}
	c.wants("after a day", 1)
}

func TestCareful_UntilAllHaveBeenHeardOf(t *testing.T) {
	r := newCarefulRig(t)
	r.cfg.Ask = func() bool { return true }
	r.enqueue("http://a.test/1", "http://a.test/2", "http://a.test/3")
	r.propose(Entry{Confirm: &Confirm{Domains: []crawl.Domain{"a.test"}, Careful: true}})
	r.wants("begun without the word of others", 3)
	r.advance(time.Second)
	r.propose(Entry{Anew: &Anew{}})
	if r.isCareful() {
		t.Error("careful though all have been heard of")
	}
	r.wants("all have been heard of", 1)
}

func TestCareful_NotWhereAllAnswered(t *testing.T) {
	r := newCarefulRig(t)
	r.cfg.Ask = func() bool { return true }
	r.enqueue("http://a.test/1", "http://a.test/2")
	r.propose(Entry{Confirm: &Confirm{Domains: []crawl.Domain{"a.test"}}})
	r.wants("all have answered", 1)
}
