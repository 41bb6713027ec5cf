package app

import (
	"context"
	"crypto/ed25519"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/peerhost/identity"
)

// Options say what a node does. Configuration file and flags have been
// brought together in them.
type Options struct {
	// Paths are the node's places; they exist.
	Paths config.Paths
	// Home is what the user gave as --home, "" if nothing.
	Home string
	// Config is the configuration, flags applied.
	Config config.Config
	// Reload, if set, reads the configuration again, flags applied. It may be called at any time.
	Reload func() (config.Config, error)
	// Seeds are where the crawl begins.
	Seeds []crawl.URL
	// Lab, if not nil, makes this a node of a closed test network.
	Lab *Lab
	// Sim, if not nil, puts the node into a simulation.
	Sim *Sim
	// NoSync leaves syncing to the operating system: for simulations only.
	NoSync bool
	// ExitWhenIdle, if above 0, ends Serve after so long with nothing queued,
	// leased or under way.
	ExitWhenIdle time.Duration
	// Sense says where sensors read; the zero value is this computer.
	Sense sense.Options
	// Examine, if set, looks for what is wrong with the node's files while it runs (app/doctor, which knows
	// this package).
	Examine func(context.Context) (api.DoctorReport, error)
	// Startup, if not nil, has the system start this node when its user logs in.
	Startup settings.Startup
	// AnyPort has the node take any free port if that of its local API is taken.
	AnyPort bool
	// Footing is how far the node takes part at first.
	Footing limits.Footing
	// Dashboard holds the files of the dashboard, nil if there is none.
	Dashboard fs.FS
	// Launcher, if not nil, has the process step back behind other programs, and starts those that the user looks at
	// with the priority of before. Without one the process keeps its priority: others may share it.
	Launcher *priority.Launcher
	// Quiet, if set, is told when the node falls silent at its user's wish, or has fetched nothing for a while, and
	// when it does no longer. It is for whoever has the process: nodes may share one.
	Quiet func(bool)
	// RecallKeys take the place of the release keys (app/recall), for tests.
	RecallKeys []ed25519.PublicKey
	// Log receives what the user would want to read tomorrow.
	Log *slog.Logger

	// secret is that of a private network, read by New.
	secret identity.Secret
}

// Lab says how a closed test network is. Nothing of it applies elsewhere.
type Lab struct {
	// Hosts are the only names there are.
	Hosts *fetch.Hosts
	// Gap, if set, replaces all politeness but Retry-After.
	Gap *time.Duration
	// Limits has the user's limits hold as outside a lab, sensors included.
	Limits bool
	// AwaitConsent has nothing sent until the user has agreed, as outside a lab.
	AwaitConsent bool
	// NoLimits lifts those of the disk and of pages a minute, which hold in labs too, and with Limits.
	NoLimits bool
	// Revisit says how often pages are visited again; the zero value means as
	// outside a lab.
	Revisit frontier.Revisit
	// Budget bounds how many URLs of a domain are taken in; the zero value means as outside a lab.
	Budget frontier.Budget
	// Fetch bounds requests; the zero value means as a lease allows.
	Fetch fetch.Limits
	// RotateAt is the size in bytes at which a new WARC file is begun; 0 means
	// as outside a lab.
	RotateAt int64
	// RealTimes keeps lease times as they are outside a lab.
	RealTimes bool
	// Notices has the user notified of what the settings say, as outside a lab.
	Notices bool
	// MDNS looks for other nodes of the lab on the local network.
	MDNS bool
	// Trusts has no page fetched again to check another node: all are of one user.
	Trusts bool
}

// Sim takes the place of what a computer is: its clocks and its sockets.
type Sim struct {
	// Host, Key and Gater are this node's place in a simulated network.
	Host  host.Host
	Key   crypto.PrivKey
	Gater *peerhost.Gater
	// Clocks are what time it is there.
	Clocks clock.Sources
	// Awake is how long the computer has run, without the time that it slept.
	Awake func() time.Duration
	// Dial connects to sites.
	Dial func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	// OwnAtOnce spares newcomers the hour that they must have been up to own domains.
	OwnAtOnce bool
}

// labLease is how long leases last in a lab.
const labLease = 10 * time.Second

// politeness returns the rules the node keeps towards sites.
func (o *Options) politeness() crawl.Politeness {
	if o.Lab == nil {
		return crawl.Politeness{}
	}
	return crawl.Politeness{Fixed: o.Lab.Gap}
}

// identity returns what is taken off links.
func (o *Options) identity() crawl.Identity {
	u := o.Config.URLs
	return crawl.Identity{KeepTracking: u.KeepTracking, KeepSessions: u.KeepSessions}
}

func (o *Options) leaseFor() time.Duration {
	if o.Lab != nil && !o.Lab.RealTimes {
		return labLease
	}
	return 0
}

// leastCommit is how long items wait for others where there are no gaps. At a quarter, a page costs a twelfth more.
const leastCommit = 20 * time.Millisecond

// commitEvery returns how long items wait for others. A lab may set the gap between two requests to a site: then they
// wait for three gaps at most.
func (o *Options) commitEvery() time.Duration {
	if o.Lab == nil || o.Lab.Gap == nil {
		return driver.DefaultCommitEvery
	}
	return min(max(3**o.Lab.Gap, leastCommit), driver.DefaultCommitEvery)
}

func (o *Options) revisit() frontier.Revisit {
	if o.Lab == nil {
		return frontier.Revisit{}
	}
	return o.Lab.Revisit
}

func (o *Options) budget() frontier.Budget {
	if o.Lab == nil {
		return frontier.Budget{}
	}
	return o.Lab.Budget
}

func (o *Options) rotateAt() int64 {
	if o.Lab == nil {
		return 0
	}
	return o.Lab.RotateAt
}

// rules say whose limits hold.
func (o *Options) rules() limiter.Rules {
	r := limiter.Rules{Bootstrap: membership.IsBootstrap(o.Config)}
	if l := o.Lab; l != nil {
		r.Lab, r.Limits, r.AwaitConsent, r.NoLimits = true, l.Limits, l.AwaitConsent, l.NoLimits
	}
	return r
}

func (o *Options) pagesPerMin() int {
	if o.rules().NoLimits {
		return 0
	}
	return o.Config.Limits.Budget.Full.PagesPerMin
}

// network returns the network's name; those of labs and of private networks cannot be mistaken.
func (o *Options) network() string { return o.secret.Network(o.publicName()) }

// publicName is the network's name as invites have it.
func (o *Options) publicName() string {
	if o.Lab != nil {
		return membership.LabPrefix + o.Config.Net.Name
	}
	return o.Config.Net.Name
}

// labNames returns the scope of a lab: the names of its hosts file and the
// seeds, which may be addresses. Pages link to addresses too, but nobody said
// that those belong to the test network.
func (o *Options) labNames() func(string) bool {
	if o.Lab == nil {
		return nil
	}
	seeds := make(map[string]bool)
	for _, u := range o.Seeds {
		seeds[u.Hostname()] = true
	}
	return func(name string) bool {
		_, ok := o.Lab.Hosts.Lookup(name, 80)
		return ok || seeds[name]
	}
}
