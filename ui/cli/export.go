package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/warc"
)

func runExport(ctx context.Context, e *env, args []string) error {
	fs := e.flags("export")
	format := fs.String("format", "", "what to write: `warc|wacz|cdxj|links|stats`")
	title := fs.String("title", "", "what the package is called, for the format wacz: any `TEXT`")
	rest, err := e.parse(fs, args, 1, 1)
	if err != nil {
		return done(err)
	}
	dir := rest[0]
	if *title != "" && *format != "wacz" {
		return usage("--title goes with --format wacz only")
	}
	switch *format {
	case "warc", "wacz", "cdxj", "links":
		if _, err := os.Stat(e.paths.WARC()); errors.Is(err, os.ErrNotExist) {
			return e.neverRan()
		}
	}
	watched, unwatch := e.watched(ctx)
	answer, err := e.export(watched, *format, dir, *title)
	unwatch()
	if errors.Is(err, context.Canceled) {
		return errors.New("the export was stopped; files that were not complete were not written")
	}
	if err != nil {
		return err
	}
	answer.Format = *format
	for _, damage := range answer.Damaged {
		fmt.Fprintln(e.err, "forage:", e.lang.text("export.damaged", words.Args{"error": e.lang.said(damage)}))
	}
	return e.show(answer, func() { e.exported(answer) })
}

// export writes out what was fetched in a format, and says what it has written.
func (e *env) export(ctx context.Context, format, dir, title string) (a exportAnswer, err error) {
	a = exportAnswer{Path: dir, Damaged: []string{}}
	switch format {
	case "warc":
		a.Files, a.Bytes, err = warc.ExportWARCContext(ctx, e.paths.WARC(), dir)
		return a, err
	case "wacz":
		return e.exportWACZ(ctx, dir, title)
	case "cdxj":
		a.Lines, a.Path, err = app.ExportCDXJ(ctx, e.paths, filepath.Join(dir, "index.cdxj"))
	case "links":
		var damaged []error
		a.Path = filepath.Join(dir, "links.tsv")
		a.Lines, damaged, err = app.ExportLinks(ctx, e.paths, a.Path)
		a.Damaged = append(a.Damaged, texts(damaged)...)
	case "stats":
		err = e.ask(ctx, func(s source) error {
			a.Lines, a.Path, err = app.ExportStats(ctx, s, dir)
			return err
		})
	case "":
		return a, usage("say which format: --format warc, wacz, cdxj, links or stats")
	default:
		return a, usage("there is no format %q; there are warc, wacz, cdxj, links and stats", format)
	}
	if info, serr := os.Stat(a.Path); err == nil && serr == nil {
		a.Files, a.Bytes = 1, info.Size()
	}
	if info, serr := os.Stat(filepath.Join(dir, "stats.json")); format == "stats" && err == nil && serr == nil {
		a.Files, a.Bytes = 2, a.Bytes+info.Size()
	}
	return a, err
}

// exportWACZ writes a package.
func (e *env) exportWACZ(ctx context.Context, dir, title string) (exportAnswer, error) {
	done, err := app.ExportWACZ(ctx, e.paths, dir, title, time.Now())
	if errors.Is(err, app.ErrNothingArchived) {
		err = fmt.Errorf("%w; \"forage run\" or \"forage demo\" fetches pages", err)
	}
	return exportAnswer{
		Path: done.File, Files: 1, Bytes: done.Bytes, Captures: done.Captures, Pages: done.Pages, LeftOut: done.LeftOut, Damaged: texts(done.Damaged),
	}, err
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
		if a.LeftOut > 0 {
			e.tell("export.left_out", words.Args{"count": a.LeftOut})
		}
	default:
		e.tell("export.lines", words.Args{"count": a.Lines, "path": a.Path})
	}
}
