package export

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Copied is what WARC has done: how many files and bytes were
// copied, and what was not.
type Copied struct {
	Files int
	Bytes int64
	Result
}

// WARC copies the archive files in srcDir to dstDir, which it makes if it
// is not there: finished files as they are, and files being written up to their
// last complete capture, under the name they will have. Captures marked NoIndex
// are left out, with their revisits. A file that is there in the same size
// already is passed over. Each file appears under its name only when it is
// complete. It ends once ctx is done, tells its progress, and returns what was
// copied, also on an error.
func WARC(ctx context.Context, srcDir, dstDir string, options ...Option) (Copied, error) {
	return copyWARC(ctx, durable.Disk{}, srcDir, dstDir, chosen(options))
}

func copyWARC(ctx context.Context, fs durable.FS, srcDir, dstDir string, o choices) (done Copied, err error) {
	found, err := warcfile.List(srcDir)
	if err != nil {
		return done, words.New("said.doctor.export-warc", words.Args{"error": err})
	}
	if err := fs.MkdirAll(dstDir, 0o700); err != nil {
		return done, words.New("said.doctor.export-warc", words.Args{"error": err})
	}
	x := newExporter(Target{
		Capture: func(capture.Stored) error { return nil },
		File: func(name string, size int64, r io.Reader) error {
			n, err := copyFile(fs, filepath.Join(dstDir, name), size, r)
			if n > 0 {
				done.Files++
				done.Bytes += n
			}
			return err
		},
	}, o)
	x.whole = x.keepsAll(found)
	total := warcfile.Size(found)
	if !x.whole {
		total *= 2
	}
	x.meter = progress.Begin(ctx, words.New("said.cli.work-exporting", nil), total, progress.Bytes)
	for _, f := range found {
		if err = x.export(ctx, f); err != nil {
			err = words.New("said.trouble.export", words.Args{"path": f.Path(), "error": err})
			break
		}
	}
	done.Result = x.done
	return done, err
}

// StreamWARC hands over the archive files that WARC copies, in the order
// of writing: each with its name and size, to a callback that must read all of
// it. Captures may be appended meanwhile. An error is one of ctx, of
// file or of reading srcDir.
func StreamWARC(ctx context.Context, srcDir string, file func(name string, size int64, r io.Reader) error,
	options ...Option) (Result, error) {
	files, err := warcfile.List(srcDir)
	if err != nil {
		return Result{}, words.New("said.doctor.export-warc", words.Args{"error": err})
	}
	x := newExporter(Target{Capture: func(capture.Stored) error { return nil }, File: file},
		chosen(options))
	x.whole = x.keepsAll(files)
	for _, f := range files {
		if err := x.export(ctx, f); err != nil {
			return x.done, words.New("said.trouble.export", words.Args{"path": f.Path(), "error": err})
		}
	}
	return x.done, nil
}

// copyFile writes a file that is not there in this size yet, and returns how
// many bytes it has written.
func copyFile(fs durable.FS, path string, size int64, r io.Reader) (int64, error) {
	if info, err := os.Stat(path); err == nil && info.Size() == size {
		return 0, nil
	}
	dst, err := fs.OpenFile(path+warcfile.TempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(dst, r); err != nil {
		dst.Close()
		fs.Remove(dst.Name())
		return 0, err
	}
	return size, durable.Rename(fs, dst, path)
}
