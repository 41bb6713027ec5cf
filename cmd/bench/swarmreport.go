package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// What a swarm may cost. Speed is judged only while the machine has cores to
// spare.
const (
	minEfficiency   = 0.9
	fullCores       = 0.9
	bytesPerPage    = 300.0
	bytesPerNewURL  = 60.0
	maxIdleBytes    = 2000.0
	maxIdleMB       = 60.0
	maxIdleCPU      = 0.003
	wrongsPerReport = 5
)

// swarmReport is what bench prints of swarms.
type swarmReport struct {
	System   string     `json:"system"`
	CPUs     int        `json:"gomaxprocs"`
	Load     string     `json:"load"` // at the start; "" where the system does not say
	Runs     []swarmRun `json:"runs"`
	Idle     *idleRun   `json:"idle,omitempty"`
	Failures []string   `json:"failures"`
	options  swarmOptions
}

func newSwarmReport(o options) *swarmReport {
	return &swarmReport{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Load: loadAverage(), Failures: []string{}, options: o.swarm}
}

// judge compares all runs with the first, and holds them to the limits.
func (r *swarmReport) judge() {
	for i := range r.Runs {
		run := &r.Runs[i]
		wrong := func(format string, args ...any) {
			r.Failures = append(r.Failures, fmt.Sprintf("%d nodes: ", run.Nodes)+fmt.Sprintf(format, args...))
		}
		if first := r.Runs[0]; first.PagesPerSec > 0 {
			run.Efficiency = run.PagesPerSec / float64(run.Nodes) / (first.PagesPerSec / float64(first.Nodes))
		}
		if run.Efficiency < minEfficiency && run.BusyCores < fullCores*float64(r.CPUs) {
			wrong("%.2f of linear, want %g at least", run.Efficiency, minEfficiency)
		}
		if float64(run.WorkBytes) > run.budget() {
			wrong("%.2f times the bytes that it may send", float64(run.WorkBytes)/run.budget())
		}
		if s := run.Standby; s != nil {
			for _, x := range []struct {
				what       string
				value, max float64
			}{
				{"bytes a second sent", s.Sent, maxStandbyRate}, {"bytes a second received", s.Received, maxStandbyRate},
				{"of the machine", s.CPU / float64(r.CPUs), maxStandbyCPU}, {"connections", float64(s.Sockets), maxStandbySockets},
			} {
				if x.value > x.max {
					wrong("the one that stands by: %.3g %s, want %g at most", x.value, x.what, x.max)
				}
			}
		}
		for j, w := range run.Wrongs {
			if j == wrongsPerReport {
				wrong("and %d more", len(run.Wrongs)-j)
				break
			}
			wrong("%s", w)
		}
	}
	if i := r.Idle; i != nil {
		for _, x := range []struct {
			what       string
			value, max float64
		}{
			{"bytes a second", max(i.FrameBytes, i.StreamBytes), maxIdleBytes}, {"MB of resident memory", i.RSS, maxIdleMB}, {"of a core", i.CPU, maxIdleCPU},
		} {
			if x.value > x.max {
				r.Failures = append(r.Failures, fmt.Sprintf("%d idle nodes: %.3g %s each, want %g at most", i.Nodes, x.value, x.what, x.max))
			}
		}
	}
}

// budget is how many bytes the nodes of a run may send for the crawl.
func (r *swarmRun) budget() float64 {
	return bytesPerPage*float64(r.Pages) + bytesPerNewURL*float64(r.Known)
}

