package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
)

const (
	// leastFree is what a crawl without a limit must use at least, in percent, for its limits to mean
	// something: of the machine, or where others were busy of what they left.
	leastFree = 70
	// mayDiffer is by how many points of the machine a share may be off its limit.
	mayDiffer = 3
	// mostResting is the most that a node uses which may do nothing: it answers its API.
	mostResting = 1
)

// cpuRow is what was measured with one limit. All but Seconds and Pages is in percent of the whole machine.
type cpuRow struct {
	Name    string  `json:"name"`
	Limit   float64 `json:"limit"` // -1 for none
	Share   float64 `json:"share"`
	Most    float64 `json:"most"` // in ten seconds
	Web     float64 `json:"web"`  // the process that serves the web and measures
	Others  float64 `json:"others"`
	Seconds float64 `json:"seconds"`
	Pages   float64 `json:"pages_per_second"`
}

// left is what the web and others left for the node.
func (r cpuRow) left() float64 { return 100 - r.Web - r.Others }

// fault says what is wrong with a row, "" if all is well.
func (r cpuRow) fault() string {
	switch {
	case r.Limit == noShare && r.Share < leastFree*r.left()/100:
		return fmt.Sprintf("%.1f %% without a limit, want %d %% of the %.1f %% that others left", r.Share, leastFree, r.left())
	case r.Limit == noShare:
		return ""
	case r.Limit == 0 && (r.Share > mostResting || r.Pages > 0):
		return fmt.Sprintf("%.2f %% and %.1f pages/s with %s, want none", r.Share, r.Pages, r.Name)
	case r.Limit == 0:
		return ""
	case r.Pages == 0:
		return fmt.Sprintf("no page was read with a limit of %g: was the web read before?", r.Limit)
	case r.Share > r.Limit+mayDiffer:
		return fmt.Sprintf("%.2f %% of the machine, want %g at most %d more", r.Share, r.Limit, mayDiffer)
	case r.Share < r.Limit-mayDiffer && r.left() < r.Limit+mayDiffer:
		return fmt.Sprintf("%.2f %% of the machine: others left %.1f %%, too little to show a limit of %g", r.Share, r.left(), r.Limit)
	case r.Share < r.Limit-mayDiffer:
		return fmt.Sprintf("%.2f %% of the machine, want %g at most %d less", r.Share, r.Limit, mayDiffer)
	}
	return ""
}

// cpuReport is what bench prints of shares of the machine.
type cpuReport struct {
	System   string   `json:"system"`
	CPUs     int      `json:"cpus"`
	Load     string   `json:"load"` // at the start
	Rows     []cpuRow `json:"rows"`
	Notes    []string `json:"notes"`
	Failures []string `json:"failures"`
}

func newCPUReport() *cpuReport {
	return &cpuReport{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), Load: loadAverage(), Notes: []string{}, Failures: []string{}}
}

// add takes a row in and judges it.
func (r *cpuReport) add(row cpuRow) {
	r.Rows = append(r.Rows, row)
	if f := row.fault(); f != "" {
		r.Failures = append(r.Failures, f)
	} else if row.Limit == noShare && row.Share < leastFree {
		r.Notes = append(r.Notes, fmt.Sprintf("others used %.1f %% while there was no limit: the node used %.1f %% of the machine, which is %.0f %% of what was left",
			row.Others, row.Share, 100*row.Share/row.left()))
	}
}

func (r *cpuReport) print(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	fmt.Fprintf(w, "%s, %d processors, load %s; percent of the whole machine\n\n", r.System, r.CPUs, r.Load)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "limit\tnode\tmost in 10 s\tthe web\tothers\tseconds\tpages/s\t")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", row.Name, row.Share, row.Most, row.Web, row.Others, row.Seconds, row.Pages)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, n := range r.Notes {
		fmt.Fprintln(w, "note:", n)
	}
	for _, f := range r.Failures {
		fmt.Fprintln(w, "WRONG:", f)
	}
	return nil
}
