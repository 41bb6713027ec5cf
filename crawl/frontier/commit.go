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
		if len(batch) > 0 || more && f.chores.Load() {
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

// gather collects proposals: until one is urgent and no other is at hand,
// until there are many, or until the oldest has waited for commitEvery. more
// is false when ctx is done and nothing is left.
func (f *Frontier) gather(ctx context.Context) (batch []*proposal, more bool) {
	var deadline <-chan time.Time
	entries, urgent := 0, false
	for entries < commitEntries {
		var p *proposal
		select {
		case p = <-f.in:
		default:
			if urgent || f.chores.Load() && ctx.Err() == nil {
				return batch, true
			}
			select {
			case p = <-f.in:
			case <-deadline:
				return batch, true
			case <-ctx.Done():
				return f.drain(batch), false
			}
		}
		if deadline == nil {
			timer := time.NewTimer(f.commitEvery)
			defer timer.Stop()
			deadline = timer.C
		}
		batch = append(batch, p)
		entries += len(p.entries)
		urgent = urgent || p.urgent
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
// state that passes, and what was fetched must not be lost to it. When ctx is done it tries
// once and leaves the rest to recovery.
func (f *Frontier) commitUntilDone(ctx context.Context, batch []*proposal) error {
	for troubled := false; ; troubled = true {
		applied, err := f.commit(batch)
		if err == nil {
			if troubled && f.cfg.Trouble != nil {
				f.cfg.Trouble(nil)
			}
			f.answer(batch, applied, nil)
			select {
			case f.changed <- struct{}{}:
			default:
			}
			return nil
		}
		if !passes(err) || ctx.Err() != nil {
			// What comes after must not be committed without it.
			f.answer(f.drain(batch), nil, err)
			if ctx.Err() != nil {
				return errGivenUp
			}
			return err
		}
		if f.cfg.Trouble != nil {
			f.cfg.Trouble(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryEvery):
		}
	}
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

// commit applies a batch in one transaction.
func (f *Frontier) commit(batch []*proposal) ([][]Applied, error) {
	if f.cfg.BeforeCommit != nil {
		if err := f.cfg.BeforeCommit(); err != nil {
			return nil, err
		}
	}
	f.committing.Lock()
	defer f.committing.Unlock()
	applied := make([][]Applied, len(batch))
	var taken []string
	more, forgot := false, false
	err := f.db.Update(func(tx *storage.Tx) error {
		m, err := newMachine(tx, &f.cfg)
		if err != nil {
			return err
		}
		var outcomes []crawl.Outcome
		found := 0
		for i, p := range batch {
			f.divideAgain(m, p.entries)
			if applied[i], err = f.applyProposal(m, p); err != nil {
				return err
			}
			for j, o := range p.outcomes {
				if applied[i][j].Settled {
					outcomes = append(outcomes, o)
				}
			}
			for _, a := range applied[i] {
				found += a.New
			}
		}
		if more, err = m.chores(); err != nil {
			return fmt.Errorf("go on with moves: %w", err)
		}
		if err := m.flush(); err != nil {
			return err
		}
		taken, forgot = m.taken, m.forgot
		if f.cfg.InCommit != nil {
			return f.cfg.InCommit(tx, outcomes, found)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if forgot {
		f.seen.clear()
	}
	for _, url := range taken {
		f.seen.add(url)
	}
	f.chores.Store(more)
	return applied, nil
}

// applyProposal takes entries through their encoded form, as every member of a log will.
func (f *Frontier) applyProposal(m *machine, p *proposal) ([]Applied, error) {
	if p.local != nil {
		if err := p.local(m); err != nil {
			return nil, err
		}
	}
	data, err := encodeEntries(p.entries)
	if err != nil {
		return nil, fmt.Errorf("encode entries: %w", err)
	}
	return m.apply(data)
}
