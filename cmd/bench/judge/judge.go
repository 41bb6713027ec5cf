package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// slowHost is judged only when asked for: at its crawl delay of 2 s a polite
// crawl of it takes longer than all the others together.
const slowHost = "policy.test"

const (
	// timedSlack is what a gap may be shorter by if the log has starts and ends
	// in microseconds: what two clock readings and a rounding cost.
	timedSlack = 500 * time.Microsecond
	// untimedSlack is the same if the log has only ends: on loopback a request
	// lasts less.
	untimedSlack = 5 * time.Millisecond
)

// judge writes the report and says whether all crawls were right.
func (o options) judge(ctx context.Context, out io.Writer) (bool, error) {
	l, t, err := o.find(ctx)
	if err != nil {
		return false, fmt.Errorf("find the truth: %w", err)
	}
	return o.judgeBy(l, t, out)
}

// find returns what the crawls are judged by.
func (o options) find(ctx context.Context) (law, truth, error) {
	if o.truth != "" {
		return readTruthFile(o.truth)
	}
	w := testWeb(o.docs, o.www)
	t, err := findTruth(ctx, w)
	return w, t, err
}

// judgeBy judges every crawl in the log.
func (o options) judgeBy(l law, t truth, out io.Writer) (bool, error) {
	if o.host != "" && !l.knows(o.host) {
		return false, fmt.Errorf("host %s is not of this web", o.host)
	}
	starts := o.from
	if len(starts) == 0 {
		starts = []int64{0}
	}
	var crawls []crawl
	for i, from := range starts {
		to := int64(-1)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		hits, err := readLogFile(o.log, from, to, o.since)
		if err != nil {
			return false, fmt.Errorf("read log: %w", err)
		}
		crawls = append(crawls, crawl{from, compare(l, t, hits, o.question(hits))})
	}
	return report(out, crawls, o.json)
}

// question is what the options ask of a crawl.
func (o options) question(hits []hit) question {
	q := question{judged: o.judges, gap: o.gap, tolerance: o.tolerance, again: o.again}
	if q.tolerance < 0 {
		q.tolerance = timedSlack
		if slices.ContainsFunc(hits, func(h hit) bool { return !h.timed }) {
			q.tolerance = untimedSlack
		}
	}
	return q
}

// judges reports whether a host counts.
func (o options) judges(host string) bool {
	switch {
	case o.host != "":
		return host == o.host
	case o.all, o.truth != "":
		return true
	}
	return host != slowHost
}
