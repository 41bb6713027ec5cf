package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
)

// lookAtOwnSites says of each site that the user lists in sites.mine what proves it, or what would. That one is not
// proved is worth knowing, and no problem: it is visited as any other. Nil if none is listed.
func (d *doctor) lookAtOwnSites(context.Context) *Area {
	domains := claims.Domains(d.settings.Sites.Mine)
	if len(domains) == 0 {
		return nil
	}
	a := newArea("mine")
	node, err := nodeapi.NodeName(d.paths)
	if err != nil {
		a.problem("%v", err)
	}
	kept, err := claims.Load(claims.Path(d.paths.State), node)
	if err != nil {
		a.note("The proofs of your own sites are lost; their tokens are looked for again.")
	}
	refusals, err := scope.NewRefusals(scope.RefusalsConfig{Sites: d.settings.Sites.Never,
		TLDs: d.settings.TLD.Never, Topics: d.settings.Topics.Never})
	if err != nil {
		refusals = nil // it could not be made of these settings, and no node starts with them
	}
	proved := 0
	for _, domain := range domains {
		s := claims.Site{Domain: domain}
		for _, k := range kept {
			if k.Domain == domain {
				s = k
			}
		}
		if a.tellOwnSite(&s, node, refusals.Domain(domain)) {
			proved++
		}
	}
	a.Summary = fmt.Sprintf("%d of %d proved", proved, len(domains))
	return a
}

// tellOwnSite says what proves one site, or what would, and reports whether something does. never is why it is not
// visited, nil if nothing speaks against that.
func (a *Area) tellOwnSite(s *claims.Site, node string, never *words.Message) (proved bool) {
	by, since, ok := s.Proved(time.Now())
	date := since.Local().Format(time.DateOnly)
	switch {
	case never != nil:
		a.note("%s is yours and not visited all the same (%s): take it off one of the lists.", s.Domain, never)
	case ok && by == claims.DNS:
		a.note("%s is proved to be yours by its DNS since %s: it is visited before others and not counted.",
			s.Domain, date)
	case ok:
		a.note("%s is proved to be yours by its robots.txt since %s: it is visited before others and not counted.",
			s.Domain, date)
	case node == "":
		a.note("%s is not proved to be yours: start the node once, so that it has a name, and ask again.", s.Domain)
	default:
		a.note("%s is not proved to be yours: put the line %q into its robots.txt, or the text %q into its DNS, as "+
			"a TXT record of %s. "+
			"The DNS is asked within minutes; robots.txt is read when this computer visits the site.",
			s.Domain, claims.RobotsLine(node), claims.Record(node), claims.RecordName(s.Domain))
	}
	return ok && never == nil
}
