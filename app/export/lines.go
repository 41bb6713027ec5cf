package export

import (
	"context"
	"fmt"
	"io"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/warc/export"
)

// lineCounter counts the lines that pass.
type lineCounter struct {
	io.Writer
	lines int
}

func (c *lineCounter) Write(p []byte) (int, error) {
	for _, b := range p {
		if b == '\n' {
			c.lines++
		}
	}
	return c.Writer.Write(p)
}

// Written is what an export to a file has written.
type Written struct {
	File    string
	Lines   int
	LeftOut export.LeftOut
	// Damaged says which files of the archive could be read in part only.
	Damaged []error
}

// AsWARC copies the files of the archive into a directory. What asks to be
// left out (noindex, noai, a TDM reservation) is; with all, only noindex is.
func AsWARC(ctx context.Context, paths config.Paths, dir string, all bool) (export.Copied, error) {
	w, err := wishesOf(ctx, paths.WARC(), all)
	if err != nil {
		return export.Copied{}, words.New("said.trouble.export-2", words.Args{"error": err})
	}
	return export.WARC(ctx, paths.WARC(), dir, w.options()...)
}

// AsCDXJ writes the sorted index of what AsWARC copies to a file.
func AsCDXJ(ctx context.Context, paths config.Paths, file string, all bool) (Written, error) {
	done := Written{File: file}
	err := writeFile(file, func(to io.Writer) error {
		w, err := wishesOf(ctx, paths.WARC(), all)
		if err != nil {
			return err
		}
		c := &lineCounter{Writer: to}
		read, err := export.CDXJ(ctx, paths.WARC(), c, w.options()...)
		done.Lines, done.LeftOut, done.Damaged = c.lines, read.LeftOut, read.Damaged
		return err
	})
	return done, err
}

// AsLinks writes the links of all archived pages to a file, a line each:
// from, tab, to. Links are read from the archive, within the world but not the
// scope of the crawl. Repeats within a page are left out, as are the pages that
// AsWARC leaves out.
func AsLinks(ctx context.Context, paths config.Paths, file string, all bool) (Written, error) {
	done := Written{File: file}
	err := writeFile(file, func(w io.Writer) error { return writeLinks(ctx, paths.WARC(), w, all, &done) })
	return done, err
}

// writeLinks writes the links of the pages archived in a directory.
func writeLinks(ctx context.Context, dir string, w io.Writer, all bool, done *Written) error {
	p, err := newPageReader(ctx, dir, all)
	if err != nil {
		return err
	}
	done.Damaged, err = p.scan(ctx, dir, func(o *crawl.Outcome) error {
		for _, l := range o.Outlinks {
			if _, err := fmt.Fprintf(w, "%s\t%s\n", o.Task.URL, l.URL); err != nil {
				return err
			}
			done.Lines++
		}
		return nil
	})
	done.LeftOut = p.leftOut
	return err
}
