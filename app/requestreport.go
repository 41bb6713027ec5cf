package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
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

// reportRequests writes a report about the requests of some days, today among them.
func reportRequests(ctx context.Context, paths config.Paths, network string, days int, now time.Time) (string, error) {
	since := now.UTC().AddDate(0, 0, 1-days)
	r := requestReport{shortest: -1, days: make(map[string]*reportedDay), sites: make(map[string]*reportedSite), statuses: make(map[int]int64)}
	lost, err := requests.Dir(RequestsDir(paths.State)).Each(ctx, since, func(x *requests.Record) bool {
		r.add(x)
		return r.made+r.leftOut+r.waiting < maxReported
	})
	if err != nil {
		return "", err
	}
	return r.text(network, since, now.UTC(), lost), nil
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

// text writes the report.
func (r *requestReport) text(network string, since, now time.Time, lost int64) string {
	var b strings.Builder
	agent := crawl.UserAgent(strings.HasPrefix(network, labPrefix))
	fmt.Fprintf(&b, "Requests of this computer to websites, by forage\n\n")
	fmt.Fprintf(&b, "forage visits public web pages on behalf of a volunteer, slowly and one after the other at each site, and\n"+
		"within what the site's robots.txt allows. Each request names itself:\n\n  User-Agent: %s\n\n", agent)
	fmt.Fprintf(&b, "Days (UTC)      %s to %s\n", since.Format(time.DateOnly), now.Format(time.DateOnly))
	fmt.Fprintf(&b, "Network         %s, forage %s\n", network, crawl.Version)
	fmt.Fprintf(&b, "Requests made   %d, to %d sites; %d of them for robots.txt\n", r.made, r.asked(), r.robots)
	fmt.Fprintf(&b, "Received        %s\n", FormatBytes(r.bytes))
	fmt.Fprintf(&b, "Not made        %d, because robots.txt forbids them; %d times because robots.txt could not be had or an address is not visited\n", r.leftOut, r.waiting)
	if r.shortest >= 0 {
		fmt.Fprintf(&b, "Shortest wait   %.3f s from the end of a request to the next one at the same site\n", r.shortest.Seconds())
		fmt.Fprintf(&b, "Gaps kept       %d of the %d requests of which it is known came when the site's gap was over\n", r.known-r.early, r.known)
	}
	if lost > 0 {
		fmt.Fprintf(&b, "Incomplete      %d requests are not in the record: it was full, or the disk\n", lost)
	}
	if r.made+r.leftOut+r.waiting >= maxReported || r.unnamed {
		fmt.Fprintf(&b, "Incomplete      there is more than this report counts: the latest %d records, %d sites\n", maxReported, maxReportedSites)
	}
	r.writeTables(&b)
	fmt.Fprintf(&b, "\nEach request is in the record that \"forage log --requests\" prints. Made %s.\n", now.Format(time.RFC3339))
	return b.String()
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

func (r *requestReport) writeTables(b *strings.Builder) {
	b.WriteString("\nAnswers\n\n")
	for _, status := range slices.Sorted(maps.Keys(r.statuses)) {
		name := fmt.Sprint(status)
		if status == 0 {
			name = "none"
		}
		fmt.Fprintf(b, "  %-12s %10d\n", name, r.statuses[status])
	}
	fmt.Fprintf(b, "\nDays\n\n  %-12s %10s %10s %12s\n", "day", "made", "forbidden", "received")
	for _, name := range slices.Sorted(maps.Keys(r.days)) {
		d := r.days[name]
		fmt.Fprintf(b, "  %-12s %10d %10d %12s\n", name, d.made, d.leftOut, FormatBytes(d.bytes))
	}
	sites := slices.SortedFunc(maps.Values(r.sites), func(a, b *reportedSite) int {
		return cmp.Or(cmp.Compare(b.made, a.made), cmp.Compare(b.leftOut, a.leftOut), strings.Compare(a.name, b.name))
	})
	fmt.Fprintf(b, "\nSites asked most often\n\n  %-40s %10s %10s %12s  %s\n", "site", "made", "forbidden", "received", "shortest wait (asked for)")
	for _, s := range sites[:min(len(sites), reportSites)] {
		wait := "-"
		if s.shortest >= 0 {
			wait = fmt.Sprintf("%.3f s (%.3f s)", s.shortest.Seconds(), s.gapThen.Seconds())
		}
		fmt.Fprintf(b, "  %-40s %10d %10d %12s  %s\n", s.name, s.made, s.leftOut, FormatBytes(s.bytes), wait)
	}
	if more := len(sites) - reportSites; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}
