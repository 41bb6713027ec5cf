package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/doctor"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

func newDoctor(e *env.Env) *cobra.Command {
	c := env.Command("doctor [--dry-run | --reindex]", "check the files and repair them", 0, 0)
	fs := c.Flags()
	dryRun := fs.Bool("dry-run", false, "only look; change nothing")
	thorough := fs.Bool("thorough", false, "check every page in the archive, not only a sample")
	reindex := fs.Bool("reindex", false, "rebuild the search index from the archive")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		if *dryRun && *reindex {
			return env.Usage("said.cli.reindex-or-dry-run", nil)
		}
		watched, unwatch := e.Watched(ctx)
		report, err := doctor.Run(watched, doctor.Options{Paths: e.Paths, DryRun: *dryRun, Thorough: *thorough,
			Reindex: *reindex, Sense: new(sense.Options), Lang: e.Lang.Of()})
		unwatch()
		if errors.Is(err, doctor.ErrNothing) {
			return e.NeverRan()
		}
		if *reindex && errors.Is(err, context.Canceled) {
			return words.New("said.cli.reindex-stopped", nil)
		}
		if err != nil {
			return err
		}
		if report.Running {
			lookAtNetwork(ctx, e, &report)
		}
		if e.JSON {
			err = console.JSON(e.Out, report)
		} else {
			err = printReport(e.Out, e.Lang, report)
		}
		if err == nil && !report.OK {
			err = words.New("cli.doctor.wrong", words.Args{"count": report.Problems()})
		}
		return err
	})
}

// lookAtNetwork adds what the node that runs says of others, and of how they
// reach it. One that does not answer has been told of already.
func lookAtNetwork(ctx context.Context, e *env.Env, r *doctor.Report) {
	client, err := e.Dial()
	if err != nil {
		return
	}
	p, err := client.Peers(ctx)
	if err != nil {
		return
	}
	key := "doctor.others"
	if len(p.Peers) == 0 {
		key = "doctor.alone"
	}
	r.Areas = append(r.Areas, doctor.Area{
		Name: "network", Verdict: doctor.OK, Summary: e.Lang.Text(key,
			words.Args{"count": len(p.Peers), "share": e.Lang.Percent(p.Share)}),
		Findings: []doctor.Finding{{Verdict: doctor.OK, Text: p.Reachability}},
	})
}

// printReport writes a line for each area and its findings below.
func printReport(w io.Writer, lang language.Language, r doctor.Report) error {
	widths := []int{8, 8}
	for _, a := range r.Areas {
		widths[0] = max(widths[0], console.ColumnsIn(lang.Word("verdict", string(a.Verdict))))
		widths[1] = max(widths[1], console.ColumnsIn(lang.Word("area", a.Name)))
	}
	widths = append(widths, 0)
	for _, a := range r.Areas {
		rows := [][]string{{lang.Word("verdict", string(a.Verdict)), lang.Word("area", a.Name),
			console.Printable(a.Summary)}}
		for _, f := range a.Findings {
			rows = append(rows, []string{"", "", console.Printable(f.Text)})
		}
		for _, row := range rows {
			if err := console.WriteRow(w, row, widths); err != nil {
				return err
			}
		}
	}
	return nil
}
