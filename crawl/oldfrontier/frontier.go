package frontier

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

const (
	// DefaultLeaseFor is how long a lease lasts at most.
	DefaultLeaseFor = 120 * time.Second

	// DefaultCommitEvery is how long what nobody waits for may wait to be
	// committed; haste.go says what waits longer where others keep the log too. Each commit
	// writes some 100 kB and syncs, whether it settles one page or fifty; a home node fetches a
	// page a second, and the archive keeps what is not committed yet.
	DefaultCommitEvery = 2 * time.Second
	// hurriedCommitEvery takes its place where a crawl runs faster than any on the public web.
	hurriedCommitEvery = 200 * time.Millisecond
	// commitEntries is how many entries are committed without waiting.
	commitEntries = 1024
	// retryEvery is the wait between attempts to commit while the disk refuses.
	retryEvery = time.Second
)

// ErrClosed is returned for proposals after Serve has ended.
var ErrClosed = errors.New("frontier: closed")

// Config says how a Frontier works.
type Config struct {
	// LogID names the log within the store.
	LogID string
	// Log makes entries durable; nil means that this store alone keeps them.
	Log Log
	// Politeness decides the gaps.
	Politeness crawl.Politeness
	// Members is how many members should keep the log: while some are missing that it
	// began anew without, every gap is as many times as long. 0 means one.
	Members int
	// LeaseFor is how long leases last; 0 means DefaultLeaseFor.
	LeaseFor time.Duration
	// Budget bounds what is taken in of one domain.
	Budget Budget
	// Revisit says when pages are visited again.
	Revisit Revisit
	// Now is the clock of gaps, leases and back-off; nil means time.Now.
	Now func() time.Time
	// Calendar is the clock of what is days away: visits of pages that were
	// visited before, and of retired domains. It may run ahead of Now; nil
	// means Now.
	Calendar func() time.Time
	// Owns, if set, says which domains are this member's. It is asked when links
	// are proposed; those to the domains of others go into the outbox.
	Owns func(crawl.Domain) bool
	// Ask, if set, says whether others are to be asked about domains first heard
	// of before they are leased. It is asked when links are proposed.
	Ask func() bool
	// OutboxMax is how many links wait for their owners at most; 0 means
	// DefaultOutboxMax.
	OutboxMax int
	// BeforeCommit, if set, runs before every commit: what a commit relies on
	// (the archive) is synced here.
	BeforeCommit func() error
	// InCommit, if set, runs in the transaction of what this member has proposed. It may run again if
	// the commit has to be repeated.
	InCommit func(tx *storage.Tx, c Committed) error
	// Mended, if set, runs in the transaction of Repair if that has changed anything of the log, which Unsure
	// may be called in.
	Mended func(tx *storage.Tx) error
	// AppliedLate, if set, runs in the transaction with the outcomes of the log's owner that it settles and
	// that came otherwise: proposed by an earlier run, or when another member led the log. Of the prior visit
	// of a task it is only told that there was one, Links counts those that were worth an entry, and
	// the language is not known.
	AppliedLate func(tx *storage.Tx, outcomes []crawl.Outcome) error
	// Hungry, if set, reports whether the fetcher of this node has next to nothing to do. While it has more, ends of
	// leases wait a little longer for company where others keep the log too. It must not block.
	Hungry func() bool
	// Trouble, if set, is told when commits fail, and with nil when they
	// succeed again.
	Trouble func(error)

	// piece is how many keys an entry, or a commit, deletes or moves for domains
	// that move; 0 means pieceKeys.
	piece int
	// commitEvery is how long a proposal that is not urgent may wait; 0 means what suits the gaps.
	commitEvery time.Duration
}

// Frontier is one log and the state it makes.
type Frontier struct {
	room       *room // for the links of outcomes that wait
	db         *storage.DB
	log        Log
	cfg        Config
	seen       *seen
	in         chan *proposal
	closed     chan struct{}
	changed    chan struct{}
	wake       chan struct{}          // told when this member begins to lead the log
	pending    atomic.Int64           // entries proposed and not committed
	chores     atomic.Bool            // moves have left something to do
	committing chan struct{}          // full during a commit
	looked     atomic.Pointer[[]byte] // the key of the order of due times where the next Pick begins
	desk       slotDesk
	batches    batches
	lastCommit time.Time // when Serve last began one
	metaMu     sync.Mutex
	metaRaw    []byte // what metaRead was read from
	metaRead   metaRecord
}

// proposal is a group of entries on its way into the log.
type proposal struct {
	entries  []Entry
	outcomes []crawl.Outcome
	local    func(*machine) error // a change of this member's own buckets
	haste    haste
	ended    time.Time // when the lease was given back that its first entry ends, by Config.Now
	done     func([]Applied, error)
}

