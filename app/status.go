package app

import (
	"cmp"
	"context"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/storage"
)

func pid() int { return os.Getpid() }

// Status implements api.Node.
func (n *Node) Status(ctx context.Context) (api.Status, error) { return n.StatusIn(ctx, words.English) }

// StatusIn implements api.Node.
func (n *Node) StatusIn(_ context.Context, lang string) (api.Status, error) {
	report := n.health.Report(time.Now())
	report.Sentence = report.In(lang)
	t, err := n.frontier.Totals()
	if err != nil {
		return api.Status{}, err
	}
	state, causes := n.stateNow(t)
	holds := n.View()
	inFlight, _ := n.pool.InFlight()
	perSecond, _ := n.rate.rate()
	pages := n.pages.Load()
	received, sent := n.siteBytes()
	files, _, err := ledger.ArchiveSize(n.opts.Paths.WARC())
	if err != nil {
		return api.Status{}, err
	}
	s := api.Status{
		Version: crawl.Version, BootID: n.bootID, PID: pid(), Started: n.started.UTC(), Network: n.opts.network(),
		Lab: n.opts.Lab != nil, Home: n.opts.Home, State: state, Reasons: limiter.Reasons(lang, causes),
		Sentence: n.sentence(lang, causes), Consent: holds.Consent,
		UptimeS: int64(time.Since(n.started).Seconds()),
		Pages:   pages, PagesSession: pages - n.base.pages, PagesPerS: perSecond,
		BytesReceived: n.base.received + received, BytesSent: n.base.sent + sent,
		Domains: int64(t.Domains), Queued: int64(t.Queued), Known: int64(t.Known), Leases: int64(t.Leases),
		InFlight: int64(inFlight), Sockets: int64(n.meter.Sockets()),
		ArchiveDir: n.opts.Paths.WARC(), ArchiveFiles: files, ArchiveBytes: n.archive.Size(),
		Waiting: n.waiting(),
		Members: int64(n.member.Node.Members()), Connected: int64(len(n.member.Host.Network().Peers())), Share: n.member.Node.Share(),
		DiskFree: n.DiskFree(), Index: n.indexStatus(), Seq: n.journal.seq(), Health: api.Health(report),
	}
	s.Admission = n.admissionText(lang)
	s.Setting, s.Remedy = remedy(lang, causes, holds)
	n.countShards(&s)
	if u := n.swarm.Undone(); u.Pages > 0 {
		s.Undone, s.UndonePeer, s.UndoneAt = int64(u.Pages), peer.ID(u.Of).String(), &u.At
	}
	if at := holds.PausedUntil; !at.IsZero() {
		s.ResumeAt = &at
	}
	return s, nil
}

// remedy returns the setting that changes the first of the causes, and what to do about it.
func remedy(lang string, causes []limiter.Cause, holds limiter.View) (setting, text string) {
	do := func(command string) string { return words.Text(lang, "status.remedy", words.Args{"command": command}) }
	switch {
	case len(causes) == 0:
	case causes[0].Key == "status.wait.visited":
		return "crawl.seeds", words.Text(lang, "status.remedy.seeds", nil)
	case causes[0].Key == limiter.CauseLimits:
		if len(holds.Reasons) == 0 {
			return "", ""
		}
		switch r := holds.Reasons[0]; r.Kind {
		case limits.NoConsent:
			return "", do("forage consent")
		case limits.PausedByUser, limits.Finishing:
			return "", do("forage resume")
		default:
			setting, value := r.Remedy()
			if setting == "" {
				return "", ""
			}
			if strings.Contains(value, " ") || value == "" {
				value = strconv.Quote(value)
			}
			text := do("forage set " + setting + "=" + value)
			if holds.HelpNow {
				text = words.Text(lang, "status.remedy.now", words.Args{"command": "forage resume --for 15m", "other": text})
			}
			return setting, text
		}
	}
	return "", ""
}

// whatWeWaitFor says why nothing is under way.
func (n *Node) whatWeWaitFor(t totalCounts) limiter.Cause {
	switch {
	case membership.IsBootstrap(n.opts.Config):
		return limiter.Cause{Key: "status.wait.bootstrap"}
	case !n.joined.Load():
		return limiter.Cause{Key: "status.wait.joining"}
	case n.pool.Offline():
		return limiter.Cause{Key: "status.wait.offline"}
	case n.pool.Captive():
		return limiter.Cause{Key: "status.wait.portal"}
	case n.fruitless.Load() >= manyFruitless && t.Queued+t.Leases > 0:
		return limiter.Cause{Key: causeFruitless, Count: n.fruitless.Load()}
	case t.Queued == 0 && n.fetchesOnly():
		return limiter.Cause{Key: "status.wait.others"}
	case t.Queued == 0 && (t.Known == 0 || t.Leases > 0): // its first seeds are not in, or what was found is being visited
		return limiter.Cause{Key: "status.wait.nothing"}
	case t.Queued == 0:
		return limiter.Cause{Key: "status.wait.visited"}
	}
	next, err := n.nextVisit()
	if err != nil || next.IsZero() {
		return limiter.Cause{Key: "status.wait.nothing"}
	}
	return limiter.Cause{Key: "status.wait.until", At: n.clock.Wall(next)}
}

