package nodeapi

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/absence"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/app/journal"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc"
)

// Facts are what does not change about a node while it runs.
type Facts struct {
	BootID, Network string
	Home            string // what the user gave as --home
	Started         time.Time
	Before          api.Counts // what was counted before this start
	Archive         string     // the directory of the archive
	Lab, Bootstrap  bool
	Private         bool // its network is
	Watched         bool // a user's limits hold
	Silent          bool // it notifies nobody, whatever the settings say
}

// Overview tells what a node does, with which sites and which other nodes.
type Overview struct {
	Facts
	Books    Books
	Clock    *clock.Clock
	Fetchers *worker.Pool
	Governor *limiter.Governor
	Member   *membership.Member
	Swarm    *swarm.Swarm
	Driver   *driver.Driver
	Joined   func() bool // it is known who the other members are
	Journal  *journal.Journal
	Tally    *journal.Tally
	Health   *health.Watch
	Arbiter  *limiter.Arbiter
	Keeper   *settings.Keeper
	Refuser  *never.Refuser
	Absence  *absence.Absence // nil in a simulation
	Files    *warc.Archive
	Finder   *find.Finder // nil if there is no search index
	Sockets  *fetch.Meter
	// Bytes returns what was received from sites that are not the user's own since the start, and sent to them.
	Bytes func() (received, sent int64)
}

// Status implements api.Node.
func (o *Overview) Status(ctx context.Context) (api.Status, error) {
	return o.StatusIn(ctx, words.English)
}

// StatusIn implements api.Node.
func (o *Overview) StatusIn(_ context.Context, lang string) (api.Status, error) {
	report := o.Health.Report(time.Now())
	report.Sentence = report.In(lang)
	t, err := o.Books.Totals()
	if err != nil {
		return api.Status{}, err
	}
	state, causes := o.stateNow(t)
	holds := o.Arbiter.View()
	inFlight, _ := o.Fetchers.InFlight()
	perSecond, _ := o.Tally.Rate.PerSecond()
	pages := o.Tally.Pages.Load()
	received, sent := o.Bytes()
	files, _, err := ledger.ArchiveSize(o.Archive)
	if err != nil {
		return api.Status{}, err
	}
	s := api.Status{
		Identity: api.Identity{Version: crawl.Version, BootID: o.BootID, PID: os.Getpid(),
			Started: o.Started.UTC(), Network: o.Network, Lab: o.Lab, Home: o.Home},
		State:    state,
		Reasons:  limiter.Reasons(lang, causes),
		Sentence: o.Sentence(lang, causes),
		Consent:  holds.Consent,
		UptimeS:  int64(time.Since(o.Started).Seconds()),
		Progress: api.Progress{Pages: pages, PagesSession: pages - o.Before.Pages, PagesPerS: perSecond,
			BytesReceived: o.Before.BytesReceived + received, BytesSent: o.Before.BytesSent + sent},
		Backlog: api.Backlog{Domains: int64(t.Domains), Queued: int64(t.Queued), Known: int64(t.Known),
			Waiting: o.waiting()},
		Leases:   int64(t.Leases),
		InFlight: int64(inFlight),
		Sockets:  int64(o.Sockets.Sockets()),
		Holdings: api.Holdings{ArchiveDir: o.Archive, ArchiveFiles: files, ArchiveBytes: o.Files.Size(),
			DiskFree: o.Arbiter.DiskFree()},
		Membership: api.Membership{Members: int64(o.Member.Node.Members.Count()),
			Connected: int64(len(o.Member.Host.Network().Peers())), Share: o.Member.Node.Members.Share()},
		Index:  o.index(),
		Seq:    o.Journal.Seq(),
		Health: api.Health(report),
	}
	s.Admission = o.admission(lang)
	s.Setting, s.Remedy = remedy(lang, causes, holds)
	if list := troubles(causes, holds.Reasons, nil); len(list) > 0 {
		s.Trouble = list[0]
	}
	_ = o.CountShards(&s) // the rest is told without it
	if u := o.Swarm.Undone(); u.Pages > 0 {
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
			setting, value := remedyOf(r)
			if setting == "" {
				return "", ""
			}
			if strings.Contains(value, " ") || value == "" {
				value = strconv.Quote(value)
			}
			text := do("forage set " + setting + "=" + value)
			if holds.HelpNow {
				args := words.Args{"command": "forage resume --for 15m", "other": text}
				text = words.Text(lang, "status.remedy.now", args)
			}
			return setting, text
		}
	}
	return "", ""
}

