package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"
)

// flags adds the flags of swarms, and returns the list of numbers of nodes.
func (s *swarmOptions) flags(flags *flag.FlagSet) *string {
	list := flags.String("swarm", "", "measure networks of so many nodes, `NODES[,NODES]...`")
	flags.IntVar(&s.idle, "idle", 0, "measure so many `NODES` with nothing to do")
	flags.IntVar(&s.domains, "node-domains", 60, "with -swarm: domains for each node")
	flags.IntVar(&s.pages, "node-pages", 1200, "with -swarm: pages for each node")
	flags.IntVar(&s.fetchers, "fetchers", 4, "with -swarm: requests that a node has in flight")
	flags.BoolVar(&s.standby, "standby", false, "with -swarm: the second node stands by: it keeps its books and fetches nothing")
	flags.DurationVar(&s.latency, "latency", 200*time.Millisecond, "with -swarm: how long each answer is held back")
	flags.DurationVar(&s.gap, "gap", 100*time.Millisecond, "with -swarm: the wait between two requests to a site")
	flags.DurationVar(&s.settle, "settle", idleSettle, "with -idle: how long the nodes get to know each other first")
	flags.DurationVar(&s.watch, "watch", idleWatch, "with -idle: how long they are watched")
	flags.BoolVar(&s.real, "real-times", false, "with -idle and -swarm: members wait for each other as in public networks, not as in a lab")
	return list
}

// swarms reports whether swarms are to be measured.
func (o *options) swarms() bool { return len(o.swarm.nodes) > 0 || o.swarm.idle > 0 }

// withSwarm returns the options of swarms of some sizes.
func (o options) withSwarm(list string) (_ options, err error) {
	if list != "" {
		if o.swarm.nodes, err = parseNodes(list); err != nil {
			return options{}, err
		}
	}
	s := o.swarm
	switch {
	case s.idle < 0 || s.idle > maxNodes:
		return options{}, fmt.Errorf("-idle %d is out of range: 1 to %d", s.idle, maxNodes)
	case s.domains < 1 || s.pages < 1 || s.fetchers < 1 || s.fetchers > 1000:
		return options{}, errors.New("-node-domains, -node-pages and -fetchers must be above 0")
	case s.standby && slices.Contains(s.nodes, 1):
		return options{}, errors.New("-standby wants two nodes or more")
	case s.latency < 0 || s.gap < 0 || s.settle < 0 || s.watch <= 0:
		return options{}, errors.New("-latency, -gap and -settle cannot be negative, and -watch must be above 0")
	}
	if o.forage != "" {
		if _, err := os.Stat(o.forage); err != nil {
			return options{}, fmt.Errorf("-forage: %w", err)
		}
	}
	return o, nil
}
