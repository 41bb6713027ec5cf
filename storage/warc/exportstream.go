package warc

import (
	"context"
	"fmt"
	"io"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/lines"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// StreamWARC hands over the archive files that ExportWARC copies, in the order
// of writing: each with its name and size, to a callback that must read all of
// it. Captures may be appended meanwhile. An error is one of ctx, of
// file or of reading srcDir.
func StreamWARC(ctx context.Context, srcDir string, file func(name string, size int64, r io.Reader) error,
	options ...ExportOption) (Exported, error) {
	files, err := warcfile.List(srcDir)
	if err != nil {
		return Exported{}, fmt.Errorf("export WARC: %w", err)
	}
	x := newFileExporter(FileExport{Capture: func(capture.Stored) error { return nil }, File: file},
		exportOptionsOf(options))
	x.whole = x.keepsAll(files)
	for _, f := range files {
		if err := x.export(ctx, f); err != nil {
			return x.done, fmt.Errorf("export %s: %w", f.Path(), err)
		}
	}
	return x.done, nil
}

// StreamCDXJ writes what ExportCDXJ writes, with temporary files in a directory
// of the caller's, until ctx is done.
func StreamCDXJ(ctx context.Context, dir, scratchDir string, w io.Writer, options ...ExportOption) (Exported, error) {
	return exportCDXJ(ctx, lines.Scratch(scratchDir), dir, w, exportOptionsOf(options))
}
