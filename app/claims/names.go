package claims

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// lookEvery is how often the DNS of a site is asked where the token was there the last time.
	lookEvery = 24 * time.Hour
	// firstRetry is the wait where it was not, or nobody answered; each further one in a row is twice as long, up to
	// lookEvery. Somebody may be about to put it there.
	firstRetry = 5 * time.Minute
	// mayWait is how often it is looked whether packets may be sent, where they may not.
	mayWait = time.Minute
	// lookFor is how long an answer is waited for.
	lookFor = 10 * time.Second
	// maxTexts and maxText bound what of an answer is looked at: its texts, and the bytes of one.
	maxTexts = 64
	maxText  = 255
)

// Names asks the DNS. *net.Resolver is one.
type Names interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Serve asks the DNS for tokens until ctx is done: at first, when the list changes, and then about once a day.
func (c *Book) Serve(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.listed:
			c.hurry()
		case <-timer.C:
		}
		if wait, any := c.look(ctx); any {
			timer.Reset(pulse.Within(wait))
		} else {
			timer.Stop()
		}
	}
}

// hurry has all domains asked for at once.
func (c *Book) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sites {
		s.next, s.failures = time.Time{}, 0
	}
}

// look asks for the domains whose time has come, and returns how long to wait for the next; any is false if there is
// nothing to wait for.
func (c *Book) look(ctx context.Context) (wait time.Duration, any bool) {
	if c.cfg.Names == nil {
		return 0, false
	}
	wait = lookEvery
	for _, s := range c.Sites() {
		left := c.lookAt(ctx, s.Domain)
		wait, any = min(wait, max(left, time.Second)), true
	}
	return wait, any
}

// lookAt asks for one domain if its time has come, and returns how long it is until it has again.
func (c *Book) lookAt(ctx context.Context, d crawl.Domain) time.Duration {
	c.mu.Lock()
	s := c.find(d)
	var left time.Duration
	if s != nil {
		left = s.next.Sub(c.cfg.Now())
	}
	c.mu.Unlock()
	switch {
	case s == nil || ctx.Err() != nil:
		return lookEvery
	case left > 0 && left <= lookEvery: // more is a clock that was set back
		return left
	case c.cfg.May != nil && !c.cfg.May(d):
		return mayWait
	}
	there, known := c.ask(ctx, d)
	if ctx.Err() != nil {
		return lookEvery // nothing was learned
	}
	if known {
		c.saw(d, c.cfg.Now(), there, DNS)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if there {
		s.failures, left = 0, lookEvery
	} else {
		left = min(firstRetry<<min(s.failures, 16), lookEvery)
		s.failures++
	}
	s.next = c.cfg.Now().Add(left)
	return left
}

// ask reports whether the DNS of a domain names this node; known is false if it did not say.
func (c *Book) ask(ctx context.Context, d crawl.Domain) (there, known bool) {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	texts, err := c.cfg.Names.LookupTXT(ctx, RecordName(d)+".") // with a dot at its end no search list applies
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return false, true
	}
	if err != nil {
		return false, false
	}
	for _, text := range texts[:min(len(texts), maxTexts)] {
		if readText(text) == c.cfg.Node {
			return true, true
		}
	}
	return false, true
}

// recordKey begins the text of a token in the DNS.
const recordKey = "forage-node="

// readText returns the node that the text of a record names, "" if it names none.
func readText(text string) string {
	if len(text) > maxText {
		return ""
	}
	text = strings.TrimSpace(text)
	if len(text) < len(recordKey) || !strings.EqualFold(text[:len(recordKey)], recordKey) {
		return ""
	}
	return strings.TrimSpace(text[len(recordKey):])
}

// RecordName returns the name of the record that proves a claim on a domain, and Record its text for a node.
func RecordName(d crawl.Domain) string { return "_forage." + string(d) }
func Record(node string) string        { return recordKey + node }

// RobotsLine returns the line of a robots.txt that proves a claim for a node.
func RobotsLine(node string) string { return "# forage-node: " + node }