// fetchesOnly reports whether all there is to do comes from other nodes.
func (n *Node) fetchesOnly() bool { return n.member.Node.Members() > 0 && n.member.Node.Share() == 0 }

// Domains implements api.Node.
func (n *Node) Domains(ctx context.Context, after string, limit int) ([]api.Domain, error) {
	list, err := n.Mark(api.Lang(ctx))(describeAll(api.Lang(ctx), n.frontier, n.clock, after, limit))
	domains := make([]crawl.Domain, len(list))
	for i := range list {
		domains[i] = crawl.Domain(list[i].Domain)
	}
	far := n.distances(ctx, domains)
	for i, d := range domains {
		list[i].Distance = far[d]
	}
	return list, err
}

// describe puts a domain into words, in a language.
func describe(lang string, d domainInfo, at moment) api.Domain {
	next := at.wall(d.Next)
	refused := scope.IsRefusal(d.Reason) // once; whether it still is, the list of refusals says
	if refused {
		d.Reason = ""
	}
	a := api.Domain{
		Domain: string(d.Domain), Queued: int64(d.Queued), Fetched: int64(d.Fetched), Failed: int64(d.Failed),
		Duplicates: int64(d.Duplicates), Bytes: int64(d.Received), CrawlDelayS: d.CrawlDelay.Seconds(), Title: d.Title,
		Reason: words.Said(lang, d.Reason), Refusals: int64(d.Refusals), Challenges: int64(d.Challenges), Backoffs: int64(d.Backoffs),
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
			"reason": words.Said(lang, cmp.Or(d.Reason, "no answer")), "date": limits.Date(next, limits.LangOf(lang)),
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
var droppedKeys = map[dropLimit]string{
	limitForeign: "domain.dropped.foreign", limitShape: "domain.dropped.shape", limitFull: "domain.dropped.full", limitTrap: "domain.dropped.trap",
	limitRetired: "domain.dropped.retired", limitBrought: "domain.dropped.brought",
}

// droppedText says why URLs of a domain were not taken in.
func droppedText(lang string, d domainInfo) string {
	args := words.Args{"dropped": int64(d.Dropped), "budget": int64(d.Budget)}
	if d.Dropped >= maxDropped {
		args["dropped"] = words.Text(lang, "domain.dropped.many", words.Args{"count": int64(maxDropped)})
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

// Events implements api.Node.
func (n *Node) Events(since uint64, limit int) ([]api.Event, uint64, bool) {
	return n.journal.since(since, limit)
}

// Wait implements api.Node.
func (n *Node) Wait(ctx context.Context, since uint64) { n.journal.wait(ctx, since) }

// Stop implements api.Node.
func (n *Node) Stop(context.Context) error {
	if n.stopOnce.CompareAndSwap(false, true) {
		close(n.stop)
	}
	return nil
}

// countShards says in a status what this node leads and follows.
func (n *Node) countShards(s *api.Status) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = n.driver.Do(ctx, func(g *group.Node) error {
		for _, v := range g.Look() {
			if len(v.Held)+v.Live > 0 { // else of a member that has left
				n.countShard(s, v)
			}
		}
		return nil
	})
}

func (n *Node) countShard(s *api.Status, v group.View) {
	switch v.Role {
	case shard.Leader:
		if s.Leads++; len(v.Learners) == 0 && len(v.Voters) == len(n.member.Layout.Line(v.Shard)) {
			s.Whole++
		}
	case shard.CarefulLeader:
		s.Leads++
		s.Careful++
	case shard.Follower:
		if s.Follows++; slices.Contains(v.Learners, crawl.PeerID(n.member.Node.Self())) {
			s.CatchingUp++
		}
	}
}

// distances says of domains that this node leads who fetches them from how near.
func (n *Node) distances(ctx context.Context, domains []crawl.Domain) map[crawl.Domain]string {
	said := make(map[crawl.Domain]string)
	if n.swarm == nil || len(domains) == 0 {
		return said
	}
	within, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	far, err := n.swarm.Distances(within, domains)
	if err != nil {
		return said // it is said without
	}
	for d, x := range far {
		key, args := "domain.near.you", words.Args{"ms": int64(x.Ms), "here": int64(math.Round(x.HereMs))}
		if string(x.Nearest) != n.member.Node.Self() {
			args["peer"] = "…" + shortPeer(string(x.Nearest))
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

// Site implements api.SiteTeller.
func (n *Node) Site(ctx context.Context, name string) (api.SiteSummary, error) {
	s, err := n.Library.Site(ctx, name)
	if err == nil {
		d := crawl.Domain(s.Domain)
		s.Distance = n.distances(ctx, []crawl.Domain{d})[d]
	}
	return s, err
}

func (n *Node) nextVisit() (time.Time, error) {
	return view(n.frontier, func(tx *storage.Tx) (time.Time, error) {
		p, err := n.keeper.Pick(tx, 1, func(crawl.Domain) bool { return false })
		return p.Next, err
	})
}
