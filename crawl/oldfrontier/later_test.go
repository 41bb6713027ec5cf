package frontier

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// pair is a log with two members: one that leads, and one that applies what the other has proposed.
type pair struct {
	*rig
	follower *rig
	log      *recorder
}

func newPair(t *testing.T, cfg Config) *pair {
	p := &pair{rig: newRig(t, cfg), follower: newRig(t, cfg)}
	p.log = &recorder{alone: alone{p.Frontier}}
	p.Frontier.log = p.log
	return p
}

// follow brings the other member up to date, and its clock.
func (p *pair) follow() {
	p.t.Helper()
	p.follower.mu.Lock()
	p.follower.now = p.clock()
	p.follower.mu.Unlock()
	for _, data := range p.log.data {
		if err := p.follower.db.Update(func(tx *storage.Tx) error { return p.follower.Apply(tx, LogEntry{Data: data}) }); err != nil {
			p.t.Fatal(err)
		}
	}
	p.log.data = nil
}

// places returns how many places there are in the order of visits that are days away.
func (r *rig) places() (n int) {
	r.t.Helper()
	if err := r.db.View(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, r.cfg.LogID)
		if err != nil {
			return err
		}
		return b.later.ForEach(func(_, _ []byte) error { n++; return nil })
	}); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// retireByRefusals has a domain refuse until it retires.
func (r *rig) retireByRefusals(d crawl.Domain) {
	r.t.Helper()
	for range answersPages + maxLevel {
		if wait := r.nextVisit(); wait > 0 {
			r.advance(wait + time.Second)
		}
		l := r.lease()
		r.settle(l, l.Tasks[0], r.at(tooMany(0)))
		r.release(l)
		if r.info(d).Retired {
			return
		}
	}
	r.t.Fatalf("%s does not retire", d)
}

// What a member that does not lead plans does not pile up over the months, neither of pages that are visited again and again nor of those of a domain
// that takes none in.
func TestLater_DoesNotPileUpAtWhoFollows(t *testing.T) { synctest.Test(t, laterDoesNotPileUp) }

func laterDoesNotPileUp(t *testing.T) {
	p := newPair(t, Config{Revisit: Revisit{First: day, Least: day, Most: day}})
	const pages = 25
	for i := range pages {
		p.enqueue(fmt.Sprintf("http://a.test/%d", i), fmt.Sprintf("http://retired.test/%d", i))
	}
	fails := false
	work := func() {
		for {
			picked := p.pick()
			if len(picked.Grants) == 0 {
				return
			}
			l := p.grantOf(picked.Grants[0])
			for _, task := range l.Tasks {
				if o := page(byte(p.clock().Unix())); !fails || l.Domain == "a.test" {
					p.settle(l, task, p.at(o))
					continue
				}
				p.settle(l, task, p.at(tooMany(0)))
				break
			}
			p.release(l)
			p.advance(time.Minute)
		}
	}
	work()
	fails = true
	for range 60 {
		p.advance(25 * time.Hour)
		p.wake()
		work()
		p.follow()
	}
	if !p.record("retired.test").Parked {
		t.Fatal("the domain that fails has not retired")
	}
	if got, most := p.places(), 3*pages; got > most {
		t.Errorf("%d places at who leads, want at most %d", got, most)
	}
	if got, most := p.follower.places(), 8*pages; got > most {
		t.Errorf("%d places at who follows, want at most %d", got, most)
	}
	p.follower.check()
}

// A domain that retired twice is left alone for the whole of the second time, by whoever leads then.
func TestLater_RetirementIsNotCutShortByWhoFollowed(t *testing.T) {
	synctest.Test(t, retirementIsNotCutShort)
}

func retirementIsNotCutShort(t *testing.T) {
	p := newPair(t, Config{})
	for i := range 40 { // each is given up after a while
		p.enqueue(fmt.Sprintf("http://a.test/%d", i))
	}
	p.retireByRefusals("a.test")
	p.follow()
	p.advance(retireFor + time.Hour)
	p.wake()
	if p.record("a.test").Parked {
		t.Fatal("the first retirement has not ended")
	}
	p.retireByRefusals("a.test")
	p.follow()
	if err := p.follower.Wake(t.Context(), p.follower.pick()); err != nil { // it leads now
		t.Fatal(err)
	}
	if !p.follower.record("a.test").Parked {
		t.Error("the second retirement has ended with the first")
	}
	p.follower.advance(2*retireFor + time.Hour)
	if err := p.follower.Wake(t.Context(), p.follower.pick()); err != nil {
		t.Fatal(err)
	}
	if p.follower.record("a.test").Parked {
		t.Error("it does not end")
	}
	p.follower.check()
}
