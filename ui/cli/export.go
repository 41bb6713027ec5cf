package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/storage/warc"
)

func runExport(ctx context.Context, e *env, args []string) error {
	fs := e.flags("export")
	format := fs.String("format", "", "`FORMAT` to write: warc, cdxj, links or stats")
	rest, err := e.parse(fs, args, 1, 1)
	if err != nil {
		return done(err)
	}
	dir := rest[0]
	switch *format {
	case "warc", "cdxj", "links":
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
	case "cdxj":
		return e.exported(app.ExportCDXJ(e.paths, filepath.Join(dir, "index.cdxj")))
	case "links":
		return e.exported(app.ExportLinks(ctx, e.paths, filepath.Join(dir, "links.tsv")))
	case "stats":
		return e.ask(ctx, func(s source) error {
			return e.exported(app.ExportStats(ctx, s, dir))
		})
	case "":
		return usage("say which format: --format warc, cdxj, links or stats")
	}
	return usage("there is no format %q; there are warc, cdxj, links and stats", *format)
}

// exported says what was written.
func (e *env) exported(lines int, file string, err error) error {
	if err == nil {
		fmt.Fprintf(e.out, "%s lines in %s\n", number(lines), file)
	}
	return err
}
