package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
)

const (
	// pollEvery is how often nodes are asked what they do, and answersWithin how
	// long one may take to be there, and then to answer.
	pollEvery     = 250 * time.Millisecond
	answersWithin = time.Minute
	// nodeEnds is how long one may take to hand over what it has.
	nodeEnds = 40 * time.Second
)

// swarmNode is a forage process that is a member of a network.
type swarmNode struct {
	name   string
	cmd    *exec.Cmd
	said   *tail
	client *client.Client
	ended  chan struct{} // closed when the process has ended
}

// startNode starts a node that has its files in home, and writes a CPU profile if
// there is a name for it.
func startNode(forage, home, hosts, seed, door, profile string, more ...string) (*swarmNode, error) {
	args := []string{
		"run", "--home", home, "--accept", "--lab", "--hosts", hosts, "--seeds", seed, "--no-limits", "--no-tray", "--api", "127.0.0.1:0",
	}
	if door != "" {
		args = append(args, "--bootstrap", door)
	}
	n := &swarmNode{name: filepath.Base(home), said: &tail{max: keptOutput}, ended: make(chan struct{})}
	n.cmd = exec.Command(forage, append(args, more...)...)
	n.cmd.Stdout, n.cmd.Stderr = n.said, n.said
	n.cmd.Env = childEnv(profile)
	if err := n.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = n.cmd.Wait() // it is killed, or asked for by error
		close(n.ended)
	}()
	return n, nil
}

// reach waits until the API of the node answers.
func (n *swarmNode) reach(ctx context.Context, home string) (api.Peers, error) {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	for {
		node, err := client.Dial(filepath.Join(home, "state"))
		if err == nil {
			var p api.Peers
			if p, err = node.Peers(ctx); err == nil {
				n.client = node
				return p, nil
			}
		}
		if waited := n.wait(ctx, pollEvery); waited != nil {
			return api.Peers{}, errors.Join(waited, err)
		}
	}
}

// wait waits for d; an end of ctx or of the node is an error.
func (n *swarmNode) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-n.ended:
		return fmt.Errorf("node %s ended: %s%s", n.name, n.cmd.ProcessState, n.said.quote())
	}
}

// end lets the node end in order, so that it writes its profile.
func (n *swarmNode) end() {
	_ = n.cmd.Process.Signal(os.Interrupt) // it may have ended
	select {
	case <-n.ended:
	case <-time.After(nodeEnds):
	}
}

// kill ends the node as it stands, and returns the CPU time that it used.
func (n *swarmNode) kill() (user, system time.Duration) {
	_ = n.cmd.Process.Kill() // it may have ended
	<-n.ended
	if s := n.cmd.ProcessState; s != nil {
		return s.UserTime(), s.SystemTime()
	}
	return 0, 0
}

// swarmNodes are the nodes of one network.
type swarmNodes []*swarmNode

// startNodes starts n nodes, the others by way of the first, and returns when
// all know that many members, but at most enough of them. Nodes are returned also with an error, to be killed.
func startNodes(ctx context.Context, o options, dir, hosts, seed string, n, enough int, more func(i int) []string) (nodes swarmNodes, err error) {
	door := ""
	for i := range n {
		home := filepath.Join(dir, strconv.Itoa(i+1))
		profile := ""
		if i == 0 && o.profile != "" {
			profile = o.profile + "." + strconv.Itoa(n)
		}
		node, err := startNode(o.forage, home, hosts, seed, door, profile, more(i)...)
		if err != nil {
			return nodes, err
		}
		nodes = append(nodes, node)
		p, err := node.reach(ctx, home)
		if err != nil {
			return nodes, fmt.Errorf("node %d: %w", i+1, err)
		}
		if i == 0 && len(p.Addrs) > 0 {
			door = p.Addrs[0]
		}
	}
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	for _, node := range nodes {
		for {
			p, err := node.client.Peers(ctx)
			if err == nil && p.Members >= int64(min(n, enough)) {
				break
			}
			if waited := node.wait(ctx, pollEvery); waited != nil {
				return nodes, fmt.Errorf("node %s knows %d of %d members: %w", node.name, p.Members, n, errors.Join(waited, err))
			}
		}
	}
	return nodes, nil
}

// kill ends all nodes and returns the CPU time that they used.
func (nodes swarmNodes) kill() (user, system time.Duration) {
	for _, n := range nodes {
		_ = n.cmd.Process.Kill() // all at once: none shall mourn the others
	}
	for _, n := range nodes {
		u, s := n.kill()
		user, system = user+u, system+s
	}
	return user, system
}

// traffic adds up what all nodes moved, by kind and by protocol.
func (nodes swarmNodes) traffic(ctx context.Context) (all map[string]api.Traffic, checks int64, err error) {
	all = make(map[string]api.Traffic)
	for _, n := range nodes {
		p, err := n.client.Peers(ctx)
		if err != nil {
			return nil, 0, fmt.Errorf("ask node %s: %w", n.name, err)
		}
		for _, other := range p.Peers {
			checks += other.Checks
		}
		for _, t := range p.Traffic {
			name := t.Kind
			if name == "" {
				name = "stream " + t.Protocol
			}
			sum := all[name]
			sum.Kind, sum.Protocol = t.Kind, t.Protocol
			sum.Sent += t.Sent
			sum.Received += t.Received
			sum.BytesSent += t.BytesSent
			sum.BytesReceived += t.BytesReceived
			all[name] = sum
		}
	}
	return all, checks, nil
}

// statuses asks all nodes at once.
func (nodes swarmNodes) statuses(ctx context.Context) ([]api.Status, error) {
	list, errs := make([]api.Status, len(nodes)), make([]error, len(nodes))
	var asks sync.WaitGroup
	for i, n := range nodes {
		asks.Go(func() { list[i], errs[i] = n.client.Status(ctx) })
	}
	asks.Wait()
	return list, errors.Join(errs...)
}

// buildForage builds the binary to measure where none is given. It does so in forage's module, as go.sum of the bench
// lacks some dependencies of forage.
func buildForage(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "forage")
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/forage-net/forage").Output()
	if err != nil {
		return "", fmt.Errorf("find the module of forage: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-C", strings.TrimSpace(string(module)), "-o", path, "./cmd/forage")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build forage: %w\n%s", err, out)
	}
	return path, nil
}
