package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app/api"
)

// idleRun is what nodes with nothing to do used, each on average.
type idleRun struct {
	Nodes   int     `json:"nodes"`
	Settled float64 `json:"settled_seconds"`
	Seconds float64 `json:"seconds"`
	// FrameBytes and StreamBytes are bytes a second sent, which are as many as were received;
	// LoopBytes those of whole packets over loopback, of other programs too.
	FrameBytes  float64 `json:"frame_bytes_per_second"`
	StreamBytes float64 `json:"stream_bytes_per_second"`
	LoopBytes   float64 `json:"loopback_bytes_per_second"`
	// CPU is a part of one core; memory is in MB, the mean and the most.
	CPU     float64 `json:"cpu"`
	MaxCPU  float64 `json:"max_cpu"`
	RSS     float64 `json:"rss_mb"`
	MaxRSS  float64 `json:"max_rss_mb"`
	Anon    float64 `json:"anonymous_mb"`
	PSS     float64 `json:"pss_mb"`
	Sockets float64 `json:"peers"` // other nodes to which there is a connection
	// Traffic is bytes a second and node, by kind and protocol.
	Traffic map[string]float64 `json:"traffic"`
}

// enoughMembers is how many members own domains before newcomers wait for an
// hour in public networks.
const enoughMembers = 10

// idleOnce lets nodes be members of a network and nothing else.
func idleOnce(ctx context.Context, o options, stderr io.Writer) (_ *idleRun, err error) {
	dir, err := os.MkdirTemp("", "forage-bench-")
	if err != nil {
		return nil, fmt.Errorf("make homes for the nodes: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	entry, err := newGate("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, entry.Close()) }()
	entry.open()
	hosts := filepath.Join(dir, "hosts")
	if err := os.WriteFile(hosts, []byte(entry.host), 0o600); err != nil {
		return nil, fmt.Errorf("write the hosts file: %w", err)
	}
	enough, times := o.swarm.idle, []string(nil)
	if o.swarm.real {
		enough, times = enoughMembers, []string{"--lab-times", "real"}
	}
	fmt.Fprintf(stderr, "%d idle nodes ...\n", o.swarm.idle)
	nodes, err := startNodes(ctx, o, dir, hosts, "http://"+gateHost+"/", o.swarm.idle, enough, func(int) []string { return times })
	defer nodes.kill()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "  all are there; they settle for %s and are watched for %s\n", o.swarm.settle, o.swarm.watch)
	if err := nodes[0].wait(ctx, o.swarm.settle); err != nil {
		return nil, err
	}
	before, _, err := nodes.traffic(ctx)
	if err != nil {
		return nil, err
	}
	begin, used := readMachine(), nodes.processes()
	if err := nodes[0].wait(ctx, o.swarm.watch); err != nil {
		return nil, err
	}
	end, now := readMachine(), nodes.processes()
	after, _, err := nodes.traffic(ctx)
	if err != nil {
		return nil, err
	}
	r := &idleRun{Nodes: len(nodes), Settled: o.swarm.settle.Seconds(), Seconds: end.at.Sub(begin.at).Seconds()}
	r.add(used, now)
	r.addTraffic(before, after)
	each := r.Seconds * float64(r.Nodes)
	r.LoopBytes = float64(end.loop-begin.loop) / each
	for _, n := range nodes {
		p, err := n.client.Peers(ctx)
		if err != nil {
			return nil, err
		}
		for _, x := range p.Peers {
			if x.Connection != "none now" {
				r.Sockets += 1 / float64(r.Nodes)
			}
		}
	}
	return r, nil
}

func (nodes swarmNodes) processes() []process {
	list := make([]process, len(nodes))
	for i, n := range nodes {
		list[i] = readProcess(n.cmd.Process.Pid)
	}
	return list
}

// add takes what the processes used between two moments.
func (r *idleRun) add(before, after []process) {
	const mb = 1e6
	n := float64(len(after))
	for i, p := range after {
		cpu := (p.cpu - before[i].cpu).Seconds() / r.Seconds
		r.CPU += cpu / n
		r.MaxCPU = max(r.MaxCPU, cpu)
		r.RSS += float64(p.rss) / mb / n
		r.MaxRSS = max(r.MaxRSS, float64(p.rss)/mb)
		r.Anon += float64(p.anon) / mb / n
		r.PSS += float64(p.pss) / mb / n
	}
}

// addTraffic takes what was sent between two moments.
func (r *idleRun) addTraffic(before, after map[string]api.Traffic) {
	r.Traffic = make(map[string]float64)
	each := r.Seconds * float64(r.Nodes)
	for name, t := range after {
		rate := float64(t.BytesSent-before[name].BytesSent) / each
		if rate == 0 {
			continue
		}
		r.Traffic[name] = rate
		if t.Kind == "" {
			r.StreamBytes += rate
		} else {
			r.FrameBytes += rate
		}
	}
}

// idleSettle and idleWatch are how long idle nodes settle, past the first minutes in which
// they get to know each other, and are watched.
const (
	idleSettle = 6 * time.Minute
	idleWatch  = 2 * time.Minute
)
