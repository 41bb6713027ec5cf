package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app"
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
	switch *format {
	case "warc":
		files, bytes, err := warc.ExportWARC(e.paths.WARC(), dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%s new WARC files, %s, in %s\n", number(files), app.FormatBytes(bytes), dir)
		return nil
	case "wacz":
		return e.exportWACZ(ctx, dir, *title)
	case "cdxj":
		return e.exported(app.ExportCDXJ(e.paths, filepath.Join(dir, "index.cdxj")))
	case "links":
		return e.exported(app.ExportLinks(ctx, e.paths, filepath.Join(dir, "links.tsv")))
	case "stats":
		return e.ask(ctx, func(s source) error {
			return e.exported(app.ExportStats(ctx, s, dir))
		})
	case "":
		return usage("say which format: --format warc, wacz, cdxj, links or stats")
	}
	return usage("there is no format %q; there are warc, wacz, cdxj, links and stats", *format)
}

// exportWACZ writes a package and says where it is and what is in it.
func (e *env) exportWACZ(ctx context.Context, dir, title string) error {
	done, err := app.ExportWACZ(ctx, e.paths, dir, title, time.Now())
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("the export was stopped, and nothing was written")
	case errors.Is(err, app.ErrNothingArchived):
		return fmt.Errorf("%w; \"forage run\" or \"forage demo\" fetches pages", err)
	case err != nil:
		return err
	}
	fmt.Fprintf(e.out, "%s captures, %s pages to begin with, %s, in %s\n",
		number(done.Captures), number(done.Pages), app.FormatBytes(done.Bytes), done.File)
	if done.LeftOut > 0 {
		fmt.Fprintf(e.out, "%s captures were left out: they ask to be kept out of indexes.\n", number(done.LeftOut))
	}
	for _, damage := range done.Damaged {
		fmt.Fprintf(e.err, "forage: what follows in a damaged file was left out: %v\n", damage)
	}
	return nil
}

// exported says what was written.
func (e *env) exported(lines int, file string, err error) error {
	if err == nil {
		fmt.Fprintf(e.out, "%s lines in %s\n", number(lines), file)
	}
	return err
}
