package worker

import (
	"errors"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// "There is no such name" and "cannot be reached" count against a site only
// while other sites answer: a router without a line says so of every name, and the
// crawl must not be lost to that.
func TestPool_FailureIsOursUntilOthersAnswer(t *testing.T) {
	noName := &fetch.Error{Kind: fetch.KindNoName, Err: errors.New("NXDOMAIN")}
	unreachable := &fetch.Error{Kind: fetch.KindUnreachable, Err: errors.New("no route")}
	refused := &fetch.Error{Kind: fetch.KindRefused, Err: errors.New("refused")}
	for _, c := range []struct {
		name     string
		err      error
		lab      bool
		answered time.Duration // ago; 0: never
		want     crawl.Result
		offline  bool
	}{
		{"no name before anybody answered", noName, false, 0, crawl.Deferred, true},
		{"no name while others answer", noName, false, 10 * time.Second, crawl.Failed, false},
		{"no name when the last answer is old", noName, false, time.Minute, crawl.Deferred, true},
		{"no name in a lab", noName, true, 0, crawl.Gone, false},
		{"unreachable before anybody answered", unreachable, false, 0, crawl.Deferred, true},
		{"unreachable while others answer", unreachable, false, 4 * time.Minute, crawl.Failed, true},
		{"unreachable when the last answer is old", unreachable, false, 6 * time.Minute, crawl.Deferred, true},
		{"unreachable in a lab", unreachable, true, 0, crawl.Deferred, true},
		{"refused by the site itself", refused, false, 0, crawl.Failed, false},
	} {
		now := time.Unix(1_800_000_000, 0)
		r := newRig(t, setup{now: func() time.Time { return now }})
		r.cfg.Lab, r.contact.lab = c.lab, c.lab
		if c.answered > 0 {
			now = now.Add(-c.answered)
			r.contact.noteAnswer()
			now = now.Add(c.answered)
		}
		o := r.contact.failure(c.err)
		if o.Result != c.want || (o.Wait > 0) != (c.want == crawl.Deferred) {
			t.Errorf("%s: %v, wait %v; want %v", c.name, o.Result, o.Wait, c.want)
		}
		if got := r.Offline(); got != c.offline {
			t.Errorf("%s: offline %v, want %v", c.name, got, c.offline)
		}
	}
}

// Who is refused as a whole keeps what is queued: nothing is settled.
func TestPool_RefusedDomainIsPutOff(t *testing.T) {
	s := serveSite(t, true, html("a page"))
	r := newRig(t, setup{})
	never := true
	r.cfg.RefusesDomain = func(crawl.Domain) string {
		if never {
			return "you asked never to visit it"
		}
		return ""
	}
	base := "http://" + s.addr.String()
	r.work()
	r.Take(r.lease(base+"/1", base+"/2"), time.Now())
	r.await(1)
	o := r.books.outcomes()
	if len(s.seen()) != 0 || len(o) != 1 || o[0].Result != crawl.Deferred || o[0].Wait != refusedWait || o[0].Reason == "" {
		t.Errorf("%d requests, outcomes %+v", len(s.seen()), o)
	}
}
