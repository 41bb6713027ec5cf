package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// parts names the functions of each part of a crawl by what is in their names. A sample is of the part of the innermost
// function that has one. What has none is of the last.
var parts = [...]struct {
	name  string
	words []string
}{
	{"garbage, memory", []string{"runtime.gc", "runtime.mallocgc", "runtime.bgs", "runtime.memclr", "runtime.grow"}},
	{"inflating", []string{"fetch/content.", "flate.(*d", "flate.(*huffmanDec", "gzip.(*Reader)", "brotli."}},
	{"deflating", []string{"compress/flate."}},
	{"digests", []string{"crypto/sha1"}},
	{"challenges", []string{"health.Challenged"}},
	{"clock", []string{"app/clock."}},
	{"Bloom filters", []string{"storage/bloom."}},
	{"words of the index", []string{"crawl/words.", "app/find.", "storage/index."}},
	{"links", []string{"crawl/extract", "main.links"}},
	{"bbolt", []string{"bbolt"}},
	{"WARC", []string{"storage/warc.", "storage/warc/", "main.(*loop).record"}},
	{"frontier", []string{"crawl/frontier"}},
	{"swarm", []string{"app/swarm", "p2p/", "etcd.io/raft"}},
	{"HTTP", []string{"crawl/fetch.", "net.(*", "net.Dial"}},
	{"URLs", []string{"forage/crawl.", "whatwg-url", "main.resolve", "main.(*loop).push"}},
	{"pool", []string{"crawl/worker.", "crawl/uplink.", "crawl/chain."}},
	{"app", []string{"forage/app"}},
	{"other", nil},
}

// printParts takes one more turn of each with a profile, and prints what a page costs in each part.
func (t *turns) printParts(stdout io.Writer, node, loop float64) error {
	ofNode, err := t.shares(true)
	if err != nil {
		return err
	}
	ofLoop, err := t.shares(false)
	fmt.Fprintf(stdout, "%8s  %8s  µs a page\n", "forage", "loop")
	for i, p := range parts {
		fmt.Fprintf(stdout, "%8.1f  %8.1f  %s\n", ofNode[i]*node, ofLoop[i]*loop, p.name)
	}
	return err
}

// shares returns the share of each part. pprof prints before each stack a line of dashes, then its time and its
// functions, the innermost first.
func (t *turns) shares(forage bool) (shares [len(parts)]float64, err error) {
	dir, err := os.MkdirTemp("", "forage-loop-")
	if err != nil {
		return shares, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "cpu")
	if _, err := t.take(forage, file); err != nil {
		return shares, err
	}
	traces, err := exec.Command("go", "tool", "pprof", "-traces", file).Output()
	all := 0.0
	for _, trace := range strings.Split(string(traces), "-----------+")[1:] {
		stack := strings.Fields(trace)[1:]
		if len(stack) == 0 {
			continue
		}
		if d, err := time.ParseDuration(stack[0]); err == nil {
			shares[partOf(stack[1:])] += d.Seconds()
			all += d.Seconds()
		}
	}
	for i := range shares {
		shares[i] /= all
	}
	return shares, err
}

// partOf returns the index of the part of a stack.
func partOf(stack []string) int {
	for _, function := range stack {
		for i, p := range parts {
			if slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(function, w) }) {
				return i
			}
		}
	}
	return len(parts) - 1
}
