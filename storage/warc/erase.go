package warc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/collate"
	"github.com/forage-net/forage/storage/warc/member"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Erasing says what Erase takes out of an archive.
type Erasing struct {
	// Gone reports whether the captures of an address go.
	Gone func(url string) bool
	// Whole makes of a revisit, which stays, a capture with a payload of its own: original is the response that
	// it refers to, which goes.
	Whole func(revisit *capture.Capture, original []byte) error
}

// Erased is what Erase has done.
type Erased struct {
	// Captures is how many went, of Bytes in the files.
	Captures int
	Bytes    int64
	// Kept is how many revisits of others were stored in full.
	Kept int
}

// Erase takes captures out of the finished files of an archive, with their lines in the index. In the place of
// a capture comes a record of the same length that holds nothing, so that all others stay where they are; a
// file with no other captures is removed, unless it is the last one. What cannot be read goes too, since nobody
// can say what it is, and so do files that Open and a repair have set aside. No revisit is left that refers to
// what went: those of other addresses are written again in full, and those that only say that nothing has
// changed go too.
//
// Each file and each index is replaced in one step, the newest first: whenever it is interrupted, a second call
// goes on. Nothing may be appended meanwhile.
func (a *Archive) Erase(ctx context.Context, e Erasing) (done Erased, err error) {
	a.mu.Lock()
	err = errors.Join(a.finish(), a.rename())
	a.mu.Unlock()
	if err != nil {
		return done, words.New("said.trouble.erase", words.Args{"error": err})
	}
	files, err := warcfile.List(a.config.Dir)
	if err != nil {
		return done, words.New("said.trouble.erase", words.Args{"error": err})
	}
	x := eraser{archive: a, what: e, gone: make(map[capture.Key]capture.Position)}
	meter := progress.Begin(ctx, words.New("said.cli.work-reading-the-archive", nil), warcfile.Size(files),
		progress.Bytes)
	for i, f := range files {
		if err := x.look(ctx, f, i == len(files)-1, meter); err != nil {
			return x.done, fmt.Errorf("erase: read %s: %w", f.Path(), err)
		}
	}
	for _, p := range slices.Backward(x.plans) { // a revisit before what it refers to
		if err := x.carryOut(ctx, p); err != nil {
			return x.done, fmt.Errorf("erase from %s: %w", p.file.Path(), err)
		}
	}
	return x.done, x.removeAside()
}

// eraser is one call of Erase. It needs some 60 bytes for each capture that goes.
type eraser struct {
	archive *Archive
	what    Erasing
	gone    map[capture.Key]capture.Position // captures with a payload that go
	plans   []*erasePlan
	done    Erased
}

// erasePlan is what to do with a file.
type erasePlan struct {
	file     warcfile.File
	parts    []part             // that go, in order; none adjoin
	captures int                // in them
	records  map[int64]bool     // of the index lines that go
	orphans  []capture.Position // revisits that stay, of payloads that go
	remove   bool               // nothing else is in the file
}

// part is a piece of a file.
type part struct{ from, to int64 }

// look reads a file and plans what goes.
func (x *eraser) look(ctx context.Context, f warcfile.File, last bool, meter *progress.Meter) error {
	src, err := f.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	p := &erasePlan{file: f, records: make(map[int64]bool)}
	kept := false
	c := collate.Reader{File: f, Src: src, Keep: capture.MaxHead, Meter: meter, Pass: true}
	if index, err := os.Open(f.IndexPath()); err == nil {
		defer index.Close()
		c.Index = cdxj.NewCursor(index)
	}
	c.Capture = func(s *capture.Stored, _ *cdxj.Line) error {
		switch {
		case x.what.Gone(s.URL):
			if s.Revisit == nil {
				x.gone[s.Key()] = s.Position
			}
		case s.Revisit == nil || !x.refersTo(s.Revisit):
			kept = true
			return nil
		case !s.Revisit.NotModified:
			p.orphans = append(p.orphans, s.Position)
		}
		p.take(s.Position.Offset, s.Position.Next().Offset)
		p.records[s.Position.RecordOffset] = true
		p.captures++
		return nil
	}
	c.Gap = func(from, to int64, _ error) { p.take(from, to) }
	found, err := c.Run(ctx)
	if err != nil {
		return err
	}
	if found.Tail != nil {
		p.take(found.End, found.Length)
	}
	p.remove = !kept && !last
	switch {
	case len(p.parts) == 0:
	case found.Foreign:
		return fmt.Errorf("%w: its records are not compressed one by one, so that none can be taken out",
			record.ErrFormat)
	default:
		x.plans = append(x.plans, p)
	}
	return nil
}

