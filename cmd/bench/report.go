package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"text/tabwriter"
)

// figures are what one crawl cost, or the best or the median of several.
type figures struct {
	Pages        float64 `json:"pages"`
	Requests     float64 `json:"requests"`
	CPUPer1000   float64 `json:"cpu_seconds_per_1000_pages"`
	UserSeconds  float64 `json:"cpu_user_seconds"`
	SysSeconds   float64 `json:"cpu_system_seconds"`
	PeakRSS      float64 `json:"peak_rss_mb"`
	WallSeconds  float64 `json:"wall_seconds"`          // of the process
	FirstSeconds float64 `json:"first_request_seconds"` // from the start of the process
	PagesPerSec  float64 `json:"pages_per_second"`
	WARCPerPage  float64 `json:"warc_bytes_per_page"`
	IndexPerPage float64 `json:"index_bytes_per_page"`
	StorePerPage float64 `json:"store_bytes_per_page"`
}

// report is what bench prints.
type report struct {
	System        string    `json:"system"`
	CPUs          int       `json:"gomaxprocs"`
	GoVersion     string    `json:"go_version"`
	PageBytes     float64   `json:"page_bytes"`
	PageWireBytes float64   `json:"page_wire_bytes"`
	Runs          []figures `json:"runs"`
	Best          figures   `json:"best"`
	Median        figures   `json:"median"`
	Failures      []string  `json:"failures"`
}

// maxWrongs is how many mistakes of a crawl are listed.
const maxWrongs = 10

func newReport(o options) *report {
	r := &report{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), GoVersion: "an unknown Go", Failures: []string{}}
	if info, err := buildinfo.ReadFile(o.forage); err == nil {
		r.GoVersion = info.GoVersion
	}
	return r
}

// add takes the figures of a crawl.
func (r *report) add(c *crawled) {
	pages := float64(max(c.pages, 1))
	r.Runs = append(r.Runs, figures{
		Pages: float64(c.pages), Requests: float64(c.requests),
		CPUPer1000:  (c.User + c.System).Seconds() / pages * 1000,
		UserSeconds: c.User.Seconds(), SysSeconds: c.System.Seconds(), PeakRSS: float64(c.MaxRSS) / 1e6,
		WallSeconds: c.Wall.Seconds(), FirstSeconds: c.first.Sub(c.Began).Seconds(),
		PagesPerSec: pages / max(c.span.Seconds(), 1e-9),
		WARCPerPage: float64(c.disk.warc) / pages, IndexPerPage: float64(c.disk.index) / pages, StorePerPage: float64(c.disk.store) / pages,
	})
	if c.sizes.decoded > 0 {
		r.PageBytes, r.PageWireBytes = math.Round(c.sizes.decoded), math.Round(c.sizes.wire)
	}
	for i, w := range c.wrongs {
		if i == maxWrongs {
			w = fmt.Sprintf("and %d more", len(c.wrongs)-i)
		}
		r.Failures = append(r.Failures, fmt.Sprintf("crawl %d: %s", len(r.Runs), w))
		if i == maxWrongs {
			break
		}
	}
}

// judge works out best and median, each column by itself, and holds the
// median to the limits.
func (r *report) judge(o options) {
	r.Best = r.each(slices.Min, slices.Max)
	r.Median = r.each(median, median)
	if o.maxCPU > 0 && r.Median.CPUPer1000 > o.maxCPU {
		r.Failures = append(r.Failures, fmt.Sprintf("%.3f CPU seconds per 1,000 pages, want %g at most", r.Median.CPUPer1000, o.maxCPU))
	}
	if o.maxRSS > 0 && r.Median.PeakRSS > o.maxRSS {
		r.Failures = append(r.Failures, fmt.Sprintf("%.1f MB of resident memory, want %g at most", r.Median.PeakRSS, o.maxRSS))
	}
}

// each brings the columns of all runs together: with low where less is
// better, with high where more is.
func (r *report) each(low, high func([]float64) float64) figures {
	column := func(of func(figures) float64) []float64 {
		var values []float64
		for _, f := range r.Runs {
			values = append(values, of(f))
		}
		return values
	}
	return figures{
		Pages:        high(column(func(f figures) float64 { return f.Pages })),
		Requests:     low(column(func(f figures) float64 { return f.Requests })),
		CPUPer1000:   low(column(func(f figures) float64 { return f.CPUPer1000 })),
		UserSeconds:  low(column(func(f figures) float64 { return f.UserSeconds })),
		SysSeconds:   low(column(func(f figures) float64 { return f.SysSeconds })),
		PeakRSS:      low(column(func(f figures) float64 { return f.PeakRSS })),
		WallSeconds:  low(column(func(f figures) float64 { return f.WallSeconds })),
		FirstSeconds: low(column(func(f figures) float64 { return f.FirstSeconds })),
		PagesPerSec:  high(column(func(f figures) float64 { return f.PagesPerSec })),
		WARCPerPage:  low(column(func(f figures) float64 { return f.WARCPerPage })),
		IndexPerPage: low(column(func(f figures) float64 { return f.IndexPerPage })),
		StorePerPage: low(column(func(f figures) float64 { return f.StorePerPage })),
	}
}

// median returns the middle of some values, the mean of two where there is none.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// print writes the report as a table, or as JSON.
func (r *report) print(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	fmt.Fprintf(w, "%s, %d cores, forage built with %s; a page has %.1f kB, %.1f kB on the wire\n\n",
		r.System, r.CPUs, r.GoVersion, r.PageBytes/1000, r.PageWireBytes/1000)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tpages\trequests\tCPU s/1,000\tuser s\tsystem s\tpeak RSS MB\twall s\tfirst request s\tpages/s\tWARC B/page\tindex B/page\tstore B/page\t")
	for i, f := range r.Runs {
		f.row(table, strconv.Itoa(i+1))
	}
	r.Best.row(table, "best")
	r.Median.row(table, "median")
	if err := table.Flush(); err != nil {
		return err
	}
	for _, f := range r.Failures {
		fmt.Fprintln(w, "WRONG:", f)
	}
	return nil
}

func (f figures) row(w io.Writer, name string) {
	fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.3f\t%.2f\t%.2f\t%.1f\t%.1f\t%.3f\t%.0f\t%.0f\t%.0f\t%.0f\t\n",
		name, f.Pages, f.Requests, f.CPUPer1000, f.UserSeconds, f.SysSeconds, f.PeakRSS,
		f.WallSeconds, f.FirstSeconds, f.PagesPerSec, f.WARCPerPage, f.IndexPerPage, f.StorePerPage)
}
