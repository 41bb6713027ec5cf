// Package export writes out what a node fetched: its archive as WARC files, as one package (WACZ) or as an index
// (CDXJ), the links and pages that are in it, which domains link to which, and what was counted. What asks to be left
// out is, unless the caller wants all (wishes.go). Files appear under their names when they are whole. Nothing here
// needs a running node; an Exporter streams the same from one that runs.
package export

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/warc/export"
)

// forms say how files of exports over the API are called, by format.
//
// WARC files come in a tar, though one after the other they would make a valid
// .warc.gz too: so they keep their names, which index lines repeat, and their
// size of 256 MiB, which other tools can work with.
var forms = map[string]struct{ name, ending string }{
	"warc": {"warc", ".tar"}, "wacz": {"", ".wacz"}, "cdxj": {"index", ".cdxj"}, "links": {"links", ".tsv"},
	"pages": {"pages", ".jsonl"}, "graph": {"graph", ".zip"}, "stats": {"stats", ".zip"},
}

// Exporter makes exports of a node that runs, for those who ask its API. It implements api.Exporter.
type Exporter struct{ cfg ExporterConfig }

// ExporterConfig says of what.
type ExporterConfig struct {
	Paths config.Paths
	Node  Counts
	Log   *slog.Logger
}

// NewExporter returns one.
func NewExporter(cfg ExporterConfig) *Exporter { return &Exporter{cfg} }

// ExportName implements api.Exporter.
func (e *Exporter) ExportName(_ context.Context, format string) (string, error) {
	form, ok := forms[format]
	if !ok {
		return "", &api.InputError{Err: words.New("said.api.there-is-no-format-there-are",
			words.Args{"name": fmt.Sprintf("%.20q", format)})}
	}
	if format != "stats" {
		if files, _, err := ledger.ArchiveSize(e.cfg.Paths.WARC()); err != nil || files == 0 {
			return "", errors.Join(err, &api.InputError{Err: ErrNothingArchived})
		}
	}
	name := "forage-"
	if form.name != "" {
		name += form.name + "-"
	}
	return name + time.Now().UTC().Format("20060102150405") + form.ending, nil
}

// Scratch is where exports keep temporary files.
func Scratch(paths config.Paths) string { return filepath.Join(paths.Data, "export.tmp") }

// Export implements api.Exporter. The crawl goes on meanwhile; what is fetched
// after the export has begun may be in it or not. Pages that ask to be left out
// always are.
func (e *Exporter) Export(ctx context.Context, format string, w io.Writer) error {
	// The directory is the same every time, so that nothing is left for long
	// where a process was killed.
	dir := Scratch(e.cfg.Paths)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return words.New("said.trouble.export-2", words.Args{"error": err})
	}
	defer os.RemoveAll(dir)
	w = writeUntil(ctx, w)
	var done Written
	err := e.exportTo(ctx, format, dir, w, &done)
	for _, err := range done.Damaged {
		e.cfg.Log.Warn("What follows in a damaged archive file is not in the export", "error", err)
	}
	if l := done.LeftOut; l.Total() > 0 {
		e.cfg.Log.Info("Pages are left out of an export, because they ask for it", "noindex", l.NoIndex, "noai",
			l.NoAI, "reserved", l.Reserved)
	}
	for _, nothing := range []error{ErrNothingArchived, ErrOnlyNoIndex, ErrAllLeftOut} {
		if errors.Is(err, nothing) {
			err = &api.InputError{Err: err}
			break
		}
	}
	return err
}

// exportTo writes one format, with temporary files in dir.
func (e *Exporter) exportTo(ctx context.Context, format, dir string, w io.Writer, done *Written) (err error) {
	switch from := e.cfg.Paths.WARC(); format {
	case "warc":
		return exportTar(ctx, from, w, done)
	case "wacz":
		var p packer
		err = p.pack(ctx, w, from, dir, time.Now())
		done.LeftOut, done.Damaged = p.done.LeftOut, p.done.Damaged
		return err
	case "cdxj":
		return streamCDXJ(ctx, from, dir, w, done)
	case "links":
		return buffered(w, func(w io.Writer) error { return writeLinks(ctx, from, w, false, done) })
	case "pages":
		return buffered(w, func(w io.Writer) error { return writePages(ctx, from, w, false, done) })
	case "graph":
		g, err := AsGraph(ctx, e.cfg.Paths, dir, false)
		if done.LeftOut, done.Damaged = g.LeftOut, g.Damaged; err != nil {
			return err
		}
		return zipFiles(w, dir)
	case "stats":
		if _, _, err = AsStats(ctx, e.cfg.Node, dir); err != nil {
			return err
		}
		return zipFiles(w, dir)
	}
	return &api.InputError{Err: words.New("said.api.there-is-no-format",
		words.Args{"name": fmt.Sprintf("%.20q", format)})}
}

// buffered writes to w in large pieces.
func buffered(w io.Writer, write func(io.Writer) error) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := write(out); err != nil {
		return err
	}
	return out.Flush()
}

func streamCDXJ(ctx context.Context, from, dir string, w io.Writer, done *Written) error {
	follow, err := wishesOf(ctx, from, false)
	if err != nil {
		return err
	}
	read, err := export.StreamCDXJ(ctx, from, dir, w, follow.options()...)
	done.LeftOut, done.Damaged = read.LeftOut, read.Damaged
	return err
}

func exportTar(ctx context.Context, from string, w io.Writer, done *Written) error {
	follow, err := wishesOf(ctx, from, false)
	if err != nil {
		return err
	}
	out, empty := tar.NewWriter(w), true
	read, err := export.StreamWARC(ctx, from, func(name string, size int64, r io.Reader) error {
		empty = false
		if err := out.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: time.Now()}); err != nil {
			return err
		}
		_, err := io.Copy(out, r)
		return err
	}, follow.options()...)
	done.LeftOut, done.Damaged = read.LeftOut, read.Damaged
	switch {
	case err != nil:
		return err
	case empty:
		return nothingLeft(read.LeftOut)
	}
	return out.Close()
}

// zipFiles writes the files of a directory as one.
func zipFiles(w io.Writer, dir string) error {
	out := zip.NewWriter(w)
	if err := out.AddFS(os.DirFS(dir)); err != nil {
		return words.New("said.trouble.export-2", words.Args{"error": err})
	}
	return out.Close()
}
