package nodeapi

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/requestlog"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/p2p/peerhost/identity"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// Reader answers questions about a node that does not run, from its files,
// which it does not change.
type Reader struct {
	paths    config.Paths
	db       *storage.DB
	frontier Books
	clock    *clock.Clock
	stats.Counter
}

// OpenReader opens the files of a node. The error is os.ErrNotExist if no
// node has run there, and storage.ErrLocked if one runs.
func OpenReader(paths config.Paths) (*Reader, error) {
	path := paths.Store()
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	db, err := storage.Open(path, storage.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	was, err := clock.Stored(db)
	if err != nil {
		db.Close()
		return nil, err
	}
	steady := clock.Open(was)
	return &Reader{
		paths: paths, db: db, frontier: OpenBooks(db, steady), clock: steady, Counter: stats.NewCounter(db),
	}, nil
}

// Close closes the files.
func (r *Reader) Close() error { return r.db.Close() }

// StatusIn says what is there, in a language.
func (r *Reader) StatusIn(_ context.Context, lang string) (api.Status, error) {
	t, err := r.frontier.Totals()
	if err != nil {
		return api.Status{}, err
	}
	stats, err := stats.Read(r.db, 0)
	if err != nil {
		return api.Status{}, err
	}
	files, bytes, err := ledger.ArchiveSize(r.paths.WARC())
	free, _, _ := ledger.RoomFor(r.paths)
	return api.Status{
		Identity: api.Identity{Version: crawl.Version, Network: r.network()},
		State:    "not running",
		Reasons:  []string{},
		Sentence: words.Text(lang, "status.not_running", nil),
		Consent:  r.consented(),
		Progress: api.Progress{Pages: int64(t.Fetched), BytesReceived: stats.Totals.BytesReceived,
			BytesSent: stats.Totals.BytesSent},
		Backlog:  api.Backlog{Domains: int64(t.Domains), Queued: int64(t.Queued), Known: int64(t.Known)},
		Leases:   int64(t.Leases),
		Holdings: api.Holdings{ArchiveDir: r.paths.WARC(), ArchiveFiles: files, ArchiveBytes: bytes, DiskFree: free},
		Index:    library.IndexStatus(r.paths),
	}, err
}

// Domains is as Overview.Domains.
func (r *Reader) Domains(ctx context.Context, after string, limit int) ([]api.Domain, error) {
	list, err := describeAll(api.Lang(ctx), r.frontier, r.clock, after, limit)
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(r.paths.Config)
	if err != nil {
		return nil, err
	}
	refusals, err := never.RefusalsOf(cfg, r.inLab())
	if err != nil {
		return nil, err
	}
	never.MarkRefused(api.Lang(ctx), list, refusals)
	return list, nil
}

// inLab reports whether the store is of a lab.
func (r *Reader) inLab() bool { return strings.HasPrefix(r.network(), membership.LabPrefix) }

// LimitHistory is as that of a node that runs, up to the end of the node's last run.
func (r *Reader) LimitHistory(ctx context.Context) (api.LimitHistory, error) {
	return limiter.ReadHistory(r.db, r.clock, api.Lang(ctx))
}

// Why is as that of a node that runs, from what it knew when it ended. No other member is asked.
func (r *Reader) Why(ctx context.Context, text string) (api.Why, error) {
	cfg, err := config.Load(r.paths.Config)
	if err != nil {
		return api.Why{}, err
	}
	g := Ground{
		Rules:    robots.NewCache(ledger.NewRobotsStore(r.db), 0),
		Identity: crawl.Identity{KeepTracking: cfg.URLs.KeepTracking, KeepSessions: cfg.URLs.KeepSessions},
		Calendar: r.clock.Latest,
		Stopped:  true,
	}
	refusals, err := never.RefusalsOf(cfg, r.inLab())
	if err != nil {
		return api.Why{}, err
	}
	g.Refusals = func() *scope.Refusals { return refusals }
	within := scope.Config{Patterns: cfg.Crawl.Scope, Depth: int(cfg.Crawl.Depth), Identity: g.Identity}
	if r.inLab() { // its names were in a file that is not known here
		within.Lab = func(string) bool { return true }
	}
	if g.Scope, err = scope.New(within); err != nil {
		return api.Why{}, config.WrongIn(r.paths.Config, "crawl.scope")
	}
	untrap, err := scope.NewPatterns(cfg.Crawl.Untrap)
	if err != nil {
		return api.Why{}, config.WrongIn(r.paths.Config, "crawl.untrap")
	}
	f := frontier.New(frontier.Config{
		Untrapped: untrap.Match, Items: swarm.Items{}, Now: r.clock.Now, Calendar: r.clock.Latest,
	})
	return g.answer(ctx, text, func(_ context.Context, u crawl.URL) (wire.WhyAnswer, string, error) {
		s, err := Read(r.frontier, func(tx *storage.Tx) (frontier.Standing, error) { return f.Standing(tx, u) })
		if errors.Is(err, frontier.ErrNotLed) {
			return wire.WhyAnswer{}, "", nil
		}
		return whyAnswerOf(s, false, r.clock.Now()), "", err
	})
}

// consented reports whether the user agreed to the present text.
func (r *Reader) consented() bool {
	cfg, _ := config.Read(r.paths.Config)
	return config.Consented(cfg)
}

// network returns the name of the network the store is of.
func (r *Reader) network() (name string) {
	r.db.View(func(tx *storage.Tx) error {
		name = NetworkOf(tx)
		return nil
	})
	return name
}

// keyNetwork is where a store keeps the name of the network it is of.
var keyNetwork = []byte("network")

// NetworkOf returns the name of the network that a store is of, "" if it has none yet.
func NetworkOf(tx *storage.Tx) string { return string(tx.Bucket(storage.BucketMeta).Get(keyNetwork)) }

// SetNetwork notes the name of the network that a store is of.
func SetNetwork(tx *storage.Tx, name string) error {
	return tx.Bucket(storage.BucketMeta).Put(keyNetwork, []byte(name))
}

// NodeName returns the peer ID of a node that may not run, as people write it; "" if it has none yet.
func NodeName(paths config.Paths) (string, error) {
	path := membership.KeyPath(paths.State)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	key, err := identity.LoadOrCreateKey(path)
	if err != nil {
		return "", err
	}
	id, err := peer.IDFromPrivateKey(key)
	return id.String(), err
}

// InUse reports whether a node runs on these files.
func InUse(paths config.Paths) bool {
	r, err := OpenReader(paths)
	if err == nil {
		r.Close()
	}
	return errors.Is(err, storage.ErrLocked)
}

// Never changes what a node that does not run never visits.
func Never(ctx context.Context, paths config.Paths, text string, undo bool) (api.NeverChange, error) {
	var wrong error
	domains := func(ctx context.Context, after string, limit int) ([]api.Domain, error) {
		r, err := OpenReader(paths)
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			wrong = err
			return nil, err
		}
		defer r.Close()
		return r.Domains(ctx, after, limit)
	}
	change, err := never.Change(ctx, paths.Config, text, undo, domains)
	return change, errors.Join(err, wrong)
}

// Requests is as that of a node that runs.
func (r *Reader) Requests(ctx context.Context, q api.RequestQuery) (api.RequestPage, error) {
	cfg, err := config.Load(r.paths.Config)
	if err != nil {
		return api.RequestPage{}, err
	}
	return requestlog.Read(ctx, requestlog.Dir(r.paths.State), cfg.Log.RequestsDays, q)
}

// RequestReport is as that of a node that runs.
func (r *Reader) RequestReport(ctx context.Context, days int) (string, error) {
	return requestlog.Report(ctx, requestlog.Dir(r.paths.State), r.network(), days, time.Now())
}
