package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api/descriptor"
)

// probeVerb makes bench a process that only asks a node and takes the time: in the process that serves the web,
// answers would wait for that.
const probeVerb = "probe"

// probePause is the wait between two calls: a person's page makes far fewer.
const probePause = 3 * time.Millisecond

// latency is how long calls of one path took, in milliseconds.
type latency struct {
	Path  string  `json:"path"`
	Calls int     `json:"calls"`
	P50   float64 `json:"p50_ms"`
	P99   float64 `json:"p99_ms"`
	Max   float64 `json:"max_ms"`
	Bytes int64   `json:"bytes"` // of the largest answer
	// Search says that it went through all that is kept.
	Search bool `json:"search"`
}

const (
	// floorPath does no work: what it takes, the node takes to get to any.
	floorPath = "/healthz"
	// bystanderPath stands for calls of another process that does nothing, with the priority of the node: what
	// they take, the computer takes.
	bystanderPath = "(bystander)"
	// allPaths are all calls of the node together but those that search.
	allPaths = "(all calls)"
)

// probePath is a call whose time is taken. Searches go through all that is kept, and take as long as that
// is.
type probePath struct {
	path   string
	search bool
}

// probePaths are all GETs but the doctor, who examines the files, and the stream.
func probePaths(page string) (list []probePath) {
	for _, path := range []string{
		bystanderPath, floorPath, "/api/status?lang=en", "/api/limits?lang=en", "/api/limits/history", "/api/visits?limit=6", "/api/ring", "/api/stats", "/api/stats/series?unit=hour&limit=168",
		"/api/stats/series?unit=day&limit=1", "/api/stats/best", "/api/domains?limit=25", "/api/domains?limit=1000", "/api/events?limit=100", "/api/events?limit=1000", "/api/peers",
		"/api/helping", "/api/never", "/api/requests?limit=100", "/api/settings?lang=en", "/api/setup?lang=en", "/metrics",
	} {
		list = append(list, probePath{path: path})
	}
	for _, path := range []string{"/api/requests?limit=100&kind=failed", "/api/archive?url=" + url.QueryEscape(page), "/api/archive/search?q=and&limit=20"} {
		list = append(list, probePath{path, true})
	}
	return list
}

// probe asks the node of a state directory in turn for all there is, for a time, and writes how long it took as
// JSON.
func probe(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	list, err := probeNode(ctx, args)
	if err == nil {
		err = json.NewEncoder(stdout).Encode(list)
	}
	if err != nil {
		fmt.Fprintln(stderr, "probe:", err)
		return exitUnmeasured
	}
	return exitRight
}

func probeNode(ctx context.Context, args []string) ([]latency, error) {
	if len(args) != 3 {
		return nil, fmt.Errorf("want a directory, a time and a page, got %q", args)
	}
	over, err := time.ParseDuration(args[1])
	if err != nil {
		return nil, err
	}
	d, err := descriptor.Read(args[0])
	if err != nil {
		return nil, err
	}
	page, err := openDashboard(ctx, d)
	if err != nil {
		return nil, err
	}
	other, end, err := startBystander(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	paths := probePaths(args[2])
	took, sizes := make([][]time.Duration, len(paths)), make([]int64, len(paths))
	for until := time.Now().Add(over); time.Now().Before(until); {
		for i, p := range paths {
			start := time.Now()
			n, err := p.read(ctx, page, other)
			if err != nil {
				return nil, err
			}
			took[i], sizes[i] = append(took[i], time.Since(start)), max(sizes[i], n)
			time.Sleep(probePause)
		}
	}
	list := make([]latency, len(paths), len(paths)+1)
	var all []time.Duration
	for i, p := range paths {
		list[i] = newLatency(p.path, took[i])
		list[i].Bytes, list[i].Search = sizes[i], p.search
		if !p.search && p.path != bystanderPath && p.path != floorPath {
			all = append(all, took[i]...)
		}
	}
	return append(list, newLatency(allPaths, all)), nil
}

// read makes the call.
func (p probePath) read(ctx context.Context, node, bystander *dashboard) (int64, error) {
	if p.path == bystanderPath {
		return bystander.read(ctx, "/")
	}
	return node.read(ctx, p.path)
}

// read makes one call and returns the length of the answer.
func (b *dashboard) read(ctx context.Context, path string) (int64, error) {
	resp, err := b.get(ctx, path, "*/*")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(io.Discard, io.LimitReader(resp.Body, maxDashboardAnswer))
}

// newLatency orders what was measured.
func newLatency(path string, took []time.Duration) latency {
	slices.Sort(took)
	l := latency{Path: path, Calls: len(took)}
	if len(took) == 0 {
		return l
	}
	at := func(part float64) float64 {
		return float64(took[min(len(took)-1, int(part*float64(len(took))))]) / float64(time.Millisecond)
	}
	l.P50, l.P99, l.Max = at(0.5), at(0.99), at(1)
	return l
}
