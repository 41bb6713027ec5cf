package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
)

const (
	// swarmLasts bounds one crawl.
	swarmLasts = 15 * time.Minute
	// quietFor is how long no page is asked for when a crawl is over.
	quietFor = 3 * time.Second
	// The steady middle of a crawl lies between these parts of its pages: before,
	// the domains are not known yet; after, the first nodes have no more.
	steadyFrom, steadyTo = 0.2, 0.7
)

// swarmOptions say what a swarm is to do. Its web grows with it: every node
// has as much work as one alone.
type swarmOptions struct {
	nodes    []int // one run each
	idle     int   // nodes with nothing to do
	domains  int   // for each node
	pages    int   // for each node
	latency  time.Duration
	gap      time.Duration
	fetchers int
	standby  bool // of the second node
	settle   time.Duration
	watch    time.Duration
	real     bool // times as in public networks
}

// swarmRun is what one run showed.
type swarmRun struct {
	Nodes   int     `json:"nodes"`
	Domains int     `json:"domains"`
	Pages   int     `json:"pages"`
	Known   int64   `json:"known_urls"`
	Seconds float64 `json:"seconds"` // from the first page to the last
	// PagesPerSec is that of the steady middle, Efficiency that of a node
	// compared with one alone.
	PagesPerSec float64 `json:"pages_per_second"`
	Efficiency  float64 `json:"efficiency"`
	Requests    float64 `json:"requests_per_page"`
	// CPU is that of all nodes from start to end.
	CPUPer1000 float64 `json:"cpu_seconds_per_1000_pages"`
	SysPer1000 float64 `json:"cpu_system_seconds_per_1000_pages"`
	// NodeCores is how many cores the nodes used, BusyCores all programs of this
	// computer, from the first page to the last; the latter is 0 where the system does not say.
	NodeCores float64 `json:"node_cores"`
	BusyCores float64 `json:"busy_cores"`
	// WorkBytes were sent by all nodes for the crawl, OtherBytes to be members;
	// both as frames. StreamBytes is all that went over streams.
	WorkBytes   int64                  `json:"work_bytes"`
	OtherBytes  int64                  `json:"other_bytes"`
	StreamBytes int64                  `json:"stream_bytes"`
	Traffic     map[string]api.Traffic `json:"traffic"`
	Standby     *standbyUse            `json:"standby,omitempty"`
	Wrongs      []string               `json:"wrongs"`
}

