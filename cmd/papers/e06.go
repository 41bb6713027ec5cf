package main

import "github.com/forage-net/forage/cmd/papers/lab"

// e06 asks whether probes by ping and by HEAD find the nearest crawler: thesis §8.3. What is measured on the Internet
// cannot be made up.
var e06 = lab.Experiment{
	ID: "E6", Paper: "Thesis §8.3: kinds of probes",
	Setup: "1,000 sites, 4 crawlers, 4 kinds of probes",
	Said:  "ping right for 908 sites, HEAD for 925",
	Lacks: "lacks measured times of pings and HEAD requests to the same sites",
}