// Open opens the log in a store, making it if it is not there.
func Open(db *storage.DB, cfg Config) (*Frontier, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Calendar == nil {
		cfg.Calendar = cfg.Now
	}
	if cfg.LeaseFor == 0 {
		cfg.LeaseFor = DefaultLeaseFor
	}
	if cfg.piece == 0 {
		cfg.piece = pieceKeys
	}
	if cfg.OutboxMax == 0 {
		cfg.OutboxMax = DefaultOutboxMax
	}
	if cfg.commitEvery == 0 {
		cfg.commitEvery = DefaultCommitEvery
		if cfg.isHurried() {
			cfg.commitEvery = hurriedCommitEvery
		}
	}
	cfg.Budget, cfg.Revisit = cfg.Budget.orDefaults(), cfg.Revisit.orDefaults()
	f := &Frontier{db: db, cfg: cfg, seen: newSeen(), in: make(chan *proposal, 256), closed: make(chan struct{}),
		changed: make(chan struct{}, 1), wake: make(chan struct{}, 1), committing: make(chan struct{}, 1), room: newRoom()}
	if f.log = cfg.Log; f.log == nil {
		f.log = alone{f}
	}
	err := db.Update(func(tx *storage.Tx) error {
		if err := createBuckets(tx, cfg.LogID); err != nil {
			return err
		}
		if err := upgrade(tx, &cfg); err != nil {
			return err
		}
		more, err := hasChores(tx, cfg.LogID)
		f.chores.Store(more)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open frontier: %w", err)
	}
	return f, nil
}

// OpenReadOnly gives access to the log of a node that does not run. Only the
// methods that read may be called.
func OpenReadOnly(db *storage.DB, logID string) *Frontier {
	return &Frontier{db: db, cfg: Config{LogID: logID, Now: time.Now, Calendar: time.Now, LeaseFor: DefaultLeaseFor}}
}

// Propose makes entries durable and applies them, all in one transaction. It
// returns when they are committed. Nothing is proposed if one is invalid: the
// error is ErrEntry or ErrItem.
func (f *Frontier) Propose(ctx context.Context, entries ...Entry) ([]Applied, error) {
	p, err := f.Begin(ctx, entries...)
	if err != nil {
		return nil, err
	}
	return p.Wait(ctx)
}

// Begin is Propose that does not wait for the commit.
func (f *Frontier) Begin(ctx context.Context, entries ...Entry) (*Pending, error) {
	entries, err := f.prepare(entries)
	if err != nil {
		return nil, err
	}
	return f.begin(ctx, &proposal{entries: entries, haste: atOnce})
}

// wait proposes and returns when it is committed.
func (f *Frontier) wait(ctx context.Context, p *proposal) ([]Applied, error) {
	pending, err := f.begin(ctx, p)
	if err != nil {
		return nil, err
	}
	return pending.Wait(ctx)
}

// Settle proposes an outcome and returns without waiting for the commit,
// after which done is called, or when it has failed (neither if the frontier closes before).
// It waits while the log is behind.
func (f *Frontier) Settle(ctx context.Context, o crawl.Outcome, done func(Applied, error)) error {
	s, size, err := f.prepareSettle(&o, "")
	if err != nil {
		return err // one bad outcome must not end the log
	}
	o.Outlinks = nil // they are in the entry
	if err := f.room.enter(ctx, size, maxWaiting, f.closed); err != nil {
		return err
	}
	err = f.submit(ctx, &proposal{
		entries: []Entry{{Settle: s}}, outcomes: []crawl.Outcome{o}, haste: shown,
		done: func(applied []Applied, err error) {
			f.room.leave(size)
			switch {
			case done == nil:
			case err != nil:
				done(Applied{}, err)
			default:
				done(applied[0], nil)
			}
		},
	})
	if err != nil {
		f.room.leave(size)
	}
	return err
}

// Release proposes the end of a lease and returns without waiting; failed, if not nil, is
// called if it comes to nothing. Only where gaps are short is the next lease
// worth a commit of its own.
func (f *Frontier) Release(ctx context.Context, l crawl.Lease, failed func(error)) error {
	return f.submit(ctx, &proposal{
		entries: []Entry{{Release: &Release{Lease: l.ID, Domain: l.Domain, CrawlDelay: l.CrawlDelay}}}, haste: f.leaseHaste(), ended: f.cfg.Now(),
		done: func(_ []Applied, err error) {
			if err != nil && failed != nil {
				failed(err)
			}
		},
	})
}

// Wake ends the holds that Pick found over, and puts the pages and domains into
// the queue whose time has come.
func (f *Frontier) Wake(ctx context.Context, p Picked) error {
	if len(p.held) == 0 && len(p.later) == 0 {
		return nil
	}
	_, err := f.wait(ctx, &proposal{entries: p.wakings, haste: atOnce, local: func(m *machine) error {
		for _, host := range p.held {
			if err := m.unhold(host); err != nil {
				return err
			}
		}
		for _, l := range p.later {
			if err := m.b.later.Delete(l.key); err != nil {
				return err
			}
			if l.put != nil {
				if err := m.b.later.Put(l.put, []byte{}); err != nil {
					return err
				}
			}
		}
		return nil
	}})
	return err
}

func (f *Frontier) submit(ctx context.Context, p *proposal) error {
	n := int64(len(p.entries))
	f.pending.Add(n)
	select {
	case f.in <- p:
		return nil
	case <-ctx.Done():
		f.pending.Add(-n)
		return ctx.Err()
	case <-f.closed:
		f.pending.Add(-n)
		return ErrClosed
	}
}

// Changed receives after commits: something may be due that was not. It holds
// one signal, so it is for one reader.
func (f *Frontier) Changed() <-chan struct{} { return f.changed }

// Pending returns how many entries were proposed and are not yet committed.
func (f *Frontier) Pending() int { return int(f.pending.Load()) }
