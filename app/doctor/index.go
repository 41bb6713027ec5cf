package doctor

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/storage/index"
)

// besideIndex is up to how many bytes of an index are read where somebody waits for the answer.
const besideIndex = 256e6

// lookAtIndex looks at the search index, and makes it again if that is asked for or has to be.
func (d *doctor) lookAtIndex(ctx context.Context) *Area {
	a := newArea("index")
	cfg := library.IndexConfig(d.paths, d.settings)
	if d.opts.Reindex && !d.opts.DryRun {
		d.reindex(ctx, a, cfg)
		return a
	}
	x, err := d.examineIndex(cfg)
	switch {
	case errors.Is(err, os.ErrNotExist) && !d.settings.Index.On:
		a.Summary = "switched off"
	case errors.Is(err, os.ErrNotExist):
		a.Summary = "none yet; \"forage run\" makes one"
	case err != nil:
		a.problem("%v", err)
	case x.Fault != nil:
		d.repairIndex(ctx, a, cfg, x.Fault)
	default:
		a.tellIndex(x.Status)
		if x.Gone > 0 {
			a.note("Pages in it whose files are no longer in the archive: %d. The next start of a node takes them "+
				"out.", x.Gone)
		}
	}
	return a
}

func (d *doctor) examineIndex(cfg find.Config) (find.Examination, error) {
	if d.opts.ArchiveWithin <= 0 {
		return find.Examine(cfg, true)
	}
	x, err := find.Examine(cfg, false)
	if err != nil || x.Fault != nil || x.Bytes > besideIndex {
		return x, err
	}
	return find.Examine(cfg, true)
}

// tellIndex says how large an index is, and what is not in it.
func (a *Area) tellIndex(s find.Status) {
	parts := []string{count(s.Pages, "page"), count(s.Segments, "segment"), ledger.FormatBytes(s.Bytes)}
	if !s.On {
		parts = append([]string{"switched off"}, parts...)
	}
	a.Summary = strings.Join(parts, ", ")
	switch {
	case !s.On:
		a.note("Only titles and addresses are searched. \"forage set index.on=yes\" switches the index on again; " +
			"until then its files stay as they are.")
	case s.Full && s.Waiting > 0:
		a.note("It takes all the space it may. About %d pages of the archive are not in it. \"forage set "+
			"index.disk=SIZE\" gives it more.", s.Waiting)
	case s.Full:
		a.note("It takes all the space it may, so new pages do not get into it. \"forage set index.disk=SIZE\" " +
			"gives it more.")
	case s.Waiting > 0:
		a.note("About %d pages of the archive are not in it yet. The node adds them while it runs.", s.Waiting)
	}
}

// repairIndex makes an index again that cannot be used. One that is switched off is removed instead.
func (d *doctor) repairIndex(ctx context.Context, a *Area, cfg find.Config, fault error) {
	a.Summary = "damaged"
	switch {
	case !d.hands():
		a.fixable(d, sentence(fault.Error()))
	case !d.settings.Index.On:
		if err := index.Remove(cfg.Index); err != nil {
			a.problem("%v", err)
			return
		}
		a.Summary = "switched off"
		a.repaired("%s; removed.", sentence(fault.Error()))
	default:
		if d.remakeIndex(ctx, a, cfg) {
			a.repaired("%s; made again from the archive.", sentence(fault.Error()))
		}
	}
}

// reindex makes the index again because somebody wants it.
func (d *doctor) reindex(ctx context.Context, a *Area, cfg find.Config) {
	switch {
	case d.running:
		a.Summary = "in use by the node"
		a.problem("The index cannot be made again while a node uses it. \"forage stop\" ends the node; then try again.")
	case !d.settings.Index.On:
		a.Summary = "switched off"
		a.problem("The search index is switched off, so it was not made again. \"forage set index.on=yes\" " +
			"switches it on.")
	default:
		if d.remakeIndex(ctx, a, cfg) {
			a.note("It was made again from the archive.")
		}
	}
}

// remakeIndex reports whether it succeeded.
func (d *doctor) remakeIndex(ctx context.Context, a *Area, cfg find.Config) bool {
	s, err := find.Remake(ctx, cfg)
	a.tellIndex(s)
	if err != nil {
		a.problem("%v", err)
	}
	return err == nil
}
