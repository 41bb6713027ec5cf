package worker

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// deafLookup fails as a resolver does whose questions nobody answers, and asks nobody.
type deafLookup struct{}

func (deafLookup) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}
}

// While sites answer, a name that cannot be looked up is the failure of its domain,
// which has an end. When none has for a while it may be our own network, for which
// no task is to blame.
func TestPool_LookupFailureIsOursOnlyWhileNobodyAnswers(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	clock := newLine()
	r := newRig(t, setup{now: clock.Now})
	lab, deaf := r.cfg.Client, deafNames(t)
	base := "http://" + s.addr.String()
	r.allow(base)
	lookUp := func(when string, want crawl.Result, wait time.Duration) {
		t.Helper()
		r.cfg.Client = deaf
		r.workOff(clock, r.lease("http://dead.example.org/1", "http://dead.example.org/2"))
		if o := r.last(); o.Result != want || o.Wait != wait || o.Reason != fetch.KindLookup.String() {
			t.Errorf("%s: %v, wait %v, reason %q; want %v, %v, %q", when, o.Result, o.Wait, o.Reason, want, wait, fetch.KindLookup)
		}
	}
	answer := func() {
		t.Helper()
		r.cfg.Client = lab
		r.workOff(clock, r.lease(base+"/page"))
		if o := r.last(); o.Result != crawl.Fetched {
			t.Fatalf("the other site: %v, %s", o.Result, o.Reason)
		}
	}
	lookUp("at first", crawl.Deferred, offlineWait)
	answer()
	lookUp("right after an answer", crawl.Failed, 0)
	clock.advance(offlineWait - 1)
	lookUp("just before it is long ago", crawl.Failed, 0)
	clock.advance(1)
	lookUp("when the answer is long ago", crawl.Deferred, offlineWait)
	answer()
	lookUp("when sites answer again", crawl.Failed, 0)
	if got, want := len(r.books.outcomes()), 7; got != want {
		t.Errorf("%d outcomes, want %d: what has no name has none for the other tasks of its lease", got, want)
	}
}

// What other sites do changes nothing about failures that are surely the site's, or ours.
func TestPool_AnswersOfOthersDecideOnlyWhatIsInDoubt(t *testing.T) {
	for _, c := range []struct {
		kind         fetch.Kind
		alone, among crawl.Result
	}{
		{fetch.KindLookup, crawl.Deferred, crawl.Failed},
		{fetch.KindUnreachable, crawl.Deferred, crawl.Failed},
		{fetch.KindBlocked, crawl.Blocked, crawl.Blocked},
		{fetch.KindRefused, crawl.Failed, crawl.Failed},
		{fetch.KindTimeout, crawl.Failed, crawl.Failed},
	} {
		p := New(Config{Fetchers: 1, Now: newLine().Now})
		err := &fetch.Error{Kind: c.kind, Sent: 3}
		if o := p.contact.failure(err); o.Result != c.alone {
			t.Errorf("%v while nobody answers: %v, want %v", c.kind, o.Result, c.alone)
		}
		p.contact.noteAnswer()
		if o := p.contact.failure(err); o.Result != c.among || o.Wait != 0 || o.Sent != 3 || o.Reason != c.kind.String() {
			t.Errorf("%v while others answer: %+v, want %v", c.kind, o, c.among)
		}
	}
}
