package cli

import (
	"context"
	"errors"
	"io"

	"github.com/forage-net/forage/app/doctor"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
)

func runDoctor(ctx context.Context, e *env, args []string) error {
	fs := e.flags("doctor")
	dryRun := fs.Bool("dry-run", false, "only look; change nothing")
	thorough := fs.Bool("thorough", false, "check every page in the archive, not only a sample")
	reindex := fs.Bool("reindex", false, "rebuild the search index from the archive")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	if *dryRun && *reindex {
		return usage("--reindex changes files and --dry-run changes nothing: give one of them")
	}
	watched, unwatch := e.watched(ctx)
	report, err := doctor.Run(watched, doctor.Options{Paths: e.paths, DryRun: *dryRun, Thorough: *thorough, Reindex: *reindex, Sense: new(sense.Options)})
	unwatch()
	if errors.Is(err, doctor.ErrNothing) {
		return e.neverRan()
	}
	if *reindex && errors.Is(err, context.Canceled) {
		return errors.New("stopped. What is in the search index by now can be searched; the node adds the rest while it runs")
	}
	if err != nil {
		return err
	}
	translate(e.lang, report)
	if report.Running {
		e.lookAtNetwork(ctx, &report)
	}
	if e.json {
		err = printJSON(e.out, report)
	} else {
		err = printReport(e.out, e.lang, report)
	}
	if err == nil && !report.OK {
		err = errors.New(e.lang.text("doctor.wrong", words.Args{"count": report.Problems()}))
	}
	return err
}

// lookAtNetwork adds what the node that runs says of others, and of how they
// reach it. One that does not answer has been told of already.
func (e *env) lookAtNetwork(ctx context.Context, r *doctor.Report) {
	client, err := e.dial()
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
		Name: "network", Verdict: doctor.OK, Summary: e.lang.text(key, words.Args{"count": len(p.Peers), "share": e.lang.percent(p.Share)}),
		Findings: []doctor.Finding{{Verdict: doctor.OK, Text: p.Reachability}},
	})
}

// printReport writes a line for each area and its findings below.
func printReport(w io.Writer, lang language, r doctor.Report) error {
	widths := []int{8, 8}
	for _, a := range r.Areas {
		widths[0] = max(widths[0], columnsIn(lang.word("verdict", string(a.Verdict))))
		widths[1] = max(widths[1], columnsIn(lang.word("area", a.Name)))
	}
	widths = append(widths, 0)
	for _, a := range r.Areas {
		rows := [][]string{{lang.word("verdict", string(a.Verdict)), lang.word("area", a.Name), printable(a.Summary)}}
		for _, f := range a.Findings {
			rows = append(rows, []string{"", "", printable(f.Text)})
		}
		for _, row := range rows {
			if err := writeRow(w, row, widths); err != nil {
				return err
			}
		}
	}
	return nil
}

// translate puts a report, which is in English, into a language.
func translate(lang language, r doctor.Report) {
	for _, a := range r.Areas {
		for i := range a.Findings {
			a.Findings[i].Text = lang.said(a.Findings[i].Text)
		}
	}
	for i := range r.Areas {
		r.Areas[i].Summary = lang.said(r.Areas[i].Summary)
	}
}
