package swarm

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
)

// What a member brings after its lease, as it was away, counts though another fetcher has the domain by now. A stranger's does not.
func TestTakeReport_Late(t *testing.T) {
	const d, member, stranger = crawl.Domain("a.test"), crawl.PeerID("member"), crawl.PeerID("stranger")
	s := &Swarm{cfg: Config{Self: "self", Now: time.Now, Trusts: true, Tell: func(Event) {}}}
	s.checking.s = s
	s.checking.ledger = checks.New(checks.Config{Self: "self", Established: func(p crawl.PeerID) bool { return p == member }})
	o := crawl.Outcome{Domain: d, Task: crawl.Task{URL: mustURL(t, "http://a.test/")}, Result: crawl.Fetched, Status: 200}
	_, b := split(reportBody(crawl.Lease{ID: 7, Domain: d}, []crawl.Outcome{o}, true))
	for _, c := range []struct {
		from group.Sender
		want int
	}{
		{group.Sender{ID: member}, 1},
		{group.Sender{ID: member, Other: true}, 1},
		{group.Sender{ID: stranger}, 1},
		{group.Sender{ID: stranger, Other: true}, 0},
	} {
		makes, ends := s.takeReport(c.from, d, b)
		if len(makes) != c.want || ends != 0 {
			t.Errorf("%+v: %d outcomes taken, lease %d ended; want %d and none", c.from, len(makes), ends, c.want)
		}
	}
}
