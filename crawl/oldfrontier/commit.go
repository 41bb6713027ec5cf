package frontier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// errGivenUp ends Serve when it shall end and the disk still refuses.
var errGivenUp = errors.New("commit given up")

// Serve commits what is proposed until ctx is done, and then once more what
// was proposed before. It returns another error only if the store is damaged.
func (f *Frontier) Serve(ctx context.Context) error {
	defer close(f.closed)
	for {
		batch, more := f.gather(ctx)
		if len(batch) > 0 || more && f.hasChores() {
			f.lastCommit = time.Now()
			if err := f.commitUntilDone(ctx, batch); errors.Is(err, errGivenUp) {
				return nil
			} else if err != nil {
				return fmt.Errorf("commit: %w", err)
			}
		}
		if !more {
			return nil
		}
	}
}

// gather collects proposals: until one is due (Frontier.due) and no other is at hand, or until there are
// many. more is false when ctx is done and nothing is left.
func (f *Frontier) gather(ctx context.Context) (batch []*proposal, more bool) {
	var due time.Time // zero while nothing is
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	entries := 0
	for entries < commitEntries {
		var p *proposal
		select {
		case p = <-f.in:
		default:
			if !due.IsZero() && !time.Now().Before(due) || f.hasChores() && ctx.Err() == nil {
				return batch, true
			}
			select {
			case p = <-f.in:
			case <-timer.C:
				continue
			case <-f.wake:
				continue
			case <-ctx.Done():
				return f.drain(batch), false
			}
		}
		if at := f.due(p); due.IsZero() || at.Before(due) {
			due = at
			timer.Reset(time.Until(due))
		}
		batch = append(batch, p)
		entries += len(p.entries)
	}
	return batch, true
}

func (f *Frontier) drain(batch []*proposal) []*proposal {
	for {
		select {
		case p := <-f.in:
			batch = append(batch, p)
		default:
			return batch
		}
	}
}

// commitUntilDone commits a batch, however often it takes: a full disk is a
// state that passes, and what was fetched must not be lost to it. What no entry of the log has room
// for fails alone. When ctx is done it tries once and leaves the rest to recovery.
func (f *Frontier) commitUntilDone(ctx context.Context, batch []*proposal) error {
	troubled := false
	for {
		within, cancel := outlast(ctx)
		applied, failed, err := f.commit(within, batch)
		cancel()
		f.answer(batch[:len(applied)], applied, nil)
		batch = batch[len(applied):]
		switch {
		case errors.Is(err, ErrTooLarge) && failed < len(batch):
			f.answer(batch[:failed], nil, err)
			batch = batch[failed:]
			continue
		case err == nil, errors.Is(err, ErrNotLed), errors.Is(err, ErrTooLarge):
			if troubled && f.cfg.Trouble != nil {
				f.cfg.Trouble(nil)
			}
			if err != nil && len(batch) == 0 { // chores wait until the lead is handed over, or not
				select {
				case <-ctx.Done():
				case <-f.wake:
				case <-time.After(companyFor):
				}
			}
			f.answer(batch, nil, err)
			return nil
		case !passes(err) || ctx.Err() != nil:
			// What comes after must not be committed without it.
			f.answer(f.drain(batch), nil, err)
			if ctx.Err() != nil {
				return errGivenUp
			}
			return err
		}
		if troubled = true; f.cfg.Trouble != nil {
			f.cfg.Trouble(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryEvery):
		}
	}
}

// lastCommit is how long the last commit may wait for other members.
const lastCommit = 5 * time.Second

// outlast returns a context that ends a while after ctx.
func outlast(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(lastCommit)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); cancel() }
}

