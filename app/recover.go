package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage/warc"
)

// recover settles what an earlier run fetched and could not settle: it reads
// the archive from the checkpoint on and takes outcomes and outlinks from the
// records, so that nothing is requested a second time. Then it gives back the
// leases that run held.
func (n *Node) recover(ctx context.Context) error {
	leases, err := n.frontier.Leases()
	if err != nil {
		return fmt.Errorf("read leases: %w", err)
	}
	if len(leases) == 0 {
		return nil
	}
	open := make(map[string]crawl.Outcome)
	for _, l := range leases {
		for _, t := range l.Tasks {
			open[t.URL.String()] = crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: t}
		}
	}
	found, err := n.settleFromArchive(ctx, open)
	if err != nil {
		return err
	}
	entries := make([]frontier.Entry, len(leases))
	for i, l := range leases {
		entries[i].Release = &frontier.Release{Lease: l.ID, Domain: l.Domain}
	}
	if _, err := n.frontier.Propose(ctx, entries...); err != nil {
		return fmt.Errorf("give leases back: %w", err)
	}
	n.log.Info("Recovered from an interrupted run", "leases", len(leases), "pages_from_archive", found)
	return nil
}

func (n *Node) settleFromArchive(ctx context.Context, open map[string]crawl.Outcome) (found int, err error) {
	from, err := n.archivist.start()
	if err != nil {
		return 0, err
	}
	err = warc.Scan(n.opts.Paths.WARC(), from, func(c warc.StoredCapture) error {
		claim, ok := open[c.URL]
		if !ok {
			return nil
		}
		o, err := n.outcomeOf(c, claim)
		if err != nil {
			n.log.Warn("Record in the archive cannot be used; the page will be fetched again", "url", c.URL, "error", err)
			return nil
		}
		delete(open, c.URL)
		found++
		n.archivist.note(n.archivist.begin(), c.Position, c.Capture, &o)
		return n.owner.Settle(ctx, o)
	})
	if errors.Is(err, warc.ErrTorn) || errors.Is(err, warc.ErrFormat) {
		n.log.Warn("Archive is damaged; what could not be read will be fetched again", "error", err)
		err = nil
	}
	return found, err
}

// outcomeOf makes the outcome of a task from the record of its capture.
func (n *Node) outcomeOf(c warc.StoredCapture, claim crawl.Outcome) (crawl.Outcome, error) {
	raw, duplicate := c.Response, false
	if c.Revisit != nil {
		// Only the head was stored. The body is that of the first capture.
		ref, ok := n.archivist.first(c.PayloadDigest)
		if !ok {
			return claim, errors.New("the first capture of its payload is not known")
		}
		var err error
		pos := warc.Position{File: ref.File, RecordOffset: ref.Offset}
		if raw, err = warc.ReadResponse(n.opts.Paths.WARC(), pos); err != nil {
			return claim, err
		}
		duplicate = true
	}
	r, err := fetch.ParseResponse(claim.Task.URL, raw)
	if err != nil {
		return claim, err
	}
	defer r.Release()
	r.Started, r.Truncated = c.Date, c.Truncated
	o, _ := worker.Read(claim.Task, r, n.scope, time.Now())
	o.Lease, o.Domain, o.Duplicate = claim.Lease, claim.Domain, duplicate
	// The gap that follows is that of a page just fetched.
	_, rules, _ := n.rules.Get(time.Now(), claim.Task.URL.Origin())
	o.CrawlDelay = rules.CrawlDelay()
	for _, f := range c.Metadata {
		if ms, err := strconv.ParseInt(f[1], 10, 32); f[0] == "fetchTimeMs" && err == nil && ms > 0 {
			o.Took = time.Duration(ms) * time.Millisecond
		}
	}
	return o, nil
}
