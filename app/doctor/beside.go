package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/sense"
)

// besideArchive is how long the archive is looked at beside a node at the wish
// of its API: somebody waits for the answer, and sites for their crawler.
const besideArchive = 6 * time.Second

// Beside looks at the files of the node that this process runs, as a dry run,
// and tells it as the API does, in the language of ctx. What takes longer than a moment is looked at in
// part.
func Beside(ctx context.Context, paths config.Paths) (api.DoctorReport, error) {
	r, err := Run(ctx, Options{Paths: paths, DryRun: true, Sense: new(sense.Options), ArchiveWithin: besideArchive,
		Lang: api.Lang(ctx)})
	if err != nil {
		return api.DoctorReport{}, err
	}
	told := api.DoctorReport{OK: r.OK, DryRun: r.DryRun, Running: r.Running,
		Areas: make([]api.DoctorArea, len(r.Areas))}
	for i, a := range r.Areas {
		told.Areas[i] = api.DoctorArea{Name: a.Name, Verdict: string(a.Verdict), Summary: a.Summary,
			Findings: make([]api.DoctorFinding, len(a.Findings))}
		for k, f := range a.Findings {
			told.Areas[i].Findings[k] = api.DoctorFinding{Verdict: string(f.Verdict), Text: f.Text}
		}
	}
	return told, nil
}

// checkWithin returns a context for a look at the archive, and what tells that
// its time is over though the caller's is not.
func (d *doctor) checkWithin(ctx context.Context) (within context.Context, cancel func(), isOver func(error) bool) {
	if d.opts.ArchiveWithin <= 0 {
		return ctx, func() {}, func(error) bool { return false }
	}
	within, cancel = context.WithTimeout(ctx, d.opts.ArchiveWithin)
	return within, cancel, func(err error) bool { return errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil }
}