// parseNodes reads numbers of nodes with commas between them.
func parseNodes(list string) (sizes []int, err error) {
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > maxNodes {
			return nil, fmt.Errorf("-swarm %q is no list of numbers from 1 to %d", list, maxNodes)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// maxNodes is how many nodes a run has at most.
const maxNodes = 200

// measureSwarm makes one run for each number of nodes. Progress goes to stderr.
func measureSwarm(ctx context.Context, o options, stderr io.Writer) (_ *swarmReport, err error) {
	if o.forage == "" {
		dir, err := os.MkdirTemp("", "forage-bench-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if o.forage, err = buildForage(ctx, dir); err != nil {
			return nil, err
		}
	}
	r := newSwarmReport(o)
	for _, n := range o.swarm.nodes {
		fmt.Fprintf(stderr, "%d nodes, %d pages in %d domains ...\n", n, n*o.swarm.pages, n*o.swarm.domains)
		run, err := swarmOnce(ctx, o, n)
		if err != nil && len(r.Runs) == 0 {
			return nil, fmt.Errorf("%d nodes: %w", n, err)
		}
		if err != nil { // what was measured took long, and is right
			r.Failures = append(r.Failures, fmt.Sprintf("%d nodes: %v", n, err))
			break
		}
		fmt.Fprintf(stderr, "  %.1f pages/s, %d bytes of work\n", run.PagesPerSec, run.WorkBytes)
		r.Runs = append(r.Runs, *run)
	}
	if o.swarm.idle > 0 {
		if r.Idle, err = idleOnce(ctx, o, stderr); err != nil {
			return nil, fmt.Errorf("%d idle nodes: %w", o.swarm.idle, err)
		}
	}
	r.judge()
	return r, nil
}

// swarmOnce lets n nodes crawl a fresh web to its end.
func swarmOnce(ctx context.Context, o options, n int) (_ *swarmRun, err error) {
	ctx, cancel := context.WithTimeout(ctx, swarmLasts)
	defer cancel()
	dir, err := os.MkdirTemp("", "forage-bench-")
	if err != nil {
		return nil, fmt.Errorf("make homes for the nodes: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	asked := &answers{tally: newTally()}
	web, err := demo.Start(demo.Options{
		Sites: n * o.swarm.domains, Pages: n * o.swarm.pages, Latency: o.swarm.latency, Log: asked.add,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	if err := web.Warm(ctx); err != nil {
		return nil, fmt.Errorf("warm the practice web: %w", err)
	}
	entry, err := newGate(web.StartURL())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, entry.Close()) }()
	hosts := filepath.Join(dir, "hosts")
	if err := os.WriteFile(hosts, []byte(web.Hosts()+entry.host), 0o600); err != nil {
		return nil, fmt.Errorf("write the hosts file: %w", err)
	}
	expected := web.Expected()
	asked.expect(expected)

	nodes, err := startNodes(ctx, o, dir, hosts, "http://"+gateHost+"/", n, n,
		func(i int) []string {
			more := []string{"--gap", o.swarm.gap.String(), "--fetchers", strconv.Itoa(o.swarm.fetchers)}
			if o.swarm.standby && i == standbyNode {
				more = append(more, "--lab-footing", "standby")
			}
			if o.swarm.real {
				more = append(more, "--lab-times", "real")
			}
			return more
		})
	defer nodes.kill()
	if err != nil {
		return nil, err
	}
	run := &swarmRun{Nodes: n, Domains: n * o.swarm.domains}
	begin := readMachine()
	entry.open()
	watched := func() error { return nil }
	if o.swarm.standby {
		watched = nodes[standbyNode].watchStandby(ctx, &run.Standby)
	}
	err = nodes.finish(ctx, asked, len(expected))
	if err := errors.Join(err, watched()); err != nil {
		return nil, err
	}
	end := readMachine()
	var checks int64
	if run.Traffic, checks, err = nodes.traffic(ctx); err != nil {
		return nil, err
	}
	list, err := nodes.statuses(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		run.Known += s.Known
	}
	run.add(asked.judge(expected, web.Forbidden(), checks), asked.sorted())
	if o.profile != "" {
		nodes[0].end()
	}
	user, system := nodes.kill()
	run.charge(user, system, begin, end)
	return run, nil
}

// add takes what the web says of a crawl.
func (r *swarmRun) add(v verdict, pages []time.Time) {
	r.Pages, r.Wrongs = v.pages, v.wrongs
	r.Requests = float64(v.requests) / float64(max(v.pages, 1))
	r.PagesPerSec = steadyRate(pages)
	if len(pages) > 0 {
		r.Seconds = pages[len(pages)-1].Sub(pages[0]).Seconds()
	}
	for name, t := range r.Traffic {
		switch {
		case strings.HasPrefix(name, "stream "):
			r.StreamBytes += t.BytesSent
		case slices.Contains(workKinds, name):
			r.WorkBytes += t.BytesSent
		default:
			r.OtherBytes += t.BytesSent
		}
	}
}

// workKinds are the kinds of requests that carry the crawl; the others keep the
// membership.
var workKinds = []string{"beat", "act", "stream", "pull", "keeps"}

// charge takes what a crawl used.
func (r *swarmRun) charge(user, system time.Duration, begin, end machine) {
	pages := float64(max(r.Pages, 1))
	r.CPUPer1000 = (user + system).Seconds() / pages * 1000
	r.SysPer1000 = system.Seconds() / pages * 1000
	if wall := end.at.Sub(begin.at).Seconds(); wall > 0 {
		r.NodeCores = (user + system).Seconds() / wall
		r.BusyCores = (end.busy - begin.busy).Seconds() / wall
	}
}

// steadyRate returns the pages a second in the steady middle of a crawl, whose
// answers are in order.
func steadyRate(pages []time.Time) float64 {
	from, to := int(steadyFrom*float64(len(pages))), int(steadyTo*float64(len(pages)))
	if to-from < 2 {
		return 0
	}
	return float64(to-from) / max(pages[to].Sub(pages[from]).Seconds(), 1e-9)
}

// finish waits until the nodes have nothing left to do, or have fetched all pages: what is queued then are pages that
// move to their owner when it does not stand by any more.
func (nodes swarmNodes) finish(ctx context.Context, asked *answers, pages int) error {
	for {
		if err := nodes[0].wait(ctx, pollEvery); err != nil {
			return fmt.Errorf("after %d of %d pages: %w", asked.count(), pages, err)
		}
		if time.Since(asked.latest()) < quietFor {
			continue
		}
		list, err := nodes.statuses(ctx)
		if err != nil {
			return err
		}
		all := asked.count() >= pages
		if !slices.ContainsFunc(list, func(s api.Status) bool { return s.Queued > 0 && !all || s.Leases > 0 || s.InFlight > 0 }) {
			return nil
		}
	}
}
