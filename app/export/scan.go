package export

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// pageReader reads the pages of an archive again, as the crawl did, but without
// the scope that it had.
type pageReader struct {
	wishes     *wishes
	everything *scope.Scope
	leftOut    export.LeftOut
}

func newPageReader(ctx context.Context, dir string, all bool) (*pageReader, error) {
	everything, err := scope.New(scope.Config{Depth: crawl.MaxDepth, Everywhere: true})
	if err != nil {
		return nil, err
	}
	w, err := wishesOf(ctx, dir, all)
	if err != nil {
		return nil, words.New("said.trouble.read-wishes", words.Args{"error": err})
	}
	return &pageReader{wishes: w, everything: everything}, nil
}

// scan calls fn with the outcome of each capture in dir that an export holds.
// Revisits and what cannot be read have none. It returns which files of the
// archive could be read in part only.
func (p *pageReader) scan(ctx context.Context, dir string, fn func(*crawl.Outcome) error) (damaged []error, err error) {
	_, size, err := ledger.ArchiveSize(dir)
	if err != nil {
		return nil, err
	}
	meter := progress.Begin(ctx, words.New("said.cli.work-reading-links", nil), size, progress.Bytes)
	return damageOf(warcfile.Scan(dir, capture.Position{}, func(c capture.Stored) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		meter.Add(c.Position.Length)
		if o, ok := p.read(&c); ok {
			return fn(&o)
		}
		return nil
	}))
}

// read makes the outcome of a capture, unless there is none or it is left out.
func (p *pageReader) read(c *capture.Stored) (o crawl.Outcome, ok bool) {
	if c.Revisit != nil {
		return o, false
	}
	u, err := crawl.ParseURL(c.URL)
	if err != nil {
		return o, false
	}
	r, err := fetch.ParseResponse(u, c.Response)
	if err != nil {
		return o, false
	}
	defer r.Release()
	wish := export.NoIndex
	if !c.NoIndex {
		wish = p.wishes.ofResponse(r)
	}
	p.leftOut.Add(wish)
	if wish != export.None {
		return o, false
	}
	o, _ = answer.Read(crawl.Task{URL: u}, r, p.everything, time.Now(), nil)
	return o, true
}

// damageOf splits an error of warcfile.Scan into what is wrong with damaged files, which kept it from none of
// the others, and any other error.
func damageOf(err error) (damaged []error, other error) {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil, err
	}
	for _, e := range all.Unwrap() {
		if errors.Is(e, record.ErrTorn) || errors.Is(e, record.ErrFormat) {
			damaged = append(damaged, e)
		} else {
			other = errors.Join(other, e)
		}
	}
	return damaged, other
}

func metadataOf(c *capture.Stored, name string) string {
	i := slices.IndexFunc(c.Metadata, func(f [2]string) bool { return f[0] == name })
	if i < 0 {
		return ""
	}
	return c.Metadata[i][1]
}
