package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
)

const (
	// maxDashboardsCPU is what all dashboards may cost a node at home, of one core.
	maxDashboardsCPU = 0.01
	// maxAPI is how long calls may take at the 99th percentile at full speed, in milliseconds.
	maxAPI = 10.0
	// maxFloor is how long calls of a bystander may take, likewise: where they take longer, processes of this priority
	// wait for the processor behind other programs, as they shall, and calls of the node may take as much longer.
	maxFloor = maxAPI / 4
)

// apiReport is what bench prints of the API.
type apiReport struct {
	System     string   `json:"system"`
	CPUs       int      `json:"gomaxprocs"`
	Load       string   `json:"load"` // at the start
	Dashboards int      `json:"dashboards"`
	Runs       []apiRun `json:"runs"`
	Failures   []string `json:"failures"`
}

func newAPIReport(o options) *apiReport {
	return &apiReport{
		System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Load: loadAverage(), Dashboards: o.api.dashboards, Failures: []string{},
	}
}

// mean returns the mean of turns.
func mean(turns []apiTurn) (m apiTurn) {
	n := float64(max(len(turns), 1))
	for _, t := range turns {
		m.CPU += t.CPU / n
		m.Pages += t.Pages / n
		m.Calls += t.Calls / n
		m.Streamed += t.Streamed / n
	}
	return m
}

// cost is what dashboards cost: at home what the node uses more with them, and at full speed, where it uses all
// it can get, what it uses more for as many pages.
func (r *apiRun) cost() float64 {
	without, with := mean(r.Without), mean(r.With)
	if r.Pace == "home" || without.Pages == 0 {
		return with.CPU - without.CPU
	}
	return with.CPU - without.CPU/without.Pages*with.Pages
}

// floor is how long a call takes of a process that does no work, at the 99th percentile.
func (r *apiRun) floor() float64 {
	for _, l := range r.Latencies {
		if l.Path == bystanderPath {
			return l.P99
		}
	}
	return 0
}

// most is how long calls may take at the 99th percentile, in milliseconds.
func (r *apiRun) most() float64 {
	if f := r.floor(); f > maxFloor {
		return maxAPI + f
	}
	return maxAPI
}

// judge holds what was measured to the limits.
func (r *apiReport) judge() {
	for i := range r.Runs {
		run := &r.Runs[i]
		if c := run.cost(); run.Pace == "home" && c > maxDashboardsCPU {
			r.Failures = append(r.Failures, fmt.Sprintf("%d dashboards cost %.2f %% of a core, want %g %% at most", r.Dashboards, 100*c, 100*maxDashboardsCPU))
		}
		for _, l := range run.Latencies {
			if l.P99 > run.most() && !l.Search && l.Path != bystanderPath {
				r.Failures = append(r.Failures, fmt.Sprintf("%s: %.1f ms at the 99th percentile, want %.1f at most", l.Path, l.P99, run.most()))
			}
		}
	}
}

// print writes the report as tables, or as JSON.
func (r *apiReport) print(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	fmt.Fprintf(w, "%s, %d cores, load %s\n", r.System, r.CPUs, r.Load)
	for i := range r.Runs {
		if err := r.Runs[i].print(w, r.Dashboards); err != nil {
			return err
		}
	}
	for _, f := range r.Failures {
		if _, err := fmt.Fprintln(w, "WRONG:", f); err != nil {
			return err
		}
	}
	return nil
}

func (r *apiRun) print(w io.Writer, dashboards int) error {
	fmt.Fprintf(w, "\nAt %s pace, load %s at the end:\n", r.Pace, r.Load)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "dashboards\tCPU, % of a core\tpages/s\tCPU ms/page\tcalls/s\tevents, kB/s\t")
	row := func(name string, t apiTurn) {
		fmt.Fprintf(table, "%s\t%.2f\t%.1f\t%.2f\t%.1f\t%.1f\t\n", name, 100*t.CPU, t.Pages, 1000*t.CPU/max(t.Pages, 1e-9), t.Calls, t.Streamed/1000)
	}
	for i := range r.Without {
		row("0", r.Without[i])
		row(fmt.Sprint(dashboards), r.With[i])
	}
	row("mean of 0", mean(r.Without))
	row(fmt.Sprintf("mean of %d", dashboards), mean(r.With))
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "They cost %.2f %% of a core.\n", 100*r.cost())
	if len(r.Latencies) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nTime of calls, with %d dashboards open; %s does no work, %s neither, in a process that does none:\n", dashboards, floorPath, bystanderPath)
	table = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "calls\tp50, ms\tp99\tmax\tkB\t path\t")
	for _, l := range r.Latencies {
		fmt.Fprintf(table, "%d\t%.2f\t%.2f\t%.2f\t%.1f\t %s%s\t\n", l.Calls, l.P50, l.P99, l.Max, float64(l.Bytes)/1000, l.Path, map[bool]string{true: ", a search"}[l.Search])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if f := r.floor(); f > maxFloor {
		fmt.Fprintf(w, "%.1f ms of the 99th percentile are the computer's, which was busy with other things.\n", f)
	}
	return nil
}
