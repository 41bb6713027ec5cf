package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/demo"
)

const (
	// cpuPages of cpuBytes are more than a node can read in the time that each share takes.
	cpuPages = 100_000
	cpuBytes = 1_000_000
	// cpuSettles is how long a node is left alone after a limit is changed: what was under way ends.
	cpuSettles = 5 * time.Second
)

// cpuOptions say which shares of the machine are to be measured.
type cpuOptions struct {
	on     bool
	list   string
	shares []int
	over   time.Duration
}

func (c *cpuOptions) flags(flags *flag.FlagSet) {
	flags.BoolVar(&c.on, "cpu", false, "measure whether a node that crawls keeps to the share of the machine that its user allows")
	flags.StringVar(&c.list, "cpu-shares", "10,25,50", "with -cpu: shares in `PERCENT[,PERCENT]...` of the whole machine")
	flags.DurationVar(&c.over, "cpu-over", time.Minute, "with -cpu: how long each is measured")
}

// withCPU returns the options of measuring shares of the machine.
func (o options) withCPU() (options, error) {
	for _, text := range strings.Split(o.cpu.list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > 99 {
			return options{}, fmt.Errorf("-cpu-shares %q is out of range: 1 to 99", text)
		}
		o.cpu.shares = append(o.cpu.shares, n)
	}
	if o.cpu.over < time.Second {
		return options{}, errors.New("-cpu-over must be a second or more")
	}
	if o.forage == "" {
		return options{}, errors.New("-cpu wants -forage")
	}
	if _, err := os.Stat(o.forage); err != nil {
		return options{}, fmt.Errorf("-forage: %w", err)
	}
	return o, nil
}

// freely are settings with which nothing but the processor limits a crawl; --no-limits lifts pages a minute.
var freely = []string{
	"level.in_use=full", "level.away=full", "idle.unknown_is=away", "data.day=-1", "data.month=-1",
	"budget.full.cpu_percent=100", "budget.full.down_kbit=-1", "budget.full.up_kbit=-1", "budget.full.sockets=400", "budget.full.fetchers=16",
	"pause.battery=no", "pause.metered=no", "pause.vpn=no", "pause.fullscreen=no", "pause.screenshare=no", "pause.other_cpu=100",
	"heat.max_c=110", "heat.fan_quiet=no",
}

// cpuStage is one setting of the user and the share that it allows.
type cpuStage struct {
	name  string
	limit float64 // percent of the machine, noShare for none
	set   []string
}

// noShare is the limit of a stage that has none.
const noShare = -1

func (o cpuOptions) stages() []cpuStage {
	list := []cpuStage{{"no limit", noShare, nil}}
	for _, n := range o.shares {
		list = append(list, cpuStage{strconv.Itoa(n) + " %", float64(n), []string{fmt.Sprintf("budget.full.cpu_percent=%d", n)}})
	}
	return append(list,
		cpuStage{"budget of 0", 0, []string{"budget.full.down_kbit=0"}},
		cpuStage{"level off", 0, []string{"level.in_use=off", "level.away=off"}})
}

// measureCPU measures a node at each share. Progress goes to stderr.
func measureCPU(ctx context.Context, o options, stderr io.Writer) (_ *cpuReport, err error) {
	dir, err := os.MkdirTemp("", "forage-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a home for the node: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	web, err := demo.Start(demo.Options{Pages: cpuPages, PageBytes: cpuBytes, Bulky: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	if err := web.Warm(ctx); err != nil {
		return nil, fmt.Errorf("warm the practice web: %w", err)
	}
	hosts := filepath.Join(dir, "hosts")
	if err := os.WriteFile(hosts, []byte(web.Hosts()), 0o600); err != nil {
		return nil, fmt.Errorf("write the hosts file: %w", err)
	}
	r := newCPUReport()
	for i, s := range o.cpu.stages() {
		fmt.Fprintf(stderr, "%s ...\n", s.name)
		row, err := cpuOnce(ctx, o, s, filepath.Join(dir, strconv.Itoa(i)), hosts, web.StartURL())
		if err != nil {
			return nil, fmt.Errorf("measure with %s: %w", s.name, err)
		}
		r.add(row)
	}
	return r, nil
}

