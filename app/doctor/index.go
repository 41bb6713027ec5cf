package doctor

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/index"
)

// besideIndex is up to how many bytes of an index are read where somebody waits for the answer.
const besideIndex = 256e6

// lookAtIndex looks at the search index, and makes it again if that is asked for or has to be.
func (d *doctor) lookAtIndex(ctx context.Context) *Area {
	a := d.area("index")
	cfg := library.IndexConfig(d.paths, d.settings)
	if d.opts.Reindex && !d.opts.DryRun {
		d.reindex(ctx, a, cfg)
		return a
	}
	x, err := d.examineIndex(cfg)
	switch {
	case errors.Is(err, os.ErrNotExist) && !d.settings.Index.On:
		a.Summary = d.say("said.doctor.index-switched-off", nil)
	case errors.Is(err, os.ErrNotExist):
		a.Summary = d.say("said.doctor.none-yet-forage-run-makes-one", nil)
	case err != nil:
		a.problem(err)
	case x.Fault != nil:
		d.repairIndex(ctx, a, cfg, x.Fault)
	default:
		a.tellIndex(x.Status)
		if x.Gone > 0 {
			a.note(words.New("said.doctor.index-gone", words.Args{"count": x.Gone}))
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
	parts := []string{words.Text(a.Lang, "said.doctor.index-pages", words.Args{"count": s.Pages}),
		words.Text(a.Lang, "said.doctor.index-segments", words.Args{"count": s.Segments}), ledger.FormatBytes(s.Bytes)}
	if !s.On {
		parts = append([]string{words.Text(a.Lang, "said.doctor.index-switched-off", nil)}, parts...)
	}
	a.Summary = strings.Join(parts, ", ")
	switch {
	case !s.On:
		a.note(words.New("said.doctor.index-off", nil))
	case s.Full && s.Waiting > 0:
		a.note(words.New("said.doctor.index-full-waiting", words.Args{"count": s.Waiting}))
	case s.Full:
		a.note(words.New("said.doctor.index-full", nil))
	case s.Waiting > 0:
		a.note(words.New("said.doctor.index-waiting", words.Args{"count": s.Waiting}))
	}
}

// repairIndex makes an index again that cannot be used. One that is switched off is removed instead.
func (d *doctor) repairIndex(ctx context.Context, a *Area, cfg find.Config, fault error) {
	a.Summary = d.say("said.doctor.index-damaged", nil)
	switch {
	case !d.hands():
		a.fixable(d, capital{fault})
	case !d.settings.Index.On:
		if err := index.Remove(cfg.Index); err != nil {
			a.problem(err)
			return
		}
		a.Summary = d.say("said.doctor.index-switched-off", nil)
		a.repaired(sentence{words.New("said.doctor.removed", words.Args{"fault": fault})})
	default:
		if d.remakeIndex(ctx, a, cfg) {
			a.repaired(sentence{words.New("said.doctor.index-made-again", words.Args{"fault": fault})})
		}
	}
}

// reindex makes the index again because somebody wants it.
func (d *doctor) reindex(ctx context.Context, a *Area, cfg find.Config) {
	switch {
	case d.running:
		a.Summary = d.say("said.doctor.in-use-by-the-node", nil)
		a.problem(words.New("said.doctor.index-in-use", nil))
	case !d.settings.Index.On:
		a.Summary = d.say("said.doctor.index-switched-off", nil)
		a.problem(words.New("said.doctor.index-not-made", nil))
	default:
		if d.remakeIndex(ctx, a, cfg) {
			a.note(words.New("said.doctor.index-was-made-again", nil))
		}
	}
}

// remakeIndex reports whether it succeeded.
func (d *doctor) remakeIndex(ctx context.Context, a *Area, cfg find.Config) bool {
	s, err := find.Remake(ctx, cfg)
	a.tellIndex(s)
	if err != nil {
		a.problem(err)
	}
	return err == nil
}
