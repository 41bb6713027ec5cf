package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/demo"
)

const (
	// apiSettles is how long a node is left alone first: it meets the web then, and domains come in.
	apiSettles = 30 * time.Second
	// fastSettles is that of one at full speed, which has soon read the web.
	fastSettles = 3 * time.Second
	// homeLatency with one request in flight makes a node of some 60 requests a minute.
	homeLatency = time.Second
	// homeSites are few, so that their robots.txt are soon read.
	homeSites = 8
	// fastPart is which part of the time a node is measured at full speed.
	fastPart = 4
	fastWeb  = 100_000 // pages: the most that there may be
	// fastBytes makes pages as long as real ones, and reading them all last.
	fastBytes = 40_000
)

// apiOptions say how the API is to be measured.
type apiOptions struct {
	on         bool
	dashboards int
	over       time.Duration
	rounds     int
	paces      string
	latency    time.Duration
}

func (a *apiOptions) flags(flags *flag.FlagSet) {
	flags.BoolVar(&a.on, "api", false, "measure what open dashboards cost a node, and how long its API takes")
	flags.IntVar(&a.dashboards, "dashboards", 10, "with -api: how `many` are open, 1 to 30")
	flags.DurationVar(&a.over, "api-over", 20*time.Second, "with -api: how long each turn lasts, with and without them; a quarter of it at full speed")
	flags.IntVar(&a.rounds, "api-rounds", 2, "with -api: how many turns with and without them there are, 1 to 20")
	flags.DurationVar(&a.latency, "api-latency", 30*time.Millisecond, "with -api: how long answers are held back at full speed; with 0 the web and the node use up all cores")
	flags.StringVar(&a.paces, "api-pace", "both", "with -api: `home`, full or both")
}

// withAPI returns the options of measuring the API.
func (o options) withAPI() (options, error) {
	a := o.api
	switch {
	case o.forage == "":
		return options{}, errors.New("-api wants -forage")
	case a.dashboards < 1 || a.dashboards > 30:
		return options{}, fmt.Errorf("-dashboards %d is out of range: 1 to 30", a.dashboards)
	case a.over < 4*time.Second || a.latency < 0 || a.rounds < 1 || a.rounds > 20:
		return options{}, errors.New("-api-over must be 4s or more, -api-latency not below 0, and -api-rounds 1 to 20")
	case a.paces != "home" && a.paces != "full" && a.paces != "both":
		return options{}, fmt.Errorf("-api-pace %q is not home, full or both", a.paces)
	}
	if _, err := os.Stat(o.forage); err != nil {
		return options{}, fmt.Errorf("-forage: %w", err)
	}
	return o, nil
}

// pace is how fast a node crawls.
type pace struct {
	name   string
	web    demo.Options
	args   []string
	settle time.Duration
	over   time.Duration
	probe  bool // take the time of calls, too
}

// apiTurn is what a node used in one turn.
type apiTurn struct {
	CPU      float64 `json:"cpu"` // of one core
	Pages    float64 `json:"pages_per_second"`
	Calls    float64 `json:"calls_per_second"`
	Streamed float64 `json:"stream_bytes_per_second"`
}

// apiRun is what one pace showed: turns without and with dashboards, one after the other.
type apiRun struct {
	Pace      string    `json:"pace"`
	Load      string    `json:"load"` // at the end
	Without   []apiTurn `json:"without"`
	With      []apiTurn `json:"with"`
	Latencies []latency `json:"latencies,omitempty"`
}

// measureAPI measures a node at each pace. Progress goes to stderr.
func measureAPI(ctx context.Context, o options, stderr io.Writer) (*apiReport, error) {
	r := newAPIReport(o)
	paces := []pace{
		{
			name: "home", settle: apiSettles, over: o.api.over, web: demo.Options{Sites: homeSites, Latency: homeLatency}, args: []string{"--gap", "1s", "--fetchers", "1"},
		},
		{
			name: "full", settle: fastSettles, over: o.api.over / fastPart, web: demo.Options{Pages: fastWeb, PageBytes: fastBytes, Latency: o.api.latency}, args: []string{"--gap", "0s", "--fetchers", "16"}, probe: true,
		},
	}
	for _, p := range paces {
		if o.api.paces != "both" && o.api.paces != p.name {
			continue
		}
		fmt.Fprintf(stderr, "a node at %s pace ...\n", p.name)
		run, err := apiOnce(ctx, o, p, stderr)
		if err != nil {
			return nil, fmt.Errorf("%s pace: %w", p.name, err)
		}
		r.Runs = append(r.Runs, *run)
	}
	r.judge()
	return r, nil
}

