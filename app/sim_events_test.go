//go:build !items

package app

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
)

// What members say of what went between them agrees: what was sent was received, what
// was lent was held, what was brought home came home.
func TestSim_EventsOfBothSidesAgree(t *testing.T) {
	simulate(t, 180, 6, func(s *simSwarm) {
		s.prepare = func(o *Options) { o.Config.Limits.Budget.Full.Fetchers = 1 } // it needs help
		first := s.start(nil, 0)
		s.run(5 * time.Second)
		s.prepare = nil
		for i := 1; i < 3; i++ {
			s.start([]*simNode{first}, i)
		}
		s.finish(20 * time.Minute)
		type way struct {
			code     api.Code
			from, to string
		}
		counts := make(map[way]int64)
		codes := make(map[api.Code]bool)
		for _, x := range s.nodes {
			self := x.host.ID().String()
			for _, e := range eventsOf(t, x.node) {
				codes[e.Code] = true
				if e.Peer != "" {
					counts[way{e.Code, self, e.Peer}] += e.Count
				}
				if e.Domain != "" && e.At != crawl.KeyOf(crawl.Domain(e.Domain)).Place() {
					t.Errorf("%+v is not where its domain is", e)
				}
			}
		}
		for _, code := range []api.Code{api.CodeFetched, api.CodeLinksSent, api.CodeDomainLeft, api.CodeSwarm, api.CodeLeaseLent, api.CodeLeaseReturned} {
			if !codes[code] {
				t.Errorf("no event %s", code)
			}
		}
		for w, count := range counts {
			there := map[api.Code]api.Code{
				api.CodeLinksSent: api.CodeLinksReceived, api.CodeDomainLeft: api.CodeDomainCame, api.CodeLeaseHeld: api.CodeLeaseLent,
				api.CodeLeaseReturned: api.CodeLeaseBrought,
			}[w.code]
			if got := counts[way{there, w.to, w.from}]; there != "" && got != count {
				t.Errorf("%s says %s %d %s, who says %s %d", w.from, w.code, count, w.to, there, got)
			}
		}
		versions := make(map[string]bool)
		for _, x := range s.nodes {
			r, err := x.node.Ring(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			versions[r.Version] = true
			if len(r.Members) != 3 || !r.Exact || !r.Members[1].Connected || !r.Members[2].Connected || len(r.Domains) == 0 {
				t.Errorf("ring of %s: %+v, %d domains, exact: %v", x.name, r.Members, len(r.Domains), r.Exact)
			}
			for _, d := range r.Domains {
				if owner := ownerOnPicture(&r, d.At); owner != r.Self {
					t.Errorf("%s has %s, which is drawn as a domain of %s", x.name, d.Domain, owner)
				}
			}
		}
		if len(versions) != 1 {
			t.Errorf("the members draw different rings: %v", versions)
		}
		s.checkAll()
	})
}
