package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/warc"
)

// exportJob is what a command line asks export to write.
type exportJob struct {
	format, title string
	path          string // where to: a directory, or a file of pages
	all           bool
}

func runExport(ctx context.Context, e *env, args []string) error {
	var job exportJob
	fs := e.flags("export")
	fs.StringVar(&job.format, "format", "", "what to write: `warc|wacz|cdxj|links|pages|graph|stats`")
	fs.StringVar(&job.title, "title", "", "title of the package, for the format wacz: any `TEXT`")
	fs.BoolVar(&job.all, "all", false, "include pages with noai or a TDM reservation")
	rest, err := e.parse(fs, args, 1, 1)
	if err != nil {
		return done(err)
	}
	job.path = rest[0]
	if err := e.checkExport(job); err != nil {
		return err
	}
	watched, unwatch := e.watched(ctx)
	answer, err := e.export(watched, job)
	unwatch()
	if errors.Is(err, context.Canceled) {
		return errors.New("the export was stopped; files that were not complete were not written")
	}
	if err != nil {
		return err
	}
	answer.Format = job.format
	for _, damage := range answer.Damaged {
		fmt.Fprintln(e.err, "forage:", e.lang.text("export.damaged", words.Args{"error": e.lang.said(damage)}))
	}
	return e.show(answer, func() { e.exported(answer) })
}

// checkExport finds out what is wrong with a job before anything is written.
func (e *env) checkExport(job exportJob) error {
	switch {
	case job.title != "" && job.format != "wacz":
		return usage("--title goes with --format wacz only")
	case job.all && job.format == "stats":
		return usage("--all does not go with --format stats")
	}
	switch job.format {
	case "warc", "wacz", "cdxj", "links", "pages", "graph":
		if _, err := os.Stat(e.paths.WARC()); errors.Is(err, os.ErrNotExist) {
			return e.neverRan()
		}
	}
	return nil
}

// export writes out what was fetched in a format, and says what it has written.
func (e *env) export(ctx context.Context, job exportJob) (exportAnswer, error) {
	switch job.format {
	case "warc":
		return e.exportWARC(ctx, job)
	case "wacz":
		return e.exportWACZ(ctx, job)
	case "cdxj":
		done, err := export.AsCDXJ(ctx, e.paths, filepath.Join(job.path, "index.cdxj"), job.all)
		return fileAnswer(done), err
	case "links":
		done, err := export.AsLinks(ctx, e.paths, filepath.Join(job.path, "links.tsv"), job.all)
		return fileAnswer(done), err
	case "pages":
		done, err := export.AsPages(ctx, e.paths, pagesFile(job.path), job.all)
		a := fileAnswer(done)
		a.Pages = a.Lines
		return a, err
	case "graph":
		return e.exportGraph(ctx, job)
	case "stats":
		return e.exportStats(ctx, job)
	case "":
		return exportAnswer{}, usage("say which format: --format warc, wacz, cdxj, links, pages, graph or stats")
	}
	return exportAnswer{}, usage("there is no format %q; there are warc, wacz, cdxj, links, pages, graph and stats", job.format)
}

// pagesFile returns the file for pages: the one that is named, or one in the
// directory that is.
func pagesFile(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() || path != "" && os.IsPathSeparator(path[len(path)-1]) {
		return filepath.Join(path, "pages.jsonl")
	}
	return path
}

// fileAnswer says what is in the file of an export.
func fileAnswer(done export.Written) exportAnswer {
	a := exportAnswer{Path: done.File, Lines: done.Lines, Damaged: texts(done.Damaged)}
	a.leaveOut(done.LeftOut)
	a.addFiles(done.File)
	return a
}

// addFiles counts the files that were written.
func (a *exportAnswer) addFiles(files ...string) {
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			a.Files++
			a.Bytes += info.Size()
		}
	}
}

