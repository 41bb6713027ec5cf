package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// keeping is where the CPU time of keeping shards goes, in seconds for 1,000 pages. What is sampled counts for the innermost of
// the parts below which it runs: a system call of bbolt's is bbolt's, whoever has the transaction.
type keeping struct {
	// Raft is who may act: p2p/group and what it is made of, and the library, with what brings their packets to others. Items is
	// p2p/stream, Frontier is crawl/frontier and its store; Store is bbolt, for whatever it is used.
	Raft     float64 `json:"raft"`
	Items    float64 `json:"items"`
	Frontier float64 `json:"frontier"`
	Store    float64 `json:"store"`
}

// addTraces adds what "go tool pprof -traces" prints of a profile. Times are CPU seconds.
func (k *keeping) addTraces(text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	var value time.Duration
	var stack []string
	end := func() {
		if to := k.part(stack); to != nil {
			*to += value.Seconds()
		}
		value, stack = 0, stack[:0]
	}
	begun := false
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "-----------+") {
			end()
			begun = true
			continue
		}
		if !begun || line == "" {
			continue
		}
		if first, rest, ok := strings.Cut(line, " "); ok && len(stack) == 0 {
			d, err := time.ParseDuration(first)
			if err != nil {
				return fmt.Errorf("sample %q: %w", line, err)
			}
			value, line = d, strings.TrimSpace(rest)
		}
		stack = append(stack, line)
	}
	end()
	return lines.Err()
}

// part returns what a sample counts for, nil for nothing; the innermost function is first.
func (k *keeping) part(stack []string) *float64 {
	for _, f := range stack {
		switch {
		case strings.HasPrefix(f, "go.etcd.io/bbolt"):
			return &k.Store
		case strings.HasPrefix(f, "go.etcd.io/raft/"), isOf(f, "p2p/group", "p2p/shard", "p2p/record", "p2p/raftlog"):
			return &k.Raft
		case isOf(f, "p2p/stream"):
			return &k.Items
		case isOf(f, "crawl/frontier", "crawl/frontier/store"):
			return &k.Frontier
		}
	}
	return nil
}

// isOf reports whether a function is of one of some packages of this module.
func isOf(function string, packages ...string) bool {
	return slices.ContainsFunc(packages, func(p string) bool { return strings.Contains(function, "/forage/"+p+".") })
}

// profileIn names the profile of the i-th node.
func profileIn(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("profile.%d", i+1)) }

// keeping ends all nodes, which end their profiles with that, and adds these up for so many pages.
func (nodes swarmNodes) keeping(ctx context.Context, dir string, pages int) (*keeping, error) {
	var ends sync.WaitGroup
	for _, n := range nodes {
		ends.Go(n.end)
	}
	ends.Wait()
	var k keeping
	for i := range nodes {
		file := profileIn(dir, i)
		out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", file).Output()
		if err != nil {
			return nil, fmt.Errorf("read profile %s: %w", file, err)
		}
		if err := k.addTraces(out); err != nil {
			return nil, fmt.Errorf("read profile %s: %w", file, err)
		}
	}
	thousands := float64(max(pages, 1)) / 1000
	return &keeping{k.Raft / thousands, k.Items / thousands, k.Frontier / thousands, k.Store / thousands}, nil
}
