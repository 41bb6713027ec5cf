package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/p2p/peerhost"
)

// ClaimsPath returns where a node keeps what proves the sites that its user says are theirs.
func ClaimsPath(stateDir string) string { return filepath.Join(stateDir, "mine.json") }

// NodeName returns the peer ID of a node that may not run, as people write it; "" if it has none yet.
func NodeName(paths config.Paths) (string, error) {
	path := membership.KeyPath(paths.State)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	key, err := peerhost.LoadOrCreateKey(path)
	if err != nil {
		return "", err
	}
	id, err := peer.IDFromPrivateKey(key)
	return id.String(), err
}

// OwnDomains returns the domains that a user says are theirs, each once.
func OwnDomains(c config.Config) (list []crawl.Domain) {
	seen := make(map[crawl.Domain]bool)
	for _, text := range c.Sites.Mine {
		if d, err := scope.OwnDomain(text); err == nil && !seen[d] { // the settings hold no others
			seen[d] = true
			list = append(list, d)
		}
	}
	return list
}

// makeClaims prepares what knows the user's own sites. Nothing is asked before Serve.
func (n *Node) makeClaims() error {
	node := peer.ID(n.member.Node.Self()).String()
	kept, err := claims.Load(ClaimsPath(n.opts.Paths.State), node)
	if err != nil {
		n.log.Warn("What proved your own sites is lost; their tokens are looked for again", "error", err)
	}
	cfg := claims.Config{Node: node, May: n.mayAskAbout, Now: time.Now}
	if n.opts.Lab == nil && n.opts.Sim == nil {
		cfg.Names = n.bandwidth.Names(bandwidth.Pages, nil)
	}
	n.claims = claims.New(cfg, kept)
	n.stats.Own = n.claims.Lists
	n.claims.List(OwnDomains(n.opts.Config))
	return nil
}

// mayAskAbout reports whether the DNS may be asked about a domain now: where its site might be visited.
func (n *Node) mayAskAbout(d crawl.Domain) bool {
	return !fetch.LocalName(string(d)) && n.Refusals().Domain(d) == "" && n.governor.Works()
}

// listMine puts the list of the user's own sites in force.
func (n *Node) listMine(c config.Config) {
	n.claims.List(OwnDomains(c))
	n.recallTokens()
}

// recallTokens looks for tokens in the copies of robots.txt that this node has.
func (n *Node) recallTokens() {
	for _, s := range n.claims.Sites() {
		n.recallToken(s.Domain)
	}
}

// recallToken does so for one domain. Its own robots.txt counts, that of its start page, and no other: a host below it
// may be somebody else's. Where the server could not be reached nothing is known.
func (n *Node) recallToken(d crawl.Domain) {
	u, err := n.startPage(d)
	if err != nil {
		return
	}
	latest := n.clock.Latest()
	r, rules, _ := n.rules.Get(latest, u.Origin())
	if r.Class == robots.ClassRules || r.Class == robots.ClassAllowAll {
		age := max(latest.Sub(r.Fetched), 0)
		n.claims.SawRobots(d, rules.Nodes(), time.Now().Add(-age))
	}
}

// robotsRead takes what came of asking for a robots.txt. On one of the user's own sites a redirect may have led to the
// one that counts.
func (n *Node) robotsRead(origin string, r robots.Record, cost worker.RobotsCost) {
	n.owner.tellRobots(origin, r, cost)
	u, err := crawl.ParseURL(origin + "/")
	if err != nil || !n.claims.Lists(u.Domain()) {
		return
	}
	n.ownBytes.add(cost.Received, 0)
	n.recallToken(u.Domain())
}

// startPage returns the page that a visit of one of the user's own sites begins with. Sites of a lab have no
// certificates.
func (n *Node) startPage(d crawl.Domain) (crawl.URL, error) {
	scheme := "https://"
	if n.opts.Lab != nil {
		scheme = "http://"
	}
	return crawl.ParseURL(scheme + string(d) + "/")
}

// watchClaims gives the start pages of the user's own sites to their owners, and saves what proves them, until ctx is
// done. A site that is only listed is begun like any page that somebody links to, since its robots.txt is read no
// sooner; one that is proved like a seed.
func (n *Node) watchClaims(ctx context.Context) error {
	given := make(map[crawl.Domain]crawl.Priority)
	for {
		sites := n.claims.Sites()
		n.saveClaims(len(sites) > 0)
		for _, s := range sites {
			priority := crawl.PriorityNormal
			if n.claims.Proved(s.Domain) {
				priority = crawl.PriorityHigh
			}
			if was := given[s.Domain]; was != 0 && was <= priority {
				continue
			}
			switch err := n.giveStartPage(ctx, s.Domain, priority); {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				n.log.Warn("The start page of your own site could not be queued", "domain", s.Domain, "error", err)
			default:
				given[s.Domain] = priority
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.claims.Changed():
		}
	}
}

// giveStartPage brings the start page of a domain into the frontier, or on its way to the domain's owner, unless it
// is not to be visited. One that is known stays as it is.
func (n *Node) giveStartPage(ctx context.Context, d crawl.Domain, priority crawl.Priority) error {
	u, err := n.startPage(d)
	if err != nil {
		return err
	}
	if !n.scope.Allows(u, 0) || n.Refusals().Reason(u) != "" {
		return nil
	}
	return n.enqueue(ctx, u, priority)
}

// saveClaims keeps what proves the user's own sites, if there are any.
func (n *Node) saveClaims(any bool) {
	path := ClaimsPath(n.opts.Paths.State)
	var err error
	if any {
		err = n.claims.Save(path)
	} else if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		n.log.Warn("What proves your own sites is not saved; their tokens are looked for again at the next start", "error", err)
	}
}

// ownBytes counts what the user's own sites took. It is not counted as help, but as all else against the limits.
type ownBytes struct {
	mu       sync.Mutex
	is, told totals
}

// add counts the bytes of a request.
func (b *ownBytes) add(received, sent int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.is.received += received
	b.is.sent += sent
}

// without returns what is left of the bytes of all sites. It never becomes less: what is under way is counted as
// another's until it has come.
func (b *ownBytes) without(received, sent int64) (int64, int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told.received = max(b.told.received, received-b.is.received)
	b.told.sent = max(b.told.sent, sent-b.is.sent)
	return b.told.received, b.told.sent
}

// siteBytes returns what was received from sites that are not the user's own since the start, and sent to them.
func (n *Node) siteBytes() (received, sent int64) {
	return n.ownBytes.without(n.meter.Received(), n.meter.Sent())
}
