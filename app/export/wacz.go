package export

import (
	"context"
	"encoding/base32"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/wacz"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/lines"
)

// WACZ is what AsWACZ has written.
type WACZ struct {
	File  string
	Bytes int64 // of the file
	// Captures and Pages are those in it, LeftOut those that ask to be left out.
	Captures, Pages int
	LeftOut         export.LeftOut
	// Damaged says which files of the archive could be read in part only.
	Damaged []error
}

// AsWACZ writes the archive as one package, forage-<date>.wacz, into dir. The date is now in UTC. What AsWARC leaves
// out is left out. Without a title the package is given one of the dates of its captures. However large the archive
// is, it needs about 50 MB of memory, more only for captures of many megabytes, and in dir room for the archive and,
// until it is done, for its index once more.
func AsWACZ(ctx context.Context, paths config.Paths, dir, title string, now time.Time, all bool) (WACZ, error) {
	_, need, err := ledger.ArchiveSize(paths.WARC())
	if err != nil {
		return WACZ{}, words.New("said.trouble.export-2", words.Args{"error": err})
	}
	if need == 0 {
		return WACZ{}, ErrNothingArchived
	}
	undo, err := makeDir(dir)
	if err != nil {
		return WACZ{}, words.New("said.trouble.export-2", words.Args{"error": err})
	}
	p := packer{done: WACZ{File: filepath.Join(dir, "forage-"+now.UTC().Format("20060102150405")+".wacz")},
		title: title, all: all}
	if space, err := sense.DiskSpace(dir); err == nil && space.Free < need {
		undo()
		return WACZ{}, words.New("said.api.export-it-needs-about-and-are",
			words.Args{"path": p.done.File, "need": ledger.FormatBytes(need), "free": ledger.FormatBytes(space.Free)})
	}
	err = writeFile(p.done.File, func(w io.Writer) error { return p.pack(ctx, w, paths.WARC(), dir, now) })
	if err != nil {
		undo()
		if noRoom(err) {
			err = words.New("said.api.the-package-needs-about-there-make",
				words.Args{"error": err, "need": ledger.FormatBytes(need)})
		}
		return WACZ{}, err
	}
	if info, err := os.Stat(p.done.File); err == nil {
		p.done.Bytes = info.Size()
	}
	return p.done, nil
}

// makeDir makes a directory. undo removes it if it was not there and is empty.
func makeDir(dir string) (undo func(), err error) {
	_, err = os.Stat(dir)
	there := err == nil
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return func() {
		if !there {
			os.Remove(dir)
		}
	}, nil
}

// packer puts an archive into a package.
type packer struct {
	out   *wacz.Writer
	done  WACZ
	title string
	all   bool // leaves out noindex alone

	first, last time.Time  // dates of captures
	start       *wacz.Page // the first page the crawl began with
	several     bool       // it began with others too
}

func (p *packer) pack(ctx context.Context, w io.Writer, from, scratch string, now time.Time) error {
	follow, err := wishesOf(ctx, from, p.all)
	if err != nil {
		return err
	}
	lines := lines.NewSorter(scratch)
	defer lines.Close()
	if p.out, err = wacz.NewWriter(writeUntil(ctx, w),
		wacz.Config{Created: now, Scratch: scratch, Lines: lines}); err != nil {
		return err
	}
	defer p.out.Close()
	read, err := export.Files(ctx, from, export.Target{Capture: p.capture, File: p.out.Archive},
		follow.options()...)
	p.done.LeftOut, p.done.Damaged = read.LeftOut, read.Damaged
	switch {
	case err != nil:
		return err
	case p.done.Captures > 0:
		return p.out.Finish(p.description())
	case read.LeftOut.Total() > 0:
		return nothingLeft(read.LeftOut)
	}
	return errors.Join(append([]error{ErrNothingArchived}, read.Damaged...)...)
}

// writeUntil returns a writer to w that fails once ctx is done.
func writeUntil(ctx context.Context, w io.Writer) io.Writer {
	return writerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return w.Write(b)
	})
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// capture takes a capture in. A 304 is in the archive but not in the index:
// there is nothing in it to show, and a reader without it shows the capture
// that it confirmed.
func (p *packer) capture(c capture.Stored) error {
	p.done.Captures++
	if p.first.IsZero() || c.Date.Before(p.first) {
		p.first = c.Date
	}
	if c.Date.After(p.last) {
		p.last = c.Date
	}
	if c.Status == 304 {
		return nil
	}
	if err := p.out.Index(entryOf(&c)); err != nil {
		return err
	}
	if !isPage(&c) {
		return nil
	}
	p.done.Pages++
	page := wacz.Page{URL: c.URL, Date: c.Date, Title: metadataOf(&c, "title")}
	if metadataOf(&c, ledger.FieldDepth) == "0" {
		if p.start == nil {
			p.start = &page
		}
		p.several = p.several || p.start.URL != page.URL
	}
	return p.out.Page(page)
}

func entryOf(c *capture.Stored) wacz.Entry {
	e := wacz.Entry{
		URL: c.URL, Date: c.Date, MIME: c.MIME, Status: c.Status,
		File: c.Position.File, Offset: c.Position.RecordOffset, Length: c.Position.RecordLength,
	}
	if c.Revisit != nil {
		e.MIME = "warc/revisit"
	}
	if c.PayloadDigest != [20]byte{} {
		e.Digest = "sha1:" + base32.StdEncoding.EncodeToString(c.PayloadDigest[:])
	}
	return e
}

// isPage reports whether a capture is one of a page to begin a visit with.
func isPage(c *capture.Stored) bool {
	return c.Status == 200 && (c.MIME == "text/html" || c.MIME == "application/xhtml+xml") &&
		!strings.HasSuffix(c.URL, "/robots.txt")
}

// description tells of the package. Its main page is the one the crawl began
// with, if it began with one.
func (p *packer) description() wacz.Description {
	d := wacz.Description{Title: p.title, Software: crawl.Token + " " + crawl.Version}
	if d.Title == "" {
		first, last := p.first.Format(time.DateOnly), p.last.Format(time.DateOnly)
		d.Title = "Crawled by forage from " + first + " to " + last
		if first == last {
			d.Title = "Crawled by forage on " + first
		}
	}
	if !p.several {
		d.MainPage = p.start
	}
	return d
}