// refersTo reports whether a revisit names a capture that goes.
func (x *eraser) refersTo(r *capture.Refers) bool {
	_, gone := x.gone[r.Key()]
	return gone
}

// take adds a part to those that go. What is too short for a page stays.
func (p *erasePlan) take(from, to int64) {
	if to-from < member.LeastFiller {
		return
	}
	if n := len(p.parts); n > 0 && p.parts[n-1].to >= from {
		p.parts[n-1].to = to
		return
	}
	p.parts = append(p.parts, part{from, to})
}

func (x *eraser) carryOut(ctx context.Context, p *erasePlan) error {
	fs := x.archive.config.fs
	for _, at := range p.orphans {
		if err := x.makeWhole(p.file, at); err != nil {
			return err
		}
	}
	if len(p.orphans) > 0 {
		if err := x.archive.Sync(); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	x.done.Captures += p.captures
	x.done.Kept += len(p.orphans)
	for _, part := range p.parts {
		x.done.Bytes += part.to - part.from
	}
	// The index first: while the records are there, a second call finds both.
	if p.remove {
		if err := durable.RemoveIfThere(fs, p.file.IndexPath()); err != nil {
			return err
		}
		if err := durable.RemoveIfThere(fs, p.file.Path()); err != nil {
			return err
		}
		return fs.SyncDir(p.file.Dir)
	}
	if err := dropLines(fs, p.file, p.records); err != nil {
		return err
	}
	return blank(fs, p.file, p.parts)
}

// makeWhole writes a revisit again, with the payload that it refers to.
func (x *eraser) makeWhole(f warcfile.File, at capture.Position) error {
	src, err := f.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	if _, err := src.Seek(at.Offset, io.SeekStart); err != nil {
		return err
	}
	g := capture.NewReader(record.NewReaderAt(src, at.Offset), f.String(), capture.MaxBlock)
	var c capture.Stored
	if err := g.Next(&c); err != nil {
		return err
	}
	first := x.gone[c.Revisit.Key()]
	original, err := warcfile.ReadResponse(f.Dir, first)
	if err != nil {
		return err
	}
	if err := x.what.Whole(&c.Capture, original); err != nil {
		return nil // what cannot be read is lost with it
	}
	c.Revisit, c.HeadLen = nil, capture.HeadLength(c.Response)
	_, err = x.archive.Append(c.Capture)
	return err
}

// dropLines takes lines out of an index. One that is missing stays so.
func dropLines(fs durable.FS, f warcfile.File, records map[int64]bool) error {
	old, err := os.Open(f.IndexPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close()
	return rewrite(fs, f.IndexPath(), func(to durable.File) error {
		for lines := cdxj.NewCursor(old); ; lines.Advance() {
			l, err := lines.Peek(0)
			if err != nil || l == nil {
				return err
			}
			if !l.OK || records[l.Offset] {
				continue
			}
			if _, err := to.Write(l.Text); err != nil {
				return err
			}
		}
	})
}

// blank puts fillers in the place of parts of a file.
func blank(fs durable.FS, f warcfile.File, parts []part) error {
	old, err := os.Open(f.Path())
	if err != nil {
		return err
	}
	defer old.Close()
	end, err := durable.Size(old)
	if err != nil {
		return err
	}
	return rewrite(fs, f.Path(), func(to durable.File) error {
		at := int64(0)
		for _, p := range append(parts, part{end, end}) {
			if _, err := io.Copy(to, io.NewSectionReader(old, at, p.from-at)); err != nil {
				return err
			}
			if err := member.WriteFiller(to, p.to-p.from); err != nil {
				return err
			}
			at = p.to
		}
		return nil
	})
}

// rewrite replaces a file by what fill writes.
func rewrite(fs durable.FS, path string, fill func(to durable.File) error) error {
	to, err := fs.OpenFile(path+warcfile.TempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := fill(to); err != nil {
		to.Close()
		fs.Remove(to.Name())
		return err
	}
	return durable.Rename(fs, to, path)
}

// removeAside removes what was set aside, of which nobody can say what it is.
func (x *eraser) removeAside() error {
	entries, err := os.ReadDir(x.archive.config.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if warcfile.SetAside(name) {
			path := filepath.Join(x.archive.config.Dir, name)
			err = errors.Join(err, durable.RemoveIfThere(x.archive.config.fs, path))
		}
	}
	return err
}