// WaitsFor says why nothing is under way.
func (o *Overview) WaitsFor(t Totals) limiter.Cause {
	switch {
	case o.Bootstrap:
		return limiter.Cause{Key: "status.wait.bootstrap"}
	case !o.Joined():
		return limiter.Cause{Key: "status.wait.joining"}
	case o.Fetchers.Offline():
		return limiter.Cause{Key: "status.wait.offline"}
	case o.Fetchers.Captive():
		return limiter.Cause{Key: "status.wait.portal"}
	case o.Health.Fruitless().Matters() && t.Queued+t.Leases > 0:
		return fruitless(o.Health.Fruitless())
	case t.Queued == 0 && o.fetchesOnly():
		return limiter.Cause{Key: "status.wait.others"}
	case t.Queued == 0 && (t.Known == 0 || t.Leases > 0):
		// its first seeds are not in, or what was found is being visited
		return limiter.Cause{Key: "status.wait.nothing"}
	case t.Queued == 0:
		return limiter.Cause{Key: "status.wait.visited"}
	}
	if o.leaderless() {
		return limiter.Cause{Key: "status.wait.copies"}
	}
	next, err := o.nextVisit()
	if err != nil || next.IsZero() {
		return limiter.Cause{Key: "status.wait.nothing"}
	}
	return limiter.Cause{Key: "status.wait.until", At: o.Clock.Wall(next)}
}

// leaderless reports whether this member, one of several, acts for none of its sites: too few of those that keep
// copies are there.
func (o *Overview) leaderless() bool {
	members := o.Member.Node.Members
	if members.Count() < 2 || members.Share() == 0 {
		return false
	}
	var s api.Status
	return o.CountShards(&s) == nil && s.Leads == 0
}

// fetchesOnly reports whether all there is to do comes from other nodes.
func (o *Overview) fetchesOnly() bool {
	return o.Member.Node.Members.Count() > 0 && o.Member.Node.Members.Share() == 0
}

func (o *Overview) nextVisit() (time.Time, error) {
	return Read(o.Books, func(tx *storage.Tx) (time.Time, error) {
		p, err := o.Books.Frontier.Pick(tx, 1, nil)
		return p.Next, err
	})
}

// waiting counts what is on its way to other members: outcomes, and pages with links.
func (o *Overview) waiting() int64 {
	const enough = 10_000
	links, _ := Read(o.Books, func(tx *storage.Tx) (int, error) {
		return o.Books.Frontier.Undelivered(tx, enough), nil
	})
	return int64(o.Swarm.Waiting() + links)
}

// index says how the search index stands.
func (o *Overview) index() api.IndexStatus {
	if o.Finder == nil {
		return api.IndexStatus{On: library.SearchSettings(o.Keeper.Now().Index).On}
	}
	return library.TellIndex(o.Finder.Status())
}

// CountShards says in a status what this node leads and follows. The error is that of a node that is too busy to tell.
func (o *Overview) CountShards(s *api.Status) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return o.Driver.Do(ctx, func(g *group.Node) error {
		for _, v := range g.Look() {
			if len(v.Held)+v.Live > 0 { // else of a member that has left
				o.countShard(s, v)
			}
		}
		return nil
	})
}

func (o *Overview) countShard(s *api.Status, v group.View) {
	switch v.Role {
	case shard.Leader:
		if s.Leads++; len(v.Learners) == 0 && len(v.Voters) == len(o.Member.Layout.Line(v.Shard)) {
			s.Whole++
		}
	case shard.CarefulLeader:
		s.Leads++
		s.Careful++
	case shard.Follower:
		if s.Follows++; slices.Contains(v.Learners, crawl.PeerID(o.Member.Node.Self())) {
			s.CatchingUp++
		}
	}
}
