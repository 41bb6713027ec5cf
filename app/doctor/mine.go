package doctor

import (
	"context"
	"strconv"
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
	a := d.area("mine")
	node, err := nodeapi.NodeName(d.paths)
	if err != nil {
		a.problem(err)
	}
	kept, err := claims.Load(claims.Path(d.paths.State), node)
	if err != nil {
		a.note(words.New("said.doctor.own-proofs-lost", nil))
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
	a.Summary = d.say("said.doctor.own-sites-proved", words.Args{"known": proved, "all": len(domains)})
	return a
}

// tellOwnSite says what proves one site, or what would, and reports whether something does. never is why it is not
// visited, nil if nothing speaks against that.
func (a *Area) tellOwnSite(s *claims.Site, node string, never *words.Message) (proved bool) {
	by, since, ok := s.Proved(time.Now())
	date := since.Local().Format(time.DateOnly)
	switch {
	case never != nil:
		a.note(words.New("said.doctor.own-not-visited", words.Args{"site": s.Domain, "why": never}))
	case ok && by == claims.DNS:
		a.note(words.New("said.doctor.own-by-dns", words.Args{"site": s.Domain, "date": date}))
	case ok:
		a.note(words.New("said.doctor.own-by-robots", words.Args{"site": s.Domain, "date": date}))
	case node == "":
		a.note(words.New("said.doctor.own-no-name", words.Args{"site": s.Domain}))
	default:
		a.note(words.New("said.doctor.own-not-proved", words.Args{
			"site": s.Domain, "line": strconv.Quote(claims.RobotsLine(node)),
			"text": strconv.Quote(claims.Record(node)),
			"name": claims.RecordName(s.Domain),
		}))
	}
	return ok && never == nil
}
