package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage/warc/check"
)

const (
	goodSites = 6
	goodPages = 30

	// hostileMemory is what the heap may grow by, in bytes, while all of this
	// goes on; hostileResident is the largest size of the process.
	hostileMemory   = 256 << 20
	hostileResident = 400 << 20
	// hostileTime is when a node that finds no end is stopped.
	hostileTime = 4 * time.Minute
)

// A node that meets the worst of the web at once fetches all pages of the good
// sites, in bounded memory, and is done with each bad one within its bounds.
func TestHostile_SitesCostWhatTheyMayAndNoMore(t *testing.T) {
	t.Parallel() // the node is a process of its own, and waits for slow sites most of the time
	l := &hostileLab{begun: time.Now(), goodDone: make(chan struct{}), ended: make(chan struct{})}
	t.Cleanup(l.close)
	for i := range goodSites {
		l.newGoodSite(t, fmt.Sprintf("good-%d.test", i), goodPages)
	}
	l.cases = slices.Concat(redirectCases(), slowCases(), sizeCases(t), framingCases(), statusCases(), guardCases(t, l),
		trapCases(), markupCases(), robotsCases(), sitemapCases(t), neighbourCases())
	if only := os.Getenv("FORAGE_HOSTILE_CASES"); only != "" { // for whoever works on some of them
		wanted := regexp.MustCompile(only)
		l.cases = slices.DeleteFunc(l.cases, func(c *hostileCase) bool { return !wanted.MatchString(c.name) })
	}
	plan := hostilePlan{Home: t.TempDir(), Limit: hostileTime}
	if os.Getenv("FORAGE_LONG") != "" {
		plan.Limit *= 10
	}
	for _, c := range l.cases {
		l.open(t, c)
		plan.Seeds = append(plan.Seeds, c.seedURLs()...)
	}
	for _, g := range l.good {
		plan.Seeds = append(plan.Seeds, g.url("/"))
	}
	plan.Hosts = l.hosts()

	r := runHostile(t, plan)
	l.judge(t, r)
	l.judgeGood(t, r)
	if r.Heap-r.Base > hostileMemory {
		t.Errorf("the heap grew by %d MB, at most %d were allowed", (r.Heap-r.Base)>>20, hostileMemory>>20)
	}
	if !underRace() && r.Resident > hostileResident {
		t.Errorf("the process took %d MB, at most %d were allowed", r.Resident>>20, hostileResident>>20)
	}
	t.Logf("%d requests, %d MB of heap at most, %d at the start, %d MB resident, %d MB of store, %.1f s", l.requests(), r.Heap>>20, r.Base>>20, r.Resident>>20, r.Store>>20, r.Took.Seconds())
	report, err := check.Archive(t.Context(), r.WARC, check.Options{})
	if err != nil {
		t.Errorf("check the archive: %v", err)
	}
	for _, f := range report.Faults[:min(len(report.Faults), 5)] {
		t.Errorf("archive: %v; %d faults in all", f, report.FaultCount)
	}
}

// open starts the site of a case.
func (l *hostileLab) open(t testing.TB, c *hostileCase) {
	t.Helper()
	c.site = l.newSite(t, append([]string{c.name + ".test"}, c.names...)...)
	if len(c.seeds) == 0 {
		c.seeds = []string{"/"}
	}
	if len(c.end) == 0 {
		c.end = []ending{endDone}
	}
	c.site.holding, c.site.begin = c.holds, c.begin
	c.site.answer = func(v *visit) bool {
		switch {
		case v.isRobots() && c.robots != nil:
			return c.robots(v)
		case v.isRobots():
			return v.notFound()
		case c.answer == nil:
			return v.page("a page")
		}
		return c.answer(v)
	}
	c.site.serve()
}

func (c *hostileCase) seedURLs() (urls []string) {
	hosts := c.site.names[:1]
	if c.seedNames {
		hosts = c.site.names
	}
	for _, host := range hosts {
		for _, path := range c.seeds {
			urls = append(urls, "http://"+host+path)
		}
	}
	return urls
}

func (l *hostileLab) requests() (n int64) {
	for _, s := range l.sites {
		n += s.requests.Load()
	}
	return n
}

