package nodeapi

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/scope"
)

func TestDescribe_SaysWhatIsWrongWithADomain(t *testing.T) {
	steady := clock.Open(clock.State{})
	month := steady.Now().Add(30 * 24 * time.Hour)
	for _, c := range []struct {
		tell          func(*DomainInfo)
		state, reason string
	}{
		{func(d *DomainInfo) { d.Fetched = 3 }, "done", ""},
		{func(d *DomainInfo) { d.Queued = 3; d.Leased = true }, "being visited", ""},
		{func(d *DomainInfo) { d.Queued = 3; d.Next = month }, "waiting", ""},
		{func(d *DomainInfo) { d.Queued = 3; d.AllHeld = true; d.Reason = "robots.txt answered 500" }, "cannot be reached", "robots.txt answered 500"},
		{func(d *DomainInfo) { d.Queued = 3; d.AllHeld = true; d.Reason = scope.KeySite }, "waiting", ""},
		{func(d *DomainInfo) { d.Queued = 3; d.Troubled = true; d.Reason = "Too Many Requests" }, "asked us to wait, or failed", "Too Many Requests"},
		{
			func(d *DomainInfo) { d.Queued = 3; d.Retired = true; d.Next = month; d.Reason = "connection refused" }, "given up for now",
			"kept failing (connection refused), next try on " + steady.Wall(month).Format("2 January 2006"),
		},
		{func(d *DomainInfo) { d.Fetched = 9; d.Dropped = 5; d.Budget = 10 }, "done", "5 URLs dropped: the site may have 10"},
		{func(d *DomainInfo) { d.Fetched = 9; d.Dropped = 5; d.Budget = 10; d.DroppedBy = 1 }, "done", "5 URLs dropped: the site may have 10"},
		{
			func(d *DomainInfo) {
				d.Fetched = 9
				d.Dropped = 840
				d.Budget = 10_000
				d.DroppedBy = frontier.LimitForeign
			}, "done",
			"840 URLs dropped: only other sites link to them, and such URLs may fill half of the site's 10,000",
		},
		{
			func(d *DomainInfo) {
				d.Fetched = 9
				d.Dropped = 840
				d.Budget = 10_000
				d.DroppedBy = frontier.LimitShape
			}, "done",
			"840 URLs dropped: too many combinations of parameters on one path",
		},
		{func(d *DomainInfo) { d.Fetched = 9; d.Dropped = 840; d.DroppedBy = frontier.LimitFull }, "done", "840 URLs dropped: this computer's queue was full"},
		{func(d *DomainInfo) { d.Fetched = 9; d.Dropped = 840; d.DroppedBy = frontier.LimitRetired }, "done", "840 URLs dropped: Forage had given up on the site for now"},
		{
			func(d *DomainInfo) {
				d.Fetched = 9
				d.Dropped = frontier.MaxDropped
				d.Budget = 10_000
				d.DroppedBy = frontier.LimitBrought
			}, "done",
			"10,000 or more links to new sites dropped: one site may bring in 10,000",
		},
		{
			func(d *DomainInfo) { d.Fetched = 60; d.Duplicates = 30; d.Gone = 40; d.Dropped = 5; d.Budget = 200 }, "done",
			"5 URLs dropped: 70 of 100 answers were duplicates or errors, so the site may have only 200",
		},
	} {
		var info DomainInfo
		c.tell(&info)
		got := describe("en", info, momentOf(steady))
		if got.State != c.state || got.Reason != c.reason {
			t.Errorf("%+v: %q, %q; want %q, %q", info, got.State, got.Reason, c.state, c.reason)
		}
		if info.Retired && (got.NextVisit == nil || got.NextVisit.Sub(steady.Wall(month)).Abs() > time.Minute) {
			t.Errorf("next visit %v, want %v", got.NextVisit, month)
		}
	}
}