// leaveOut notes what was left out.
func (a *exportAnswer) leaveOut(l warc.LeftOut) {
	a.LeftOut, a.LeftOutNoIndex, a.LeftOutNoAI, a.LeftOutReserved = l.Total(), l.NoIndex, l.NoAI, l.Reserved
}

// exportWARC copies the files of the archive.
func (e *env) exportWARC(ctx context.Context, job exportJob) (exportAnswer, error) {
	done, err := export.AsWARC(ctx, e.paths, job.path, job.all)
	a := exportAnswer{Path: job.path, Files: done.Files, Bytes: done.Bytes, Damaged: texts(done.Damaged)}
	a.leaveOut(done.LeftOut)
	return a, err
}

// exportWACZ writes a package.
func (e *env) exportWACZ(ctx context.Context, job exportJob) (exportAnswer, error) {
	done, err := export.AsWACZ(ctx, e.paths, job.path, job.title, time.Now(), job.all)
	if errors.Is(err, export.ErrNothingArchived) {
		err = fmt.Errorf("%w; \"forage run\" or \"forage demo\" fetches pages", err)
	}
	a := exportAnswer{Path: done.File, Files: 1, Bytes: done.Bytes, Captures: done.Captures, Pages: done.Pages, Damaged: texts(done.Damaged)}
	a.leaveOut(done.LeftOut)
	return a, err
}

// exportGraph writes which domains link to which.
func (e *env) exportGraph(ctx context.Context, job exportJob) (exportAnswer, error) {
	done, err := export.AsGraph(ctx, e.paths, job.path, job.all)
	a := exportAnswer{Path: job.path, Lines: done.Edges, Domains: done.Vertices, Damaged: texts(done.Damaged)}
	a.leaveOut(done.LeftOut)
	if err == nil {
		a.addFiles(filepath.Join(job.path, "vertices.txt.gz"), filepath.Join(job.path, "edges.txt.gz"))
	}
	return a, err
}

// exportStats writes what the node has counted.
func (e *env) exportStats(ctx context.Context, job exportJob) (exportAnswer, error) {
	a := exportAnswer{Damaged: []string{}}
	err := e.ask(ctx, func(s source) (err error) {
		a.Lines, a.Path, err = export.AsStats(ctx, s, job.path)
		return err
	})
	if err == nil {
		a.addFiles(a.Path, filepath.Join(job.path, "stats.json"))
	}
	return a, err
}

// texts returns what errors say, never nil.
func texts(errs []error) []string {
	list := make([]string, len(errs))
	for i, err := range errs {
		list[i] = err.Error()
	}
	return list
}

// exported says what was written, for people.
func (e *env) exported(a exportAnswer) {
	size := e.lang.bytes(a.Bytes)
	switch a.Format {
	case "warc":
		e.tell("export.warc", words.Args{"count": a.Files, "size": size, "path": a.Path})
	case "wacz":
		e.tell("export.wacz", words.Args{"count": a.Captures, "pages": a.Pages, "size": size, "path": a.Path})
	case "pages":
		e.tell("export.pages", words.Args{"count": a.Pages, "path": a.Path})
	case "graph":
		e.tell("export.graph", words.Args{"count": a.Domains, "links": a.Lines, "path": a.Path})
	default:
		e.tell("export.lines", words.Args{"count": a.Lines, "path": a.Path})
	}
	if a.LeftOut > 0 {
		e.tell("export.left_out", words.Args{"count": a.LeftOut, "why": e.whyLeftOut(a)})
	}
}

// whyLeftOut says for how many captures which wish was followed.
func (e *env) whyLeftOut(a exportAnswer) string {
	var why []string
	for _, part := range []struct {
		key   string
		count int
	}{
		{"export.why.noindex", a.LeftOutNoIndex}, {"export.why.noai", a.LeftOutNoAI}, {"export.why.reserved", a.LeftOutReserved},
	} {
		if part.count > 0 {
			why = append(why, e.lang.text(part.key, words.Args{"number": part.count}))
		}
	}
	return strings.Join(why, ", ")
}
