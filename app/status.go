package app

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
)

func pid() int { return os.Getpid() }

// Status implements api.Node.
func (n *Node) Status(ctx context.Context) (api.Status, error) { return n.StatusIn(ctx, words.English) }

// StatusIn implements api.Node.
func (n *Node) StatusIn(_ context.Context, lang string) (api.Status, error) {
	t, err := n.frontier.Totals()
	if err != nil {
		return api.Status{}, err
	}
	state, causes := n.governor.why()
	until := n.arbiter.pausedUntil()
	inFlight, leases := n.pool.InFlight()
	if state == api.StateWorking && inFlight == 0 && leases == 0 {
		state, causes = api.StateWaiting, []cause{n.whatWeWaitFor(t)}
	}
	perSecond, session := n.rate.rate()
	files, _, err := archiveSize(n.opts.Paths.WARC())
	if err != nil {
		return api.Status{}, err
	}
	s := api.Status{
		Version: crawl.Version, BootID: n.bootID, PID: pid(), Started: n.started.UTC(), Network: n.opts.network(),
		Lab: n.opts.Lab != nil, Home: n.opts.Home, State: state, Reasons: n.reasonsIn(lang, causes),
		Sentence: n.sentence(lang, state, causes), Consent: n.consented(),
		UptimeS: int64(time.Since(n.started).Seconds()),
		Pages:   n.pages.Load(), PagesSession: int64(session), PagesPerS: perSecond,
		BytesReceived: n.base.received + n.meter.Received(), BytesSent: n.base.sent + n.meter.Sent(),
		Domains: int64(t.Domains), Queued: int64(t.Queued), Known: int64(t.Known), Leases: int64(t.Leases),
		InFlight: int64(inFlight), Sockets: int64(n.meter.Sockets()),
		ArchiveDir: n.opts.Paths.WARC(), ArchiveFiles: files, ArchiveBytes: n.archive.Size(),
		Waiting: int64(t.Outbox) + int64(n.member.swarm.Returning()), Moving: int64(t.Closing + t.Arriving),
		Members: int64(n.member.node.Members()), Connected: int64(len(n.member.host.Network().Peers())), Share: n.member.node.Share(),
		DiskFree: n.diskFree.Load(), Seq: n.journal.seq(), Health: api.Health(n.health.Report(time.Now())),
	}
	s.Logs, s.LogsWhole, s.Copies = n.logs.count()
	if !until.IsZero() {
		s.ResumeAt = &until
	}
	return s, nil
}

// whatWeWaitFor says why nothing is under way.
func (n *Node) whatWeWaitFor(t frontier.Totals) cause {
	switch {
	case !n.joined.Load():
		return cause{key: "status.wait.joining"}
	case n.isBootstrap():
		return cause{key: "status.wait.bootstrap"}
	case t.Queued == 0:
		return cause{key: "status.wait.visited"}
	case n.pool.Offline():
		return cause{key: "status.wait.offline"}
	}
	picked, err := n.frontier.Pick(1, func(crawl.Domain) bool { return false })
	if err != nil || picked.Next.IsZero() {
		return cause{key: "status.wait.nothing"}
	}
	return cause{key: "status.wait.until", at: n.clock.Wall(picked.Next)}
}

// Domains implements api.Node.
func (n *Node) Domains(_ context.Context, after string, limit int) ([]api.Domain, error) {
	return n.mark(describeAll(n.frontier, n.clock, after, limit))
}

// describe puts a domain into words.
func describe(d frontier.DomainInfo, steady *clock.Clock) api.Domain {
	now, next := steady.Now(), steady.Wall(d.Next)
	a := api.Domain{
		Domain: string(d.Domain), Queued: int64(d.Queued), Fetched: int64(d.Fetched), Failed: int64(d.Failed),
		Duplicates: int64(d.Duplicates), Bytes: int64(d.Received), CrawlDelayS: d.CrawlDelay.Seconds(), Title: d.Title,
		Reason: d.Reason, Refusals: int64(d.Refusals), Challenges: int64(d.Challenges), Backoffs: int64(d.Backoffs),
	}
	switch {
	case d.Leased:
		a.State = "being visited"
	case d.Retired:
		a.State = "given up for now"
	case d.Queued == 0:
		a.State = "done"
	case d.AllHeld:
		a.State = "cannot be reached"
	case d.Troubled:
		a.State = "asked us to wait, or failed"
	case d.Next.After(now):
		a.State = "waiting"
	default:
		a.State = "due"
	}
	if d.Dropped > 0 && a.Reason == "" {
		a.Reason = droppedText(d)
	}
	if d.Retired {
		a.Reason = fmt.Sprintf("it kept failing (%s); the next try is on %s", orElse(d.Reason, "no answer"), next.Format("2 January 2006"))
	}
	if (d.Queued > 0 || d.Retired) && !d.Leased && !d.Next.IsZero() {
		a.NextVisit = &next
	}
	return a
}

// droppedText says why URLs of a domain were not taken in.
func droppedText(d frontier.DomainInfo) string {
	answers := d.Fetched + d.Failed + d.Gone
	if worthless := d.Duplicates + d.Failed + d.Gone; answers > 0 && worthless*5 > answers {
		return fmt.Sprintf("%d URLs dropped: %d of %d answers were duplicates or errors, so its budget fell to %d",
			d.Dropped, worthless, answers, d.Budget)
	}
	return fmt.Sprintf("%d URLs beyond its budget of %d were dropped", d.Dropped, d.Budget)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Events implements api.Node.
func (n *Node) Events(since uint64, limit int) ([]api.Event, uint64, bool) {
	return n.journal.since(since, limit)
}

// Wait implements api.Node.
func (n *Node) Wait(ctx context.Context, since uint64) { n.journal.wait(ctx, since) }

// Pause implements api.Node.
func (n *Node) Pause(_ context.Context, d time.Duration) error {
	n.arbiter.ask(func(s *limits.State, now limits.Clock) { s.Pause(now, d) })
	return nil
}

// Resume implements api.Node.
func (n *Node) Resume(context.Context) error {
	n.arbiter.ask(func(s *limits.State, _ limits.Clock) { s.Resume() })
	return nil
}

// Stop implements api.Node.
func (n *Node) Stop(context.Context) error {
	if n.stopOnce.CompareAndSwap(false, true) {
		close(n.stop)
	}
	return nil
}
