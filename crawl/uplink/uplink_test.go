package uplink

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// "There is no such name" and "cannot be reached" count against a site only
// while other sites answer: a router without a line says so of every name, and the
// crawl must not be lost to that.
func TestUplink_FailureIsOursUntilOthersAnswer(t *testing.T) {
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
		l := New(func() time.Time { return now }, c.lab)
		if c.answered > 0 {
			now = now.Add(-c.answered)
			l.Answered()
			now = now.Add(c.answered)
		}
		o := l.Failure(c.err)
		if o.Result != c.want || (o.Wait > 0) != (c.want == crawl.Deferred) {
			t.Errorf("%s: %v, wait %v; want %v", c.name, o.Result, o.Wait, c.want)
		}
		if got := l.Offline(); got != c.offline {
			t.Errorf("%s: offline %v, want %v", c.name, got, c.offline)
		}
	}
}

// What other sites do changes nothing about failures that are surely the site's, or ours.
func TestUplink_AnswersOfOthersDecideOnlyWhatIsInDoubt(t *testing.T) {
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
		l := New(func() time.Time { return time.Unix(1_800_000_000, 0) }, false)
		err := &fetch.Error{Kind: c.kind, Sent: 3}
		if o := l.Failure(err); o.Result != c.alone {
			t.Errorf("%v while nobody answers: %v, want %v", c.kind, o.Result, c.alone)
		}
		l.Answered()
		if o := l.Failure(err); o.Result != c.among || o.Wait != 0 || o.Sent != 3 || o.Reason != c.kind.Message().Stored() {
			t.Errorf("%v while others answer: %+v, want %v", c.kind, o, c.among)
		}
	}
}

func TestFailureOf(t *testing.T) {
	for _, c := range []struct {
		kind fetch.Kind
		want crawl.Result
		wait time.Duration
	}{
		{fetch.KindNoName, crawl.Gone, 0},
		{fetch.KindLookup, crawl.Deferred, offlineWait},
		{fetch.KindBlocked, crawl.Blocked, 0},
		{fetch.KindRefused, crawl.Failed, 0},
		{fetch.KindUnreachable, crawl.Deferred, offlineWait},
		{fetch.KindConnectTimeout, crawl.Failed, 0},
		{fetch.KindCertificate, crawl.Failed, 0},
		{fetch.KindTLS, crawl.Failed, 0},
		{fetch.KindTimeout, crawl.Failed, 0},
		{fetch.KindClosed, crawl.Failed, 0},
		{fetch.KindHeadTooLarge, crawl.Failed, 0},
		{fetch.KindNotHTTP, crawl.Failed, 0},
		{fetch.KindRequest, crawl.Failed, 0},
	} {
		err := fmt.Errorf("wrapped: %w", &fetch.Error{Kind: c.kind, Sent: 3, Received: 4})
		o := FailureOf(err)
		if o.Result != c.want || o.Wait != c.wait || o.Reason != c.kind.Message().Stored() || o.Sent != 3 || o.Received != 4 {
			t.Errorf("FailureOf(%v) = %+v, want %v, wait %v", c.kind, o, c.want, c.wait)
		}
	}
	if o := FailureOf(io.EOF); o.Result != crawl.Failed || o.Reason != "EOF" {
		t.Errorf("FailureOf(EOF) = %+v", o)
	}
}
