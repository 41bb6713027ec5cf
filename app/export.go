package app

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc"
)

// writeFile writes a file of an export. It appears under its name only when it
// is complete.
func writeFile(path string, write func(w io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	w := bufio.NewWriterSize(f, 1<<16)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("export %s: %w", path, err)
	}
	return nil
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

// ExportCDXJ writes the sorted index of the archive to a file, and returns
// how many lines it has, and its name.
func ExportCDXJ(ctx context.Context, paths config.Paths, file string) (int, string, error) {
	var lines int
	err := writeFile(file, func(w io.Writer) error {
		c := &lineCounter{Writer: w}
		err := warc.ExportCDXJContext(ctx, paths.WARC(), c)
		lines = c.lines
		return err
	})
	return lines, file, err
}

// ExportLinks writes the links of all archived pages to a file, a line each:
// from, tab, to, and returns how many lines it has and what files of the archive could be read in part only. Links are read from the archive, within the world but not the
// scope of the crawl, and repeats within a page are left out, as are pages that ask to be kept
// out of indexes.
func ExportLinks(ctx context.Context, paths config.Paths, file string) (lines int, damaged []error, err error) {
	err = writeFile(file, func(w io.Writer) (err error) {
		lines, damaged, err = writeLinks(ctx, paths.WARC(), w)
		return err
	})
	return lines, damaged, err
}

// writeLinks writes the links of the pages archived in a directory, and returns what ExportLinks does.
func writeLinks(ctx context.Context, dir string, w io.Writer) (lines int, damaged []error, err error) {
	everything, err := scope.New(scope.Config{Depth: crawl.MaxDepth, Everywhere: true})
	if err != nil {
		return 0, nil, err
	}
	_, size, err := archiveSize(dir)
	if err != nil {
		return 0, nil, err
	}
	meter := progress.Begin(ctx, "reading links", size, progress.Bytes)
	err = warc.Scan(dir, warc.Position{}, func(c warc.StoredCapture) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		meter.Add(c.Position.Length)
		o, ok := readCapture(c, everything)
		if !ok || c.NoIndex {
			return nil
		}
		for _, l := range o.Outlinks {
			if _, err := fmt.Fprintf(w, "%s\t%s\n", o.Task.URL, l.URL); err != nil {
				return err
			}
			lines++
		}
		return nil
	})
	damaged, err = damageOf(err)
	return lines, damaged, err
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

// readCapture makes the outcome of an archived response; revisits and what
// cannot be read give none.
func readCapture(c warc.StoredCapture, s *scope.Scope) (crawl.Outcome, bool) {
	if c.Revisit != nil {
		return crawl.Outcome{}, false
	}
	u, err := crawl.ParseURL(c.URL)
	if err != nil {
		return crawl.Outcome{}, false
	}
	r, err := fetch.ParseResponse(u, c.Response)
	if err != nil {
		return crawl.Outcome{}, false
	}
	defer r.Release()
	o, _ := worker.Read(crawl.Task{URL: u}, r, s, time.Now())
	return o, true
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
