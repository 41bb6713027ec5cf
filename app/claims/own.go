package claims

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
)

// Path returns where a node keeps what proves the sites that its user says are theirs.
func Path(stateDir string) string { return filepath.Join(stateDir, "mine.json") }

// Domains returns the domains that settings (sites.mine) name, each once.
func Domains(names []string) (list []crawl.Domain) {
	seen := make(map[crawl.Domain]bool)
	for _, text := range names {
		if d, err := scope.OwnDomain(text); err == nil && !seen[d] { // the settings hold no others
			seen[d] = true
			list = append(list, d)
		}
	}
	return list
}

// OwnConfig says what Own works with.
type OwnConfig struct {
	Config
	Path   string
	Scheme string // of start pages: sites of a lab have no certificates
	// Rules are the copies of robots.txt that this node has, whose age Latest tells.
	Rules  *robots.Cache
	Latest func() time.Time
	Scope  *scope.Scope
	// Refuses says why a URL is never visited, "" if it may be.
	Refuses func(crawl.URL) string
	// Enqueue brings a URL to the leader of its domain.
	Enqueue func(context.Context, crawl.URL, crawl.Priority) error
	Log     *slog.Logger
}

// Own is the book of the user's own sites, which are visited first, and what they took.
type Own struct {
	*Book
	cfg   OwnConfig
	bytes ownBytes
}

// OpenOwn goes on from what an earlier run knew. Nothing is asked before Serve.
func OpenOwn(cfg OwnConfig, listed []crawl.Domain) *Own {
	kept, err := Load(cfg.Path, cfg.Node)
	if err != nil {
		cfg.Log.Warn("What proved your own sites is lost; their tokens are looked for again", "error", err)
	}
	o := &Own{Book: New(cfg.Config, kept), cfg: cfg}
	o.Put(listed)
	return o
}

// Put puts the list of the user's own sites in force, and looks for tokens in the copies of robots.txt.
func (o *Own) Put(listed []crawl.Domain) {
	o.List(listed)
	for _, s := range o.Sites() {
		o.lookForToken(s.Domain)
	}
}

// lookForToken does so for one domain. Its own robots.txt counts, that of its start page, and no other: a host below it
// may be somebody else's. Where the server could not be reached nothing is known.
func (o *Own) lookForToken(d crawl.Domain) {
	u, err := o.startPage(d)
	if err != nil {
		return
	}
	latest := o.cfg.Latest()
	r, rules, _ := o.cfg.Rules.Get(latest, u.Origin())
	if r.Class == robots.ClassRules || r.Class == robots.ClassAllowAll {
		age := max(latest.Sub(r.Fetched), 0)
		o.SawRobots(d, rules.Nodes(), o.cfg.Now().Add(-age))
	}
}

// RobotsRead takes what came of asking for the robots.txt of an origin. On one of the user's own sites a redirect may
// have led to the one that counts.
func (o *Own) RobotsRead(origin string, received int64) {
	if u, err := crawl.ParseURL(origin + "/"); err == nil && o.Lists(u.Domain()) {
		o.bytes.add(received, 0)
		o.lookForToken(u.Domain())
	}
}

// startPage returns the page that a visit of one of the user's own sites begins with.
func (o *Own) startPage(d crawl.Domain) (crawl.URL, error) {
	return crawl.ParseURL(o.cfg.Scheme + "://" + string(d) + "/")
}

// ServePages gives the start pages of the user's own sites to their owners, and saves what proves them, until ctx is
// done. A site that is only listed is begun like any page that somebody links to, since its robots.txt is read no
// sooner; one that is proved like a seed.
func (o *Own) ServePages(ctx context.Context) error {
	given := make(map[crawl.Domain]crawl.Priority)
	for {
		sites := o.Sites()
		o.save(len(sites) > 0)
		for _, s := range sites {
			priority := crawl.PriorityNormal
			if o.Proved(s.Domain) {
				priority = crawl.PriorityHigh
			}
			if was := given[s.Domain]; was != 0 && was <= priority {
				continue
			}
			switch err := o.give(ctx, s.Domain, priority); {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				o.cfg.Log.Warn("The start page of your own site could not be queued", "domain", s.Domain, "error", err)
			default:
				given[s.Domain] = priority
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-o.Changed():
		}
	}
}

// give brings the start page of a domain into the frontier, or on its way to the domain's owner, unless it is not to be
// visited. One that is known stays as it is.
func (o *Own) give(ctx context.Context, d crawl.Domain, priority crawl.Priority) error {
	u, err := o.startPage(d)
	if err != nil || !o.cfg.Scope.Allows(u, 0) || o.cfg.Refuses(u) != "" {
		return err
	}
	return o.cfg.Enqueue(ctx, u, priority)
}

// save keeps what proves the user's own sites, if there are any.
func (o *Own) save(any bool) {
	var err error
	if any {
		err = o.Save(o.cfg.Path)
	} else if err = os.Remove(o.cfg.Path); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		o.cfg.Log.Warn("What proves your own sites is not saved; their tokens are looked for again at the next start",
			"error", err)
	}
}

// Took counts the bytes of a request, if it was for one of the user's own sites.
func (o *Own) Took(d crawl.Domain, received, sent int64) {
	if o.Lists(d) {
		o.bytes.add(received, sent)
	}
}

// Without returns what is left of the bytes of all sites: what the user's own took is not counted as help, but as all
// else against the limits. It never becomes less: what is under way is counted as another's until it has come.
func (o *Own) Without(received, sent int64) (int64, int64) { return o.bytes.without(received, sent) }

// ownBytes counts what the user's own sites took.
type ownBytes struct {
	mu                     sync.Mutex
	received, sent         int64
	toldReceived, toldSent int64
}

func (b *ownBytes) add(received, sent int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.received += received
	b.sent += sent
}

func (b *ownBytes) without(received, sent int64) (int64, int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.toldReceived = max(b.toldReceived, received-b.received)
	b.toldSent = max(b.toldSent, sent-b.sent)
	return b.toldReceived, b.toldSent
}
