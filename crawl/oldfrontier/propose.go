package frontier

import (
	"context"
	"fmt"

	"github.com/forage-net/forage/crawl"
)

// prepare divides the links of entries among this member and others, and checks
// the entries: one that is invalid must not end the log. Those given stay as
// they are.
func (f *Frontier) prepare(entries []Entry) ([]Entry, error) {
	prepared := make([]Entry, len(entries))
	for i, e := range entries {
		switch {
		case e.Enqueue != nil:
			q := *e.Enqueue
			q.Links, q.Out = f.divide(q.Links, q.Out)
			q.Ask, q.Date = f.asks(), f.notAhead(q.Date)
			e.Enqueue = &q
		case e.Settle != nil:
			s := *e.Settle
			s.Links, s.Out = f.divide(s.Links, s.Out)
			s.Ask = f.asks()
			e.Settle = &s
		}
		if err := e.validate(); err != nil {
			return nil, err
		}
		prepared[i] = e
	}
	return prepared, nil
}

// notAhead cuts a date in Unix seconds that others have told: one in the future
// would bring visits forward again and again.
func (f *Frontier) notAhead(date int64) int64 { return min(date, f.cfg.Calendar().Unix()) }

func (f *Frontier) asks() bool { return f.cfg.Ask != nil && f.cfg.Ask() }

// divide moves the links to domains of others behind out.
func (f *Frontier) divide(links, out []Link) (own, others []Link) {
	if f.cfg.Owns == nil {
		return links, out
	}
	for _, l := range links {
		if u, err := crawl.ParseURL(l.URL); err != nil || f.cfg.Owns(u.Domain()) {
			own = append(own, l)
		} else {
			out = append(out, l)
		}
	}
	return own, out
}

// divideAgain takes links out that would begin a domain of another member: entries
// wait for their commit, members come meanwhile, and the new owner was told that the
// domain is not here. The entries are this log's own copies.
func (f *Frontier) divideAgain(b *buckets, entries []Entry) {
	if f.cfg.Owns == nil {
		return
	}
	for _, e := range entries {
		switch {
		case e.Enqueue != nil:
			e.Enqueue.Links, e.Enqueue.Out = f.divideNew(b, e.Enqueue.Links, e.Enqueue.Out)
			e.Enqueue.Ask = f.asks()
		case e.Settle != nil:
			e.Settle.Links, e.Settle.Out = f.divideNew(b, e.Settle.Links, e.Settle.Out)
			e.Settle.Ask = f.asks()
		}
	}
}

// divideNew is divide for links to domains that are not here.
func (f *Frontier) divideNew(b *buckets, links, out []Link) (own, others []Link) {
	var begun []Link
	for _, l := range links {
		if u, err := crawl.ParseURL(l.URL); err == nil && b.domains.Get([]byte(u.Domain())) == nil {
			begun = append(begun, l)
		} else {
			own = append(own, l)
		}
	}
	begun, others = f.divide(begun, out)
	return append(own, begun...), others
}

// Await returns when what is being committed is: what comes after is divided by who
// owns what as of this call.
func (f *Frontier) Await() {
	f.committing <- struct{}{}
	<-f.committing
}

// prepareSettle makes an entry of an outcome, and returns how many bytes its
// links take.
func (f *Frontier) prepareSettle(o *crawl.Outcome, by string) (s *Settle, size int, err error) {
	links := make([]Link, 0, len(o.Outlinks))
	var out []Link
	for _, l := range o.Outlinks {
		if len(links)+len(out) >= maxLinks {
			break
		}
		if f.isOld(o, &l) {
			continue
		}
		link := linkOf(l)
		size += len(link.URL) + linkOverhead
		if f.cfg.Owns == nil || f.cfg.Owns(l.URL.Domain()) {
			links = append(links, link)
		} else {
			out = append(out, link)
		}
	}
	s = settleOf(*o, links)
	s.Out, s.By, s.Ask = out, by, f.asks()
	if by != "" {
		s.Date = f.notAhead(s.Date)
	}
	return s, size, s.validate()
}

// ProposeSoon is Propose for what can wait for the next commit: it returns when
// the entries are committed, which may take as long as Settle's.
func (f *Frontier) ProposeSoon(ctx context.Context, entries ...Entry) ([]Applied, error) {
	return f.proposeIn(ctx, whenever, entries)
}

// ProposeSometime is ProposeSoon for what nobody acts on. It may take three times as long as Settle.
func (f *Frontier) ProposeSometime(ctx context.Context, entries ...Entry) ([]Applied, error) {
	return f.proposeIn(ctx, sometime, entries)
}

func (f *Frontier) proposeIn(ctx context.Context, hurry haste, entries []Entry) ([]Applied, error) {
	prepared, err := f.prepare(entries)
	if err != nil {
		return nil, err
	}
	return f.wait(ctx, &proposal{entries: prepared, haste: hurry})
}

// Report is an outcome that another peer reports.
type Report struct {
	By      string // peer
	Outcome crawl.Outcome
}

// MaxReports is how many reports SettleAll takes at most.
const MaxReports = 1024

// SettleAll proposes the outcomes that other fetchers report, in one transaction, and returns
// when it is committed, which may take as long as Settle's. They are not given to Config.InCommit: that is
// for what this node has fetched. Entries that are to be applied behind them, as the ends of the leases, go
// with them. The error is ErrEntry, and nothing is proposed, if one of all
// is invalid.
func (f *Frontier) SettleAll(ctx context.Context, reports []Report, behind ...Entry) ([]Applied, error) {
	if len(reports) > MaxReports {
		return nil, fmt.Errorf("%w: %d reports", ErrEntry, len(reports))
	}
	entries := make([]Entry, len(reports))
	size := 0
	for i := range reports {
		s, n, err := f.prepareSettle(&reports[i].Outcome, reports[i].By)
		if err != nil {
			return nil, fmt.Errorf("report %d: %w", i, err)
		}
		entries[i].Settle = s
		size += n
	}
	behind, err := f.prepare(behind)
	if err != nil {
		return nil, err
	}
	if err := f.room.enter(ctx, size, maxWaiting, f.closed); err != nil {
		return nil, err
	}
	defer f.room.leave(size)
	// As with Release, only where gaps are short is the next lease worth a commit of its own.
	hurry := whenever
	if len(behind) > 0 {
		hurry = f.leaseHaste()
	}
	return f.wait(ctx, &proposal{entries: append(entries, behind...), haste: hurry})
}

// isOld reports whether a link surely changes nothing: its URL is known, says
// nothing new, and its domain was linked to from this one before.
func (f *Frontier) isOld(o *crawl.Outcome, l *crawl.Outlink) bool {
	if !l.Modified.IsZero() || !f.seen.has(l.URL.String()) {
		return false
	}
	to := l.URL.Domain()
	return to == o.Domain || f.seen.has(linkPair(o.Domain, to))
}

// linkPair stands for links from one domain to another in the cache of what was seen.
func linkPair(from, to crawl.Domain) string { return string(from) + " " + string(to) }

func linkOf(l crawl.Outlink) Link {
	link := Link{URL: l.URL.String(), Depth: l.Depth, Redirects: l.Redirects, Priority: l.Priority, Source: l.Source}
	if !l.Modified.IsZero() {
		link.Modified = l.Modified.Unix()
	}
	return link
}
