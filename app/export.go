package app

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/warc"
)

// writeFile writes a file of an export. It appears under its name only when it
// is complete.
func writeFile(path string, write func(w io.Writer) error) error {
	return writeFiles([]string{path}, func(w []io.Writer) error { return write(w[0]) })
}

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
	LeftOut warc.LeftOut
	// Damaged says which files of the archive could be read in part only.
	Damaged []error
}

// ExportWARC copies the files of the archive into a directory. What asks to be
// left out (noindex, noai, a TDM reservation) is; with all, only noindex is.
func ExportWARC(ctx context.Context, paths config.Paths, dir string, all bool) (warc.Copied, error) {
	w, err := wishesOf(ctx, paths.WARC(), all)
	if err != nil {
		return warc.Copied{}, fmt.Errorf("export: %w", err)
	}
	return warc.ExportWARCContext(ctx, paths.WARC(), dir, w.options()...)
}

// ExportCDXJ writes the sorted index of what ExportWARC copies to a file.
func ExportCDXJ(ctx context.Context, paths config.Paths, file string, all bool) (Written, error) {
	done := Written{File: file}
	err := writeFile(file, func(to io.Writer) error {
		w, err := wishesOf(ctx, paths.WARC(), all)
		if err != nil {
			return err
		}
		c := &lineCounter{Writer: to}
		read, err := warc.ExportCDXJContext(ctx, paths.WARC(), c, w.options()...)
		done.Lines, done.LeftOut, done.Damaged = c.lines, read.LeftOut, read.Damaged
		return err
	})
	return done, err
}

// ExportLinks writes the links of all archived pages to a file, a line each:
// from, tab, to. Links are read from the archive, within the world but not the
// scope of the crawl. Repeats within a page are left out, as are the pages that
// ExportWARC leaves out.
func ExportLinks(ctx context.Context, paths config.Paths, file string, all bool) (Written, error) {
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

// damageOf splits an error of warc.Scan into what is wrong with damaged files, which kept it from none of the others, and
// any other error.
func damageOf(err error) (damaged []error, other error) {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil, err
	}
	for _, e := range all.Unwrap() {
		if errors.Is(e, warc.ErrTorn) || errors.Is(e, warc.ErrFormat) {
			damaged = append(damaged, e)
		} else {
			other = errors.Join(other, e)
		}
	}
	return damaged, other
}

// asker answers questions about a node.
type asker interface {
	Stats(ctx context.Context, hours int) (api.Stats, error)
	Series(ctx context.Context, q api.SeriesQuery) (api.Series, error)
	Domains(ctx context.Context, after string, limit int) ([]api.Domain, error)
}

// ExportStats writes stats.json (hours and totals), days.csv, years.csv and domains.csv into a
// directory, and returns how many domains there are, and the name of their file.
func ExportStats(ctx context.Context, node asker, dir string) (int, string, error) {
	stats, err := node.Stats(ctx, api.MaxHours)
	if err != nil {
		return 0, "", err
	}
	err = writeFile(filepath.Join(dir, "stats.json"), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(stats)
	})
	if err != nil {
		return 0, "", err
	}
	for name, unit := range map[string]api.Unit{"days.csv": api.UnitDay, "years.csv": api.UnitYear} {
		if err := writeFile(filepath.Join(dir, name), func(w io.Writer) error { return writePoints(ctx, node, unit, w) }); err != nil {
			return 0, "", err
		}
	}
	file := filepath.Join(dir, "domains.csv")
	count := 0
	err = writeFile(file, func(w io.Writer) (err error) {
		count, err = writeDomains(ctx, node, csv.NewWriter(w))
		return err
	})
	return count, file, err
}

func writeDomains(ctx context.Context, node asker, w *csv.Writer) (count int, err error) {
	const page = 1000
	w.Write([]string{"domain", "fetched", "queued", "failed", "duplicates", "bytes", "state"})
	for after := ""; ; {
		domains, err := node.Domains(ctx, after, page)
		if err != nil {
			return count, err
		}
		for _, d := range domains {
			w.Write([]string{
				d.Domain, strconv.FormatInt(d.Fetched, 10), strconv.FormatInt(d.Queued, 10), strconv.FormatInt(d.Failed, 10),
				strconv.FormatInt(d.Duplicates, 10), strconv.FormatInt(d.Bytes, 10), d.State,
			})
			count++
			after = d.Domain
		}
		if len(domains) < page {
			w.Flush()
			return count, w.Error()
		}
	}
}
