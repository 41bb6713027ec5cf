package main

// experiments are the rows of the table.
var experiments = []experiment{e01, e02, e03, e04, e05, e06, e07, e08, e09, e10, e11, e12, e13, e14, e15, e16, e17}

// e06 asks whether probes by ping and by HEAD find the nearest crawler: thesis §8.3. What is measured on the Internet cannot be made up.
var e06 = experiment{
	id: "E6", paper: "Thesis §8.3: kinds of probes",
	setup: "1,000 sites, 4 crawlers, 4 kinds of probes",
	said:  "ping right for 908 sites, HEAD for 925",
	lacks: "lacks measured times of pings and HEAD requests to the same sites",
}
