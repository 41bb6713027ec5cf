// Package claims finds out whether sites are in the hands of who runs this node.
//
// A user lists domains in the setting sites.mine. A claim on one is in force only while a token there names this
// node: a comment in the robots.txt of the domain itself, or a record in its DNS. The token says that the site and
// the node are in the same hands, and nothing else: it loosens neither robots.txt nor politeness, nor anything that
// keeps a node from a site.
//
// A robots.txt is told of when the crawler has read it for its own ends (SawRobots); nothing is fetched for a claim.
// DNS is asked by Serve, where the node may send packets at all. A token that was not seen for long does not count any
// more. What a user merely lists is not counted as help for others (Lists), proved or not, so that nobody gains by
// taking a token away.
//
// All methods of a Book are safe for concurrent use.
package claims

import (
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Max is how many domains can be claimed.
const Max = 16

const (
	// dnsFor is how long a token in the DNS counts after it was seen last: looked for once a day, it may be missed
	// once.
	dnsFor = 48 * time.Hour
	// robotsFor is the same for robots.txt, which is read again before a visit and not between visits: those are a
	// month apart at most. Until the next one a claim has no effect.
	robotsFor = 35 * 24 * time.Hour
)

// Means says where a token was seen.
type Means string

const (
	// Robots is a comment in robots.txt.
	Robots Means = "robots"
	// DNS is a TXT record.
	DNS Means = "dns"
)

// Proof is a token that was seen at one place, by the wall clock. The zero value is none.
type Proof struct {
	// Since is when it was seen first and ever since, Seen when last.
	Since time.Time `json:"since,omitzero"`
	Seen  time.Time `json:"seen,omitzero"`
}

// holds reports whether the proof is in force, which it is for so long. One from the future is too, as far as a clock
// may have been put right.
func (p Proof) holds(now time.Time, long time.Duration) bool {
	age := now.Sub(p.Seen)
	return !p.Seen.IsZero() && -dnsFor < age && age < long
}

// see notes that the token was seen, maybe a while ago.
func (p *Proof) see(at, now time.Time, long time.Duration) {
	if !p.holds(now, long) {
		p.Since, p.Seen = at, at
	} else if at.After(p.Seen) {
		p.Seen = at
	}
}

// Site is a domain and what is known of the claim on it.
type Site struct {
	Domain crawl.Domain `json:"domain"`
	Robots Proof        `json:"robots,omitzero"`
	DNS    Proof        `json:"dns,omitzero"`
}

// Proved returns by what a claim is in force at now, and since when; ok is false if it is not.
func (s *Site) Proved(now time.Time) (by Means, since time.Time, ok bool) {
	robots, dns := s.Robots.holds(now, robotsFor), s.DNS.holds(now, dnsFor)
	switch {
	case robots && (!dns || !s.DNS.Since.Before(s.Robots.Since)):
		return Robots, s.Robots.Since, true
	case dns:
		return DNS, s.DNS.Since, true
	}
	return "", time.Time{}, false
}

// Config says how a Book works. All fields but Names and May are needed.
type Config struct {
	// Node is this node's peer ID, as people write it.
	Node string
	// Names has the TXT records of domains; nil where no name may be asked for, as in a lab.
	Names Names
	// May, if set, reports whether packets may be sent now on account of a domain.
	May func(d crawl.Domain) bool
	// Now is the wall clock.
	Now func() time.Time
}

// A Book holds the domains that the user lists, and what proves each of them.
type Book struct {
	cfg     Config
	listed  chan struct{} // the list has changed
	changed chan struct{}

	mu    sync.Mutex
	sites []*site
	kept  []Site // of an earlier run, until List
}

// site is a claim and when its DNS is asked for next.
type site struct {
	Site
	next     time.Time
	failures int // in a row
}

// New returns a book without claims. Kept is what an earlier run of the same node knew: it counts for domains that are
// listed again.
func New(cfg Config, kept []Site) *Book {
	return &Book{cfg: cfg, listed: make(chan struct{}, 1), changed: make(chan struct{}, 1), kept: slices.Clone(kept)}
}

// List replaces the domains that the user lists: of a longer list the first Max. If it is another list, DNS is asked
// for all of them soon.
func (c *Book) List(domains []crawl.Domain) {
	c.mu.Lock()
	known := c.kept
	for _, s := range c.sites {
		known = append(known, s.Site)
	}
	before := c.sites
	c.sites, c.kept = nil, nil
	for _, d := range domains {
		if len(c.sites) == Max || c.find(d) != nil {
			continue
		}
		s := &site{Site: Site{Domain: d}}
		if i := slices.IndexFunc(known, func(k Site) bool { return k.Domain == d }); i >= 0 {
			s.Site = known[i]
		}
		c.sites = append(c.sites, s)
	}
	same := slices.EqualFunc(before, c.sites, func(a, b *site) bool { return a.Domain == b.Domain })
	if same {
		c.sites = before // and when they are asked for next
	}
	c.mu.Unlock()
	if same {
		return
	}
	signal(c.listed)
	signal(c.changed)
}

// find returns a listed domain, nil if it is not listed. The mutex is held.
func (c *Book) find(d crawl.Domain) *site {
	for _, s := range c.sites {
		if s.Domain == d {
			return s
		}
	}
	return nil
}

// Lists reports whether the user lists a domain, proved or not.
func (c *Book) Lists(d crawl.Domain) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(d) != nil
}

// Proved reports whether a claim is in force.
func (c *Book) Proved(d crawl.Domain) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.find(d)
	if s == nil {
		return false
	}
	_, _, ok := s.Site.Proved(c.cfg.Now())
	return ok
}

// First returns the domains whose claims are in force, in the order of the list.
func (c *Book) First() (list []crawl.Domain) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sites) == 0 {
		return nil
	}
	now := c.cfg.Now()
	for _, s := range c.sites {
		if _, _, ok := s.Site.Proved(now); ok {
			list = append(list, s.Domain)
		}
	}
	return list
}

// Sites returns all that is listed, in the order of the list.
func (c *Book) Sites() []Site {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]Site, len(c.sites))
	for i, s := range c.sites {
		list[i] = s.Site
	}
	return list
}

// Changed receives when the list or a proof may have changed.
func (c *Book) Changed() <-chan struct{} { return c.changed }

// SawRobots tells which nodes the robots.txt of a domain itself named at that time, when there was an answer: none if
// there is no such file. A domain that is not listed is nobody's concern.
func (c *Book) SawRobots(d crawl.Domain, nodes []string, at time.Time) {
	c.saw(d, at, slices.Contains(nodes, c.cfg.Node), Robots)
}

// saw notes whether a token was seen at a place.
func (c *Book) saw(d crawl.Domain, at time.Time, there bool, by Means) {
	c.mu.Lock()
	s := c.find(d)
	if s == nil {
		c.mu.Unlock()
		return
	}
	p, long := &s.Robots, robotsFor
	if by == DNS {
		p, long = &s.DNS, dnsFor
	}
	before := *p
	if there {
		p.see(at, c.cfg.Now(), long)
	} else {
		*p = Proof{}
	}
	news := *p != before
	c.mu.Unlock()
	if news {
		signal(c.changed)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