// cpuOnce measures a new node, so that each has the whole web before it; its user sets the limit while it crawls.
func cpuOnce(ctx context.Context, o options, s cpuStage, home, hosts, seed string) (cpuRow, error) {
	user := cpuUser{o.forage, home}
	if err := user.set(ctx, freely); err != nil {
		return cpuRow{}, err
	}
	node, err := startNode(o.forage, home, hosts, seed, "", "", "--lab-limits", "--lab-times", "real", "--gap", "0s", "--fetchers", "16")
	if err != nil {
		return cpuRow{}, err
	}
	defer func() { node.kill() }()
	if _, err := node.reach(ctx, home); err != nil {
		return cpuRow{}, err
	}
	if err := user.set(ctx, s.set); err != nil {
		return cpuRow{}, err
	}
	return node.share(ctx, s, o.cpu.over)
}

// cpuUser changes settings as a user does.
type cpuUser struct{ forage, home string }

func (u cpuUser) set(ctx context.Context, settings []string) error {
	for _, s := range settings {
		out, err := exec.CommandContext(ctx, u.forage, "set", s, "--home", u.home).CombinedOutput()
		if err != nil {
			return fmt.Errorf("set %s: %w: %s", s, err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// cpuMoment is what had been used of the machine at some moment.
type cpuMoment struct {
	at                      time.Time
	node, web, busy, stolen time.Duration
	pages                   int64
}

func (n *swarmNode) moment(ctx context.Context) (cpuMoment, error) {
	s, err := n.client.Status(ctx)
	if err != nil {
		return cpuMoment{}, err
	}
	if s.State == "working" && s.Queued == 0 {
		return cpuMoment{}, errors.New("the web was read before all was measured: -cpu-over must be less")
	}
	return cpuMoment{
		at: time.Now(), node: readProcess(n.cmd.Process.Pid).cpu, web: readProcess(os.Getpid()).cpu,
		busy: readMachine().busy, stolen: readStolen(), pages: s.Pages,
	}, nil
}

// readStolen is what the hypervisor gave to others.
func readStolen() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return stolenTime(string(text))
}

// stolenTime reads /proc/stat.
func stolenTime(text string) time.Duration {
	line, _, _ := strings.Cut(text, "\n")
	if f := strings.Fields(line); len(f) > 8 && f[0] == "cpu" {
		n, _ := strconv.ParseInt(f[8], 10, 64)
		return time.Duration(n) * tick
	}
	return 0
}

// share measures a node, ten seconds at a time.
func (n *swarmNode) share(ctx context.Context, s cpuStage, over time.Duration) (cpuRow, error) {
	if err := n.wait(ctx, cpuSettles); err != nil {
		return cpuRow{}, err
	}
	first, err := n.moment(ctx)
	if err != nil {
		return cpuRow{}, err
	}
	row, from := cpuRow{Name: s.name, Limit: s.limit}, first
	for from.at.Sub(first.at) < over {
		if err := n.wait(ctx, min(over-from.at.Sub(first.at), 10*time.Second)); err != nil {
			return cpuRow{}, err
		}
		to, err := n.moment(ctx)
		if err != nil {
			return cpuRow{}, err
		}
		row.Most = max(row.Most, percentOf(to.node-from.node, to.at.Sub(from.at)))
		from = to
	}
	took := from.at.Sub(first.at)
	row.Seconds = took.Seconds()
	row.Share = percentOf(from.node-first.node, took)
	row.Web = percentOf(from.web-first.web, took)
	row.Others = max(percentOf(from.busy-first.busy+from.stolen-first.stolen, took)-row.Share-row.Web, 0)
	row.Pages = float64(from.pages-first.pages) / row.Seconds
	return row, nil
}

// percentOf is what part of the whole machine a processor time is, in percent.
func percentOf(used, took time.Duration) float64 {
	return 100 * used.Seconds() / took.Seconds() / float64(runtime.NumCPU())
}
