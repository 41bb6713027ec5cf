package find

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	texts "github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/index"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/lookup"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// everywhere is a scope that nothing is out of: the links of a page are what they are.
var everywhere = sync.OnceValue(func() *scope.Scope {
	s, err := scope.New(scope.Config{Depth: crawl.MaxDepth, Everywhere: true})
	if err != nil {
		panic(err) // a constant that is wrong
	}
	return s
})

// catchUp adds the pages of the archive that are not in the index yet. pace is called before each.
func (f *Finder) catchUp(ctx context.Context, pace func() error) error {
	from, missed, ok := f.trail.toRead()
	if !ok {
		return nil
	}
	size := bytesBetween(filesOf(f.cfg.Archive), from, index.Place{})
	meter := progress.Begin(ctx, texts.New("said.cli.work-reading-pages", nil), size, progress.Bytes)
	c := words.NewCounter()
	begin := capture.Position{File: from.File, Offset: from.Offset}
	err := warcfile.Scan(f.cfg.Archive, begin, func(s capture.Stored) error {
		if err := pace(); err != nil {
			return err
		}
		if f.trail.enough(placeOf(s.Position)) {
			return errEnough
		}
		meter.Add(s.Position.Length)
		if f.index.Due(f.commitPages) {
			if err := f.commit(); err != nil {
				return err
			}
			if f.index.Stats().Bytes >= f.cfg.Settings().MaxBytes {
				f.full.Store(true)
				return errLater
			}
			if _, err := f.index.Merge(ctx, pace); err != nil {
				return err
			}
		}
		if err := f.addStored(s, c); err != nil {
			return err
		}
		next := placeOf(s.Position.Next())
		f.trail.wrote(next)
		f.trail.advance(next, missed)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) && !errors.Is(err, record.ErrTorn) &&
		!errors.Is(err, record.ErrFormat) && !errors.Is(err, os.ErrNotExist) {
		return err // a damaged file has been read as far as it can be
	}
	f.trail.caughtUp(missed)
	return nil
}

// errEnough ends reading where the pages begin that came as they were fetched.
var errEnough = errors.New("the rest is known")

// addStored adds a page as the archive has it.
func (f *Finder) addStored(s capture.Stored, c *words.Counter) error {
	u, err := crawl.ParseURL(s.URL)
	if err != nil || isRobots(s.URL) {
		return nil
	}
	p := Page{URL: u, At: s.Position, Time: s.Date, Digest: s.PayloadDigest, NoIndex: s.NoIndex}
	if p.NoIndex {
		return f.add(p)
	}
	at := index.Place{File: s.Position.File, Offset: s.Position.RecordOffset}
	if len(s.Metadata) == 0 && strings.HasPrefix(s.MIME, "text/plain") {
		return nil // no answer to a task: a robots.txt to which a redirect led
	}
	if s.Status/100 != 2 || f.index.Has(hashOf(u.String()), at, s.Date) {
		return nil
	}
	response := s.Response
	if s.Revisit != nil {
		if response, err = f.original(*s.Revisit); err != nil {
			return nil // it is not in the archive any more
		}
	}
	r, err := fetch.ParseResponse(u, response)
	if err != nil {
		return nil // nothing that can be read
	}
	defer r.Release()
	c.Reset()
	_, page := answer.Read(crawl.Task{URL: u}, r, everywhere(), s.Date, &answer.Extras{Words: c})
	if p.NoIndex = page.NoIndex; page.Words == nil && !p.NoIndex || f.challenged(r) {
		return nil
	}
	p.Words, p.Links, p.Language = page.Words, page.Links, page.Language
	return f.add(p)
}

func (f *Finder) challenged(r *fetch.Response) bool {
	if f.cfg.Challenged == nil {
		return false
	}
	body, _ := r.Text() // what cannot be read says nothing
	return f.cfg.Challenged(r.Status, r.Header, body)
}

// original returns the response that a revisit stands for.
func (f *Finder) original(r capture.Refers) ([]byte, error) {
	u, err := crawl.ParseURL(r.URL)
	if err != nil {
		return nil, err
	}
	h, ok := f.index.Of(hashOf(u.String()), r.Date)
	if !ok {
		return nil, lookup.ErrNoCapture
	}
	s, err := warcfile.Read(f.cfg.Archive, position(h.Place))
	if err == nil && s.Revisit != nil {
		err = lookup.ErrNoCapture
	}
	return s.Response, err
}

func position(p index.Place) capture.Position {
	return capture.Position{File: p.File, RecordOffset: p.Offset}
}

func isRobots(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Path == "/robots.txt"
}

// there reports whether a file is in the archive.
func (f *Finder) there(name string) bool {
	for _, n := range []string{name, name + ".open"} {
		if _, err := os.Stat(filepath.Join(f.cfg.Archive, n)); err == nil || !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// CatchUp brings the index up to date with the archive, as far as it may grow, and writes it, also if ctx ends
// before: the next time goes on from there. Nothing else may be adding pages.
func (f *Finder) CatchUp(ctx context.Context) error {
	f.index.KeepFiles(f.there)
	err := f.catchUp(ctx, ctx.Err)
	if errors.Is(err, errLater) {
		err = nil // it takes what it may
	}
	if err = errors.Join(err, f.commit()); err != nil {
		return err
	}
	for {
		if merged, err := f.index.Merge(ctx, nil); err != nil || !merged {
			return err
		}
	}
}

// Remake makes an index again from its archive. If it ends before, with an error or with its process, what is
// there by then can be used, and the next CatchUp goes on with it. Nothing else may have the index open.
func Remake(ctx context.Context, cfg Config) (Status, error) {
	if err := index.Remove(cfg.Index); err != nil {
		return Status{}, err
	}
	f, err := Open(cfg)
	if err != nil {
		return Status{}, err
	}
	err = f.CatchUp(ctx)
	s := f.Status()
	s.Full = s.Bytes >= f.cfg.Settings().MaxBytes
	return s, errors.Join(err, f.Close())
}
