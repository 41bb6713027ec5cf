package app

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage/warc"
)

// exportForms say how files of exports over the API are called, by format.
//
// WARC files come in a tar, though one after the other they would make a valid
// .warc.gz too: so they keep their names, which index lines repeat, and their
// size of 256 MiB, which other tools can work with.
var exportForms = map[string]struct{ name, ending string }{
	"warc": {"warc", ".tar"}, "wacz": {"", ".wacz"}, "cdxj": {"index", ".cdxj"}, "links": {"links", ".tsv"}, "stats": {"stats", ".zip"},
}

// ExportName implements api.Exporter.
func (n *Node) ExportName(_ context.Context, format string) (string, error) {
	form, ok := exportForms[format]
	if !ok {
		return "", &api.InputError{Err: fmt.Errorf("there is no format %.20q; there are warc, wacz, cdxj, links and stats", format)}
	}
	if format != "stats" {
		if files, _, err := archiveSize(n.opts.Paths.WARC()); err != nil || files == 0 {
			return "", errors.Join(err, &api.InputError{Err: ErrNothingArchived})
		}
	}
	name := "forage-"
	if form.name != "" {
		name += form.name + "-"
	}
	return name + time.Now().UTC().Format("20060102150405") + form.ending, nil
}

// exportScratch is where exports keep temporary files.
func exportScratch(paths config.Paths) string { return filepath.Join(paths.Data, "export.tmp") }

// Export implements api.Exporter. The crawl goes on meanwhile; what is fetched
// after the export has begun may be in it or not.
func (n *Node) Export(ctx context.Context, format string, w io.Writer) error {
	// The directory is the same every time, so that nothing is left for long
	// where a process was killed.
	dir := exportScratch(n.opts.Paths)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer os.RemoveAll(dir)
	w = writeUntil(ctx, w)
	var err error
	switch from := n.opts.Paths.WARC(); format {
	case "warc":
		err = n.exportTar(ctx, from, w)
	case "wacz":
		var p packer
		err = p.pack(ctx, w, from, dir, time.Now())
		n.warnDamage(p.done.Damaged)
	case "cdxj":
		err = warc.StreamCDXJ(ctx, from, dir, w)
	case "links":
		var damaged []error
		out := bufio.NewWriter(w)
		if _, damaged, err = writeLinks(ctx, from, out); err == nil {
			err = out.Flush()
		}
		n.warnDamage(damaged)
	case "stats":
		if _, _, err = ExportStats(ctx, n, dir); err == nil {
			err = zipFiles(w, dir)
		}
	default:
		err = &api.InputError{Err: fmt.Errorf("there is no format %.20q", format)}
	}
	if errors.Is(err, ErrNothingArchived) || errors.Is(err, ErrOnlyNoIndex) {
		err = &api.InputError{Err: err}
	}
	return err
}

func (n *Node) exportTar(ctx context.Context, from string, w io.Writer) error {
	out, empty := tar.NewWriter(w), true
	done, err := warc.StreamWARC(ctx, from, func(name string, size int64, r io.Reader) error {
		empty = false
		if err := out.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644, ModTime: time.Now()}); err != nil {
			return err
		}
		_, err := io.Copy(out, r)
		return err
	})
	n.warnDamage(done.Damaged)
	switch {
	case err != nil:
		return err
	case empty && done.LeftOut > 0:
		return ErrOnlyNoIndex
	case empty:
		return ErrNothingArchived
	}
	return out.Close()
}

func (n *Node) warnDamage(damaged []error) {
	for _, err := range damaged {
		n.log.Warn("What follows in a damaged archive file is not in the export", "error", err)
	}
}

// zipFiles writes the files of a directory as one.
func zipFiles(w io.Writer, dir string) error {
	out := zip.NewWriter(w)
	if err := out.AddFS(os.DirFS(dir)); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return out.Close()
}