// judge holds what each case cost against what it may, and prints the table.
func (l *hostileLab) judge(t *testing.T, r hostileResult) {
	var table strings.Builder
	for _, c := range l.cases {
		ends := c.endings(r)
		s := c.site
		fmt.Fprintf(&table, "| %s | %s | %d | %d | %.1f | %s | %s |\n", c.name, c.what, s.requests.Load(), (s.sent.Load()+1023)>>10, time.Duration(s.last.Load()).Seconds(), strings.Join(ends, ", "), c.why)
		if n := s.requests.Load(); n > c.requests {
			t.Errorf("%s: %d requests, at most %d were allowed", c.name, n, c.requests)
		}
		if n := s.sent.Load(); n > c.bytes {
			t.Errorf("%s: %d bytes were taken, at most %d were allowed", c.name, n, c.bytes)
		}
		for _, e := range ends {
			if !slices.Contains(c.end, ending(e)) {
				t.Errorf("%s: it ended %q, want one of %q; %+v", c.name, e, c.end, r.infos(c)[0])
			}
		}
		for _, p := range c.never {
			if n := s.timesAsked(p); n > 0 {
				t.Errorf("%s: %s was asked for %d times", c.name, p, n)
			}
		}
		for _, d := range c.decoys {
			if n := d.conns.Load(); n > 0 {
				t.Errorf("%s: %d connections went where none may go", c.name, n)
			}
		}
		if s.conns.Load() == 0 {
			t.Errorf("%s: nobody came", c.name)
		}
	}
	t.Logf("what each site cost:\n| case | what it does | requests | KB | last, s | end | why |\n|---|---|---|---|---|---|---|\n%s", &table)
}

// endings returns in how many ways the domains of a case ended.
func (c *hostileCase) endings(r hostileResult) (list []string) {
	for _, info := range r.infos(c) {
		if e := string(endingOf(info, r.Ended)); !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

// infos returns what the frontier knows of the domains of a case.
func (r hostileResult) infos(c *hostileCase) (list []nodeapi.DomainInfo) {
	for _, name := range c.site.names {
		info, ok := r.byName[crawl.DomainOf(name)]
		if ok && (len(list) == 0 || list[len(list)-1].Domain != info.Domain) {
			list = append(list, info)
		}
	}
	if len(list) == 0 {
		list = append(list, nodeapi.DomainInfo{})
	}
	return list
}

func endingOf(d nodeapi.DomainInfo, now time.Time) ending {
	switch {
	case d.Domain == "":
		return "unknown"
	case d.Retired:
		return endRetired
	case d.Queued == 0:
		return endDone
	case d.AllHeld && d.Next.Sub(now) > time.Minute:
		return endHeld
	case d.Next.Sub(now) > time.Hour:
		return endWaits
	}
	return "unfinished"
}

// judgeGood checks that the good sites got all they should while bad ones held
// what they could.
func (l *hostileLab) judgeGood(t *testing.T, r hostileResult) {
	for _, g := range l.good {
		missing := 0
		for i := range g.seen {
			if g.seen[i].Load() == 0 {
				missing++
			}
		}
		info := r.byName[crawl.DomainOf(g.names[0])]
		if missing > 0 || info.Fetched != uint64(g.pages) {
			t.Errorf("%s: %d of %d pages were not asked for, %d were fetched: %+v", g.names[0], missing, g.pages, info.Fetched, info)
		}
	}
	holders := slices.ContainsFunc(l.cases, func(c *hostileCase) bool { return c.holds })
	if holders && l.goodLeft.Load() == 0 && l.heldThen.Load() == 0 {
		t.Error("no bad site held a connection when the last page of the good ones was asked for")
	}
	t.Logf("when the last page of the good ones was asked for %d bad sites held connections, and had been asked for %d pages", l.heldThen.Load(), l.holdsThen.Load())
}

// hostilePlan tells the process with the node what to do.
type hostilePlan struct {
	Home  string
	Hosts string // the hosts file
	Seeds []string
	Limit time.Duration
}

// hostileResult is what that process says in the end.
type hostileResult struct {
	Base, Heap, Resident int64 // bytes
	Store                int64 // the size of the store
	Ended                time.Time
	Took                 time.Duration
	WARC                 string
	Domains              []nodeapi.DomainInfo

	byName map[crawl.Domain]nodeapi.DomainInfo
}

// hostileEnv names the file with the plan, for the process with the node.
const hostileEnv = "FORAGE_HOSTILE_PLAN"

// runHostile runs a node in a process of its own, so that its memory can be
// told from that of the sites.
func runHostile(t *testing.T, plan hostilePlan) (r hostileResult) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan.json")
	writeJSON(t, file, plan)
	ctx, cancel := context.WithTimeout(t.Context(), plan.Limit+2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHostile_Process$", "-test.v")
	cmd.Env = append(os.Environ(), hostileEnv+"="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the node: %v\n%s", err, out)
	}
	raw, err := os.ReadFile(file + ".result")
	if err != nil {
		t.Fatalf("the node says nothing: %v\n%s", err, out)
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	r.byName = make(map[crawl.Domain]nodeapi.DomainInfo)
	for _, d := range r.Domains {
		r.byName[d.Domain] = d
	}
	return r
}

func writeJSON(t *testing.T, file string, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// underRace reports whether this is built with the race detector, whose
// shadow memory counts for several times that of the program.
func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "-race" && s.Value == "true" })
}

// hostileLimits are shorter than those of real life, so that what waits for
// them is over soon; the sizes are those of real life.
var hostileLimits = fetch.Limits{
	Total: 3 * time.Second, Connect: time.Second, Window: 800 * time.Millisecond,
}
