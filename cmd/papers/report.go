package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// row is an experiment and what came of it; the result is nil if it was not run.
type row struct {
	experiment
	*result
}

func (r row) verdictOf(l *lab) string {
	switch {
	case r.lacks != "":
		return "not run: " + r.lacks
	case r.trips && l.trips == nil:
		return "not run: lacks measured round trips (`-data`)"
	case r.result == nil:
		return "not run: was not asked for"
	}
	return r.verdict()
}

// write writes the report and its pictures.
func write(path string, rows []row, l *lab) error {
	pictures := filepath.Join(filepath.Dir(path), "papers")
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		return err
	}
	for _, r := range rows {
		if r.result == nil {
			continue
		}
		for _, f := range r.figures {
			svg, err := f.SVG()
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(pictures, f.File+".svg"), svg, 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(path, []byte(report(rows, l)), 0o644)
}

// report returns the text of the report.
func report(rows []row, l *lab) string {
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "This run: %s; %s; seed %d, %d draws of each random choice.\n\n", l.tripsName(), l.hostsName(), l.seed, l.draws)
	b.WriteString("| | set-up | the paper | ours | verdict |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		ours := "–"
		if r.result != nil {
			ours = r.ours
		}
		fmt.Fprintf(&b, "| [%s](#%s) %s | %s | %s | %s | %s |\n", r.id, strings.ToLower(r.id), r.paper, r.setup, r.said, ours, r.verdictOf(l))
	}
	for _, r := range rows {
		if r.result != nil {
			r.write(&b)
		}
	}
	return b.String()
}

// write writes what there is to say of an experiment beside its row.
func (r row) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", r.id, r.paper)
	for _, n := range r.notes {
		fmt.Fprintf(b, "\n%s\n", n)
	}
	if failed := r.failed(); len(failed) > 0 {
		b.WriteString("\nMarks that do not hold:\n\n")
		for _, m := range failed {
			fmt.Fprintf(b, "- %s\n", m)
		}
	}
	for _, t := range r.tables {
		t.write(b)
	}
	for i, f := range r.figures {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "![%s](papers/%s.svg)\n", f.Title, f.File)
	}
}

// table is lines of columns that part at |; the first is its head.
type table []string

func (t table) write(b *strings.Builder) {
	for i, line := range t {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "| %s |\n", line)
		if i == 0 {
			fmt.Fprintf(b, "| ---%s |\n", strings.Repeat(" | ---:", strings.Count(line, "|")))
		}
	}
}

func (l *lab) tripsName() string {
	if l.trips == nil {
		return "no round trips"
	}
	return fmt.Sprintf("round trips of %s (%d nodes, SHA-256 %x…)", l.trips.Name, l.trips.Len(), l.trips.Sum[:6])
}

func (l *lab) hostsName() string {
	if l.hosts == nil {
		return "a generated graph of hosts"
	}
	return "hosts of " + l.hosts.Name
}

const head = `# The papers' experiments, run again

Forage stands on five works. ` + "`make papers`" + ` runs their experiments again, and this page is what it wrote. Our rows
drive the program's own ring, nearness, frontier and Bloom filters; strategies of others are in cmd/papers/rival.

- *Apoidea*: Singh, Srivatsa, Liu, Miller, "Apoidea: a decentralized peer-to-peer architecture for crawling the World Wide Web", 2003
- *Loo*: Loo, Cooper, Krishnamurthy, "Distributed Web crawling over DHTs", 2004
- *Chen*: Chen, Yang, Wang, "A peer-to-peer based passive web crawling system"
- *UbiCrawler*: Boldi, Codenotti, Santini, Vigna, "UbiCrawler: a scalable fully distributed web crawler", 2004
- *Thesis*: Papapetrou, thesis on location-aware crawling (UCYMicra, HiMicra, IPMicra)

How to read it. "Agrees" means that every mark holds: the paper's orderings and ratios, and the bounds that the design sets.
"Differs" names each mark that does not hold, and why if that is known. Nothing is tuned until it agrees. "Not run" is no pass. "Shown"
has no mark. Behind a figure, in brackets, is its least and most over ` + "ten random halves" + ` of the nodes, so that one can see
what is chance. Marks in milliseconds were set on slice 1 of PlanetLab and are judged on it alone.

`