// print writes the report as tables, or as JSON.
func (r *swarmReport) print(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	fmt.Fprintf(w, "%s, %d cores, load %s\n", r.System, r.CPUs, r.Load)
	if len(r.Runs) > 0 {
		if err := r.printRuns(w); err != nil {
			return err
		}
	}
	if r.Idle != nil {
		if err := r.Idle.print(w); err != nil {
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

func (r *swarmReport) printRuns(w io.Writer) error {
	o := r.options
	fmt.Fprintf(w, "for each node %d domains and %d pages; %d fetchers, answers after %s, a gap of %s\n\n", o.domains, o.pages, o.fetchers, o.latency, o.gap)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "nodes\tpages\tURLs\tseconds\tpages/s\tof linear\trequests/page\tCPU s/1,000\tof it system\tcores of nodes\tcores busy\twork B/page\tof what it may\tmember B\tstream B\t")
	for i := range r.Runs {
		x := &r.Runs[i]
		pages := float64(max(x.Pages, 1))
		fmt.Fprintf(table, "%d\t%d\t%d\t%.0f\t%.1f\t%.2f\t%.3f\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%.2f\t%d\t%d\t\n", x.Nodes, x.Pages, x.Known, x.Seconds, x.PagesPerSec,
			x.Efficiency, x.Requests, x.CPUPer1000, x.SysPer1000, x.NodeCores, x.BusyCores, float64(x.WorkBytes)/pages, float64(x.WorkBytes)/max(x.budget(), 1), x.OtherBytes, x.StreamBytes)
	}
	r.printKinds(table)
	if err := table.Flush(); err != nil {
		return err
	}
	for _, x := range r.Runs {
		if s := x.Standby; s != nil {
			if _, err := fmt.Fprintf(w, "\nOf %d nodes, one stood by for %.0f s with %d domains: %.3f %% of a core, %.0f bytes/s sent and %.0f received, %d connections at most\n",
				x.Nodes, s.Seconds, s.Domains, 100*s.CPU, s.Sent, s.Received, s.Sockets); err != nil {
				return err
			}
		}
	}
	return nil
}

// printKinds writes how many frames of each kind were sent, and how many bytes
// for a page.
func (r *swarmReport) printKinds(w io.Writer) {
	names := make(map[string]bool)
	for _, x := range r.Runs {
		for name := range x.Traffic {
			names[name] = true
		}
	}
	fmt.Fprint(w, "\nframes, bytes/page\t")
	for _, x := range r.Runs {
		fmt.Fprintf(w, "%d nodes\t\t", x.Nodes)
	}
	fmt.Fprintln(w)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(w, "%s\t", shortName(name))
		for _, x := range r.Runs {
			t := x.Traffic[name]
			fmt.Fprintf(w, "%s\t%s\t", ratio("%.0f", float64(t.Sent), 1), ratio("%.1f", float64(t.BytesSent), float64(max(x.Pages, 1))))
		}
		fmt.Fprintln(w)
	}
}

// shortName leaves the name of the network out of that of a protocol.
func shortName(name string) string {
	if parts := strings.Split(name, "/"); len(parts) > 3 && parts[1] == "forage" {
		return parts[0] + strings.Join(parts[3:], "/")
	}
	return name
}

func (r *idleRun) print(w io.Writer) error {
	fmt.Fprintf(w, "\n%d idle nodes, settled for %.0f s, watched for %.0f s; each:\n", r.Nodes, r.Settled, r.Seconds)
	fmt.Fprintf(w, "  bytes/s each way: %.0f of frames, %.0f over streams, %.0f over loopback (packets, other programs)\n", r.FrameBytes, r.StreamBytes, r.LoopBytes)
	fmt.Fprintf(w, "  CPU: %.3f %% of a core, %.3f %% the most; %.0f connections\n", r.CPU*100, r.MaxCPU*100, r.Sockets)
	fmt.Fprintf(w, "  memory: %.1f MB resident (%.1f the most), %.1f MB of it anonymous; %.1f MB where shared pages are shared out\n\n", r.RSS, r.MaxRSS, r.Anon, r.PSS)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "sent\tbytes/s\t")
	for _, name := range slices.Sorted(maps.Keys(r.Traffic)) {
		fmt.Fprintf(table, "%s\t%.1f\t\n", shortName(name), r.Traffic[name])
	}
	return table.Flush()
}
