// Package library finds and reads what a node archived: by words (app/find; without an index by title and address),
// by address, by who links to it, and as it looked (crawl/replay). It answers for a node that runs (Live) and from
// the files of one that does not (Open), alike. One asks at a time, so that reading never slows the crawl down.
package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/plain"
	"github.com/forage-net/forage/storage/index"
	"github.com/forage-net/forage/storage/warc/lookup"
)

// Library finds and reads what is archived, of a node that runs or of one that
// does not: it needs the archive's files alone. It implements api.Librarian. Its methods are safe for
// concurrent use; one call at a time reads, so that many do not take the disk from the crawl.
type Library struct {
	dir    string
	paths  config.Paths
	finder *find.Finder           // of a running node; nil elsewhere, and where there is no index
	hidden func(u crawl.URL) bool // of a running node; nil elsewhere
	live   bool                   // of a running node
	desk   chan struct{}          // has room for the one who reads
	saved  func() offShelf        // what the settings say of finding, of a node that does not run
}

// offShelf is what the settings of a node that does not run say of finding.
type offShelf struct {
	cfg    config.Config
	hidden func(u crawl.URL) bool
}

// Open returns the library of a node's archive.
func Open(paths config.Paths) *Library {
	return &Library{
		dir: paths.WARC(), paths: paths, desk: make(chan struct{}, 1),
		saved: sync.OnceValue(func() offShelf { return readShelf(paths) }),
	}
}

// Live returns the library of a node that runs: hidden reports what is never visited, and finder is nil if there is no
// search index.
func Live(paths config.Paths, hidden func(crawl.URL) bool, finder *find.Finder) *Library {
	return &Library{dir: paths.WARC(), paths: paths, desk: make(chan struct{}, 1), live: true, hidden: hidden,
		finder: finder}
}

// readShelf reads the settings of a node that does not run. Of what is wrong in them the defaults count: pages can be
// found all the same.
func readShelf(paths config.Paths) offShelf {
	cfg, err := config.Load(paths.Config)
	if err != nil {
		cfg, _ = config.Read(paths.Config)
	}
	shelf := offShelf{cfg: cfg, hidden: func(crawl.URL) bool { return false }}
	refusals, err := never.RefusalsOf(cfg, false)
	if err != nil {
		cfg.Safety.Blocklists = nil // one that cannot be read
		refusals, err = never.RefusalsOf(cfg, false)
	}
	if err == nil {
		shelf.hidden = func(u crawl.URL) bool { return refusals.Reason(u) != nil }
	}
	return shelf
}

// index returns the search index, nil if there is none; done is to be called in the end. Of a node that does not run
// it is opened for this call alone.
func (l *Library) index() (f *find.Finder, done func(), err error) {
	if l.live {
		return l.finder, func() {}, nil
	}
	if _, err := os.Stat(l.paths.Index()); errors.Is(err, fs.ErrNotExist) {
		return nil, func() {}, nil
	}
	shelf := l.saved()
	cfg := IndexConfig(l.paths, shelf.cfg)
	cfg.ReadOnly, cfg.Hidden = true, shelf.hidden
	if f, err = find.Open(cfg); errors.Is(err, index.ErrDamaged) {
		return nil, nil, ErrDamagedIndex
	} else if err != nil {
		return nil, nil, err
	}
	return f, func() { f.Close() }, nil
}

// ErrDamagedIndex says what to do where the search index of a node that does not run cannot be read. A node makes it
// again when it starts.
var ErrDamagedIndex = words.New("said.api.the-search-index-is-damaged", nil)

// Hides reports whether an address is never to be found.
func (l *Library) Hides(u crawl.URL) bool {
	if l.live {
		return l.hidden(u)
	}
	return l.saved().hidden(u)
}

// sit waits until nobody else reads; leave lets the next one.
func (l *Library) sit(ctx context.Context) (leave func(), err error) {
	select {
	case l.desk <- struct{}{}:
		return func() { <-l.desk }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Captures implements api.Librarian.
func (l *Library) Captures(ctx context.Context, url, before string, limit int) (api.CapturePage, error) {
	leave, err := l.sit(ctx)
	if err != nil {
		return api.CapturePage{}, err
	}
	defer leave()
	found, err := lookup.URL(ctx, l.dir, canonical(url), lookup.Bounds{Before: before, Limit: limit})
	if err != nil {
		return api.CapturePage{}, asCursorError(err)
	}
	page := api.CapturePage{Next: found.Next, Captures: make([]api.ArchivedCapture, len(found.Captures))}
	for i, c := range found.Captures {
		page.Captures[i] = api.ArchivedCapture{
			ID: c.ID, URL: c.URL, Time: c.Date, Status: c.Status, MIME: c.MIME, Bytes: c.Bytes,
			Title: plain.Line(c.Title), Revisit: c.Revisit,
		}
	}
	return page, nil
}

// canonical brings a URL that somebody typed into the form in which it is
// archived, as far as it can be read.
func canonical(url string) string {
	url = strings.TrimSpace(url)
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	u, err := crawl.ParseURL(url)
	if err != nil {
		return url
	}
	return u.String()
}

// asCursorError says what is wrong with a place in results.
func asCursorError(err error) error {
	if errors.Is(err, lookup.ErrNoCapture) {
		return &api.InputError{Err: words.New("said.api.before-must-be-the-next-of", nil)}
	}
	return err
}

var _ api.Librarian = (*Library)(nil)
