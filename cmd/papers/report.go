package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/forage-net/forage/cmd/papers/lab"
)

// row is an experiment and what came of it; the result is nil if it was not run.
type row struct {
	lab.Experiment
	*lab.Result
}

func (r row) verdictOf(l *lab.Lab) string {
	switch {
	case r.Lacks != "":
		return "not run: " + r.Lacks
	case r.Trips && l.Trips == nil:
		return "not run: lacks measured round trips (`-data`)"
	case r.Result == nil:
		return "not run: was not asked for"
	}
	return r.Verdict()
}

// write writes the report, a page for each experiment, and its pictures.
func write(path string, rows []row, l *lab.Lab) error {
	pages := filepath.Join(filepath.Dir(path), "papers")
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Result == nil {
			continue
		}
		for _, f := range r.Figures {
			svg, err := f.SVG()
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(pages, f.File+".svg"), svg, 0o644); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(pages, r.page()), []byte(r.text(filepath.Base(path))), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(report(rows, l)), 0o644)
}

// report returns the text of the report.
func report(rows []row, l *lab.Lab) string {
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "This run: %s; %s; seed %d, %d draws of each random choice.\n\n", l.TripsName(), l.HostsName(),
		l.Seed, l.Draws)
	b.WriteString("| | set-up | the paper | ours | verdict |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		name, ours := r.ID, "–"
		if r.Result != nil {
			name, ours = fmt.Sprintf("[%s](papers/%s)", r.ID, r.page()), r.Ours
		}
		fmt.Fprintf(&b, "| %s %s | %s | %s | %s | %s |\n", name, r.Paper, r.Setup, r.Said, ours, r.verdictOf(l))
	}
	return b.String()
}

// page is the name of the file that says more of an experiment.
func (r row) page() string { return strings.ToLower(r.ID) + ".md" }

// text returns what there is to say of an experiment beside its row in the report.
func (r row) text(report string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "# %s\n\n%s. Its row and its verdict are in [the report](../%s).\n", r.ID, r.Paper, report)
	for _, n := range r.Notes {
		fmt.Fprintf(b, "\n%s\n", n)
	}
	if failed := r.Failed(); len(failed) > 0 {
		b.WriteString("\nMarks that do not hold:\n\n")
		for _, m := range failed {
			fmt.Fprintf(b, "- %s\n", m)
		}
	}
	for _, t := range r.Tables {
		t.Write(b)
	}
	for i, f := range r.Figures {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "![%s](%s.svg)\n", f.Title, f.File)
	}
	return b.String()
}

const head = `# The papers' experiments, run again

Forage stands on five works. ` + "`make papers`" + ` runs their experiments again, and this page is what it wrote.
Our rows drive the program's own ring, nearness, frontier and Bloom filters; strategies of others are in
cmd/papers/rival.

- *Apoidea*: Singh, Srivatsa, Liu, Miller, "Apoidea: a decentralized peer-to-peer architecture for crawling
  the World Wide Web", 2003
- *Loo*: Loo, Cooper, Krishnamurthy, "Distributed Web crawling over DHTs", 2004
- *Chen*: Chen, Yang, Wang, "A peer-to-peer based passive web crawling system"
- *UbiCrawler*: Boldi, Codenotti, Santini, Vigna, "UbiCrawler: a scalable fully distributed web crawler", 2004
- *Thesis*: Papapetrou, thesis on location-aware crawling (UCYMicra, HiMicra, IPMicra)

How to read it. "Agrees" means that every mark holds: the paper's orderings and ratios, and the bounds that the design
sets. "Differs" names each mark that does not hold, and why if that is known. Nothing is tuned until it agrees.
"Not run" is no pass. "Shown" has no mark. Behind a figure, in brackets, is its least and most over
` + "ten random halves" + ` of the nodes, so that one can see what is chance. Marks in milliseconds were
set on slice 1 of PlanetLab and are judged on it alone.

The papers' numbers are quoted as our notes on them have them. What a paper leaves open, or the notes do, is an
assumption, named below.

`
