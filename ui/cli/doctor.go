package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/doctor"
	"github.com/forage-net/forage/app/sense"
)

func runDoctor(ctx context.Context, e *env, args []string) error {
	fs := e.flags("doctor")
	dryRun := fs.Bool("dry-run", false, "only look; change nothing")
	thorough := fs.Bool("thorough", false, "look up every note of a page's content in the archive, not a sample")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	watched, unwatch := e.watched(ctx)
	report, err := doctor.Run(watched, doctor.Options{Paths: e.paths, DryRun: *dryRun, Thorough: *thorough, Sense: new(sense.Options)})
	unwatch()
	if errors.Is(err, doctor.ErrNothing) {
		return e.neverRan()
	}
	if err != nil {
		return err
	}
	if report.Running {
		e.lookAtNetwork(ctx, &report)
	}
	if e.json {
		err = printJSON(e.out, report)
	} else {
		err = printReport(e.out, report)
	}
	if err == nil && !report.OK {
		err = fmt.Errorf("something is wrong (%s in the list)", plural(report.Problems(), "problem"))
	}
	return err
}

// lookAtNetwork adds what the node that runs says of others, and of how they
// reach it. One that does not answer has been told of already.
func (e *env) lookAtNetwork(ctx context.Context, r *doctor.Report) {
	client, err := api.Dial(e.paths.State)
	if err != nil {
		return
	}
	p, err := client.Peers(ctx)
	if err != nil {
		return
	}
	others := plural(len(p.Peers), "other node")
	if len(p.Peers) == 0 {
		others = "no other node yet"
	}
	r.Areas = append(r.Areas, doctor.Area{
		Name: "network", Verdict: doctor.OK, Summary: fmt.Sprintf("%s; this node owns %s of the ring", others, percent(p.Share)),
		Findings: []doctor.Finding{{Verdict: doctor.OK, Text: p.Reachability}},
	})
}

// printReport writes a line for each area and its findings below.
func printReport(w io.Writer, r doctor.Report) error {
	for _, a := range r.Areas {
		if _, err := fmt.Fprintf(w, "%-8s  %-8s  %s\n", a.Verdict, a.Name, printable(a.Summary)); err != nil {
			return err
		}
		for _, f := range a.Findings {
			if _, err := fmt.Fprintf(w, "%20s%s\n", "", printable(f.Text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}
