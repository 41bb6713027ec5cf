package nodeapi

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/journal"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/scope"
)

// Domains implements api.Node.
func (o *Overview) Domains(ctx context.Context, after string, limit int) ([]api.Domain, error) {
	list, err := o.Refuser.Mark(api.Lang(ctx))(describeAll(api.Lang(ctx), o.Books, o.Clock, after, limit))
	domains := make([]crawl.Domain, len(list))
	for i := range list {
		domains[i] = crawl.Domain(list[i].Domain)
	}
	far := o.distances(ctx, domains)
	for i, d := range domains {
		list[i].Distance = far[d]
	}
	return list, err
}

// describeAll lists domains, with their reasons in a language.
func describeAll(lang string, b Books, steady *clock.Clock, after string, limit int) ([]api.Domain, error) {
	infos, err := b.Domains(crawl.Domain(after), limit)
	list, at := make([]api.Domain, len(infos)), momentOf(steady)
	for i, d := range infos {
		list[i] = describe(lang, d, at)
	}
	return list, err
}

// describe puts a domain into words, in a language.
func describe(lang string, d DomainInfo, at moment) api.Domain {
	next := at.wall(d.Next)
	reason, _ := words.Parse(d.Reason)
	refused := scope.IsRefusal(reason) // once; whether it still is, the list of refusals says
	if refused {
		d.Reason = ""
	}
	a := api.Domain{
		Domain: string(d.Domain), Queued: int64(d.Queued), Fetched: int64(d.Fetched), Failed: int64(d.Failed),
		Duplicates: int64(d.Duplicates), Bytes: int64(d.Received), CrawlDelayS: d.CrawlDelay.Seconds(), Title: d.Title,
		Reason: words.Shown(lang, d.Reason), Refusals: int64(d.Refusals), Challenges: int64(d.Challenges),
		Backoffs: int64(d.Backoffs),
	}
	switch {
	case d.Leased:
		a.State = "being visited"
	case d.Retired:
		a.State = "given up for now"
	case d.Queued == 0:
		a.State = "done"
	case d.AllHeld && d.Reason == "": // the user refuses it, or it is a while before a page that failed is tried again
		a.State = "waiting"
	case d.AllHeld:
		a.State = "cannot be reached"
	case d.Troubled:
		a.State = "asked us to wait, or failed"
	case d.Next.After(at.now):
		a.State = "waiting"
	default:
		a.State = "due"
	}
	if d.Dropped > 0 && a.Reason == "" {
		a.Reason = droppedText(lang, d)
	}
	if d.Retired {
		a.Reason = words.Text(lang, "domain.failing", words.Args{
			"reason": words.Shown(lang, cmp.Or(d.Reason, noAnswer)), "date": tell.Date(next, lang),
		})
	}
	if (d.Queued > 0 || d.Retired) && !d.Leased && !d.Next.IsZero() {
		a.NextVisit = &next
	}
	return a
}

// moment is a look at a clock, which is enough for many domains.
type moment struct {
	now   time.Time     // by the clock
	ahead time.Duration // of the wall clock
}

func momentOf(steady *clock.Clock) moment {
	now := steady.Now()
	return moment{now, steady.Wall(now).Sub(now)}
}

// wall returns what the wall clock shows at a point of the line.
func (m moment) wall(t time.Time) time.Time { return t.Add(m.ahead).Local() }

// droppedKeys are the texts for the limits that keep URLs out, but the budget.
var droppedKeys = map[frontier.Limit]string{
	frontier.LimitForeign: "domain.dropped.foreign", frontier.LimitShape: "domain.dropped.shape",
	frontier.LimitFull: "domain.dropped.full", frontier.LimitTrap: "domain.dropped.trap",
	frontier.LimitRetired: "domain.dropped.retired", frontier.LimitBrought: "domain.dropped.brought",
}

// droppedText says why URLs of a domain were not taken in.
func droppedText(lang string, d DomainInfo) string {
	args := words.Args{"dropped": int64(d.Dropped), "budget": int64(d.Budget)}
	if d.Dropped >= frontier.MaxDropped {
		args["dropped"] = words.Text(lang, "domain.dropped.many", words.Args{"count": int64(frontier.MaxDropped)})
	}
	if key := droppedKeys[d.DroppedBy]; key != "" {
		return words.Text(lang, key, args)
	}
	answers := d.Fetched + d.Failed + d.Gone
	if worthless := d.Duplicates + d.Failed + d.Gone; answers > 0 && worthless*5 > answers {
		args["worthless"], args["answers"] = int64(worthless), int64(answers)
		return words.Text(lang, "domain.worthless", args)
	}
	return words.Text(lang, "domain.dropped", args)
}

// distances says of domains that this node leads who fetches them from how near.
func (o *Overview) distances(ctx context.Context, domains []crawl.Domain) map[crawl.Domain]string {
	said := make(map[crawl.Domain]string)
	if len(domains) == 0 {
		return said
	}
	within, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	far, err := o.Swarm.Distances(within, domains)
	if err != nil {
		return said // it is said without
	}
	for d, x := range far {
		key, args := "domain.near.you", words.Args{"ms": int64(x.Ms), "here": int64(math.Round(x.HereMs))}
		if string(x.Nearest) != o.Member.Node.Self() {
			args["peer"] = "…" + journal.ShortPeer(string(x.Nearest))
			switch {
			case x.HereMs == 0:
				key = "domain.near"
			case x.Guess:
				key = "domain.near.guess"
			default:
				key = "domain.near.here"
			}
		}
		said[d] = words.Text(api.Lang(ctx), key, args)
	}
	return said
}