// passes reports whether an error is of the disk's making and may pass.
func passes(err error) bool {
	for _, e := range passing {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (f *Frontier) answer(batch []*proposal, applied [][]Applied, err error) {
	for i, p := range batch {
		f.pending.Add(-int64(len(p.entries)))
		if err != nil {
			p.done(nil, err)
		} else {
			p.done(applied[i], nil)
		}
	}
}

// commit makes a batch durable, in as many entries of the log as it takes. It returns what came of those of its
// proposals that are committed, which are the first; if an entry fails, how many of the next were in it, and why.
func (f *Frontier) commit(ctx context.Context, batch []*proposal) (applied [][]Applied, failed int, err error) {
	if f.cfg.BeforeCommit != nil {
		if err := f.cfg.BeforeCommit(); err != nil {
			return nil, 0, err
		}
	}
	f.committing <- struct{}{}
	defer func() { <-f.committing }()
	for first := true; first || len(batch) > 0; first = false {
		c, err := f.enter(batch)
		if err != nil {
			return applied, 0, err
		}
		if err := f.log.Propose(ctx, c.data, c); err != nil {
			return applied, len(c.proposals), err
		}
		if c.stale {
			continue
		}
		applied = append(applied, c.applied...)
		batch = batch[len(c.proposals):]
	}
	return applied, 0, nil
}

// maxBatch is how many bytes of proposals go into one entry of the log; a larger
// one goes alone.
const maxBatch = 512 << 10

// commitment is an entry of the log on its way, with what its proposer alone knows of it.
type commitment struct {
	proposals []*proposal
	data      []byte
	applied   [][]Applied
	stale     bool // it came to nothing, and is to be made again
}

// enter makes an entry of the log of the first proposals of a batch.
func (f *Frontier) enter(batch []*proposal) (*commitment, error) {
	c := new(commitment)
	err := f.view(func(b *buckets) error {
		domain := readOnce(b)
		w := newPacker(f.cfg.Calendar().UnixMilli(), newPlacer(b, domain))
		for _, p := range batch {
			f.divideAgain(b, p.entries)
			if !p.ended.IsZero() {
				p.entries[0].Release.Ago = max(f.cfg.Now().Sub(p.ended), 0).Truncate(time.Millisecond)
			}
			if err := f.spare(b, domain, p.entries); err != nil {
				return err
			}
			before := w.mark()
			if err := w.proposal(p.entries); err != nil {
				return fmt.Errorf("encode entries: %w", err)
			}
			if len(w.text)+len(w.beside) > maxBatch && len(c.proposals) > 0 {
				w.back(before)
				break
			}
			c.proposals = append(c.proposals, p)
		}
		meta, err := b.readMeta()
		if err != nil {
			return err
		}
		c.data, err = f.batches.encode(w, &meta, f.log.Shared())
		return err
	})
	return c, err
}

// readOnce returns a function that reads records of domains and keeps them.
func readOnce(b *buckets) func(crawl.Domain) (*domainRecord, bool, error) {
	records := make(map[crawl.Domain]*domainRecord)
	return func(name crawl.Domain) (*domainRecord, bool, error) {
		if r, ok := records[name]; ok {
			return r, r != nil, nil
		}
		r, ok, err := b.readDomain(name)
		if err != nil || !ok {
			if err == nil {
				records[name] = nil
			}
			return nil, false, err
		}
		records[name] = &r
		return &r, true, nil
	}
}

// LogEntry is an entry of the log that is to be applied.
type LogEntry struct {
	Data []byte // as Propose was given it
	// Heard is when this member got it, by Config.Now: what it says of durations counts from then, since it had
	// begun before; zero means now.
	Heard time.Time
	Mine  any // what Propose was given with it, nil on other members
}

// Apply brings entries of the log into the store; it is for the log alone, which calls it in the
// transaction that makes them final, on every member in the same order. Several together change the store as they do
// one by one, and write less.
func (f *Frontier) Apply(tx *storage.Tx, entries ...LogEntry) error {
	m, err := newMachine(tx, &f.cfg)
	if err != nil {
		return err
	}
	now, own := m.now, false
	var done []finished
	for _, e := range entries {
		if m.now = now; !e.Heard.IsZero() {
			m.now = min(now, e.Heard.UnixNano())
		}
		end, err := f.applyEntry(m, e)
		if err != nil {
			return err
		}
		if err := m.seal(); err != nil {
			return err
		}
		done = append(done, end)
		own = own || end.own
	}
	if err := m.flush(); err != nil {
		return err
	}
	if !own {
		if err := m.dropStale(); err != nil {
			return fmt.Errorf("end places of visits: %w", err)
		}
	}
	for _, end := range done {
		if err := f.tell(tx, m, end); err != nil {
			return err
		}
	}
	return nil
}

// Encode returns the data of an entry of the log for Apply in the same transaction, where nothing is proposed.
func (f *Frontier) Encode(tx *storage.Tx, e Entry) ([]byte, error) {
	m, err := newMachine(tx, &f.cfg)
	if err != nil {
		return nil, err
	}
	w := newPacker(f.cfg.Calendar().UnixMilli(), newPlacer(&m.b, m.domain))
	if err := w.proposal([]Entry{e}); err != nil {
		return nil, fmt.Errorf("encode entry: %w", err)
	}
	return f.batches.encode(w, &m.meta, false)
}

// finished is what is to be told of an entry that was applied.
type finished struct {
	own, stale, more bool
	Committed
}

// applyEntry applies one entry.
func (f *Frontier) applyEntry(m *machine, e LogEntry) (end finished, err error) {
	b, err := f.batches.decode(e.Data, &m.meta, newPlacer(&m.b, m.domain))
	if err != nil {
		return end, err
	}
	m.meta.count(&b)
	c, _ := e.Mine.(*commitment)
	end.own, end.stale = c != nil, b.stale
	if c != nil {
		c.stale = b.stale
	}
	if b.stale {
		return end, nil
	}
	if c != nil {
		c.applied = make([][]Applied, len(b.parts))
	}
	came := m.came
	for i, part := range b.parts {
		if c != nil {
			if local := c.proposals[i].local; local != nil {
				if err := local(m); err != nil {
					return end, err
				}
			}
		}
		applied, err := m.applyAll(part)
		if err != nil {
			return end, err
		}
		if c == nil {
			end.Outcomes = f.late(end.Outcomes, part, applied)
			continue
		}
		c.applied[i] = applied
		for j, o := range c.proposals[i].outcomes {
			if applied[j].Settled {
				end.Outcomes = append(end.Outcomes, o)
			}
		}
		for _, a := range applied {
			end.Found += a.New
		}
	}
	if end.more, err = m.chores(); err != nil {
		return end, fmt.Errorf("go on with moves: %w", err)
	}
	end.Domains = m.came - came
	return end, nil
}

// tell tells of an entry that was applied, in the transaction and after it.
func (f *Frontier) tell(tx *storage.Tx, m *machine, end finished) error {
	if end.stale {
		return nil
	}
	tx.OnCommit(func() { f.applied(m, end.more, end.own) })
	switch {
	case end.own && f.cfg.InCommit != nil:
		return f.cfg.InCommit(tx, end.Committed)
	case !end.own && len(end.Outcomes) > 0:
		return f.cfg.AppliedLate(tx, end.Outcomes)
	}
	return nil
}

// late appends the outcomes of the log's owner among entries that were applied.
func (f *Frontier) late(outcomes []crawl.Outcome, entries []Entry, applied []Applied) []crawl.Outcome {
	if f.cfg.AppliedLate == nil {
		return nil
	}
	for i, e := range entries {
		s := e.Settle
		if s == nil || s.By != "" || !applied[i].Settled {
			continue
		}
		u, err := crawl.ParseURL(s.URL)
		if err != nil {
			continue // it was one when it was proposed
		}
		o := crawl.Outcome{
			Lease: s.Lease, Domain: s.Domain, Task: crawl.Task{ID: crawl.TaskID(s.Task), URL: u}, Result: s.Result, Status: s.Status,
			Date: time.Unix(s.Date, 0), Duplicate: s.Duplicate, Title: s.Title, Received: s.Received, Links: len(s.Links) + len(s.Out),
		}
		if applied[i].Revisit {
			o.Task.Prior = new(crawl.Prior)
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// Committed is what a transaction has brought.
type Committed struct {
	// Outcomes are those that this node had proposed and that settled their tasks.
	Outcomes []crawl.Outcome
	// Found is how many URLs were taken in, Domains how many domains became this log's: first
	// heard of, or come from another log.
	Found, Domains int
}

// applied notes what a committed entry has changed. What others have proposed is
// not worth room in the cache.
func (f *Frontier) applied(m *machine, more, own bool) {
	if m.forgot {
		f.seen.clear()
	}
	if own {
		for _, url := range m.taken {
			f.seen.add(url)
		}
	}
	f.chores.Store(more)
	select {
	case f.changed <- struct{}{}:
	default:
	}
}
