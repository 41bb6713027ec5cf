package requestlog

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/storage/requests"
)

const (
	// reportSites is how many sites a report names, those asked most often.
	reportSites = 50
	// maxReported is how many requests a report counts, maxReportedSites of how many
	// domains: beyond, it says so.
	maxReported      = 5_000_000
	maxReportedSites = 200_000
)

// requestReport counts requests.
type requestReport struct {
	made, robots, leftOut, waiting int64
	bytes                          int64
	early, known                   int64 // made before the gap was over; of which that is known
	shortest                       time.Duration
	days                           map[string]*reportedDay
	sites                          map[string]*reportedSite
	statuses                       map[int]int64
	unnamed                        bool // there are more sites
}

type reportedDay struct{ made, leftOut, bytes int64 }

type reportedSite struct {
	name          string
	made, leftOut int64
	bytes         int64
	shortest      time.Duration // between two requests; negative if unknown
	gapThen       time.Duration // what was asked for then
}

// Report writes a report about the requests of some days in a directory, today among them, in the
// language of ctx.
func Report(ctx context.Context, dir, network string, days int, now time.Time) (string, error) {
	since := now.UTC().AddDate(0, 0, 1-days)
	r := requestReport{
		shortest: -1, days: make(map[string]*reportedDay), sites: make(map[string]*reportedSite),
		statuses: make(map[int]int64),
	}
	lost, err := requests.Dir(dir).Each(ctx, since, func(x *requests.Record) bool {
		r.add(x)
		return r.made+r.leftOut+r.waiting < maxReported
	})
	if err != nil {
		return "", err
	}
	return r.text(api.Lang(ctx), network, since, now.UTC(), lost), nil
}

func (r *requestReport) add(x *requests.Record) {
	day := r.days[x.Time.Format(time.DateOnly)]
	if day == nil {
		day = new(reportedDay)
		r.days[x.Time.Format(time.DateOnly)] = day
	}
	site := r.sites[x.Domain]
	if site == nil {
		site = &reportedSite{name: x.Domain, shortest: -1}
		if len(r.sites) < maxReportedSites {
			r.sites[x.Domain] = site
		} else {
			r.unnamed = true
		}
	}
	if !x.Addr.IsValid() {
		switch api.Code(x.Code) {
		case api.CodeForbidden:
			r.leftOut++
			day.leftOut++
			site.leftOut++
		default:
			r.waiting++
		}
		return
	}
	r.made++
	day.made++
	site.made++
	r.bytes += x.Bytes
	day.bytes += x.Bytes
	site.bytes += x.Bytes
	r.statuses[x.Status]++
	if api.Code(x.Code) == api.CodeRobots {
		r.robots++
	}
	if x.Waited < 0 {
		return
	}
	r.known++
	if x.Waited < x.Gap {
		r.early++
	}
	if r.shortest < 0 || x.Waited < r.shortest {
		r.shortest = x.Waited
	}
	if site.shortest < 0 || x.Waited < site.shortest {
		site.shortest, site.gapThen = x.Waited, x.Gap
	}
}

// asked counts the sites that were asked for anything.
func (r *requestReport) asked() (n int) {
	for _, s := range r.sites {
		if s.made > 0 {
			n++
		}
	}
	return n
}