// apiOnce measures one node on a fresh web.
func apiOnce(ctx context.Context, o options, p pace, stderr io.Writer) (_ *apiRun, err error) {
	dir, err := os.MkdirTemp("", "forage-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a home for the node: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	web, err := startWeb(ctx, p.web)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	home, hosts := filepath.Join(dir, "node"), filepath.Join(dir, "hosts")
	if err := os.WriteFile(hosts, []byte(web.Hosts), 0o600); err != nil {
		return nil, fmt.Errorf("write the hosts file: %w", err)
	}
	profile := ""
	if o.profile != "" {
		profile = o.profile + "." + p.name
	}
	node, err := startNode(o.forage, home, hosts, web.Start, "", profile, p.args...)
	if err != nil {
		return nil, err
	}
	defer func() { node.kill() }()
	if _, err := node.reach(ctx, home); err != nil {
		return nil, err
	}
	state := filepath.Join(home, "state")
	d, err := descriptor.Read(state)
	if err != nil {
		return nil, err
	}
	page, err := openDashboard(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := node.wait(ctx, p.settle); err != nil {
		return nil, err
	}
	run := &apiRun{Pace: p.name}
	if err := node.turns(ctx, o, p, page, run); err != nil {
		return nil, err
	}
	if p.probe {
		fmt.Fprintln(stderr, "  the time of calls ...")
		if err := node.probe(ctx, o, p, page, state, web.Start, run); err != nil {
			return nil, err
		}
	}
	run.Load = loadAverage()
	if o.profile != "" {
		node.end()
	}
	return run, nil
}

// turns takes turns without and with dashboards.
func (n *swarmNode) turns(ctx context.Context, o options, p pace, page *dashboard, run *apiRun) error {
	for range o.api.rounds {
		without, err := n.turn(ctx, p.over)
		if err != nil {
			return err
		}
		run.Without = append(run.Without, without)
		end := page.watch(ctx, o.api.dashboards)
		begin := time.Now()
		with, err := n.turn(ctx, p.over)
		calls, streamed, failed := end()
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		took := time.Since(begin).Seconds()
		with.Calls, with.Streamed = float64(calls)/took, float64(streamed)/took
		run.With = append(run.With, with)
	}
	return nil
}

// turn measures a node for a time in which it must have work.
func (n *swarmNode) turn(ctx context.Context, over time.Duration) (apiTurn, error) {
	before, err := n.client.Status(ctx)
	if err != nil {
		return apiTurn{}, err
	}
	at, used := time.Now(), readProcess(n.cmd.Process.Pid)
	if err := n.wait(ctx, over); err != nil {
		return apiTurn{}, err
	}
	took, now := time.Since(at).Seconds(), readProcess(n.cmd.Process.Pid)
	after, err := n.client.Status(ctx)
	if err != nil {
		return apiTurn{}, err
	}
	if after.Queued == 0 {
		return apiTurn{}, errors.New("the web was read before all was measured: -api-over or -api-rounds must be less")
	}
	return apiTurn{CPU: (now.cpu - used.cpu).Seconds() / took, Pages: float64(after.Pages-before.Pages) / took}, nil
}

// probe takes the time of calls by another process, with dashboards open.
func (n *swarmNode) probe(ctx context.Context, o options, p pace, page *dashboard, state, url string, run *apiRun) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the probe: %w", err)
	}
	end := page.watch(ctx, o.api.dashboards)
	said := &tail{max: keptOutput}
	cmd := exec.CommandContext(ctx, self, probeVerb, state, (6 * p.over).String(), url)
	cmd.Stderr = said
	out, err := cmd.Output()
	_, _, failed := end()
	if err := errors.Join(err, failed); err != nil {
		return fmt.Errorf("take the time of calls: %w%s", err, said.quote())
	}
	if err := json.Unmarshal(out, &run.Latencies); err != nil {
		return fmt.Errorf("take the time of calls: %w", err)
	}
	_, err = n.turn(ctx, 0) // it has still work
	return err
}
