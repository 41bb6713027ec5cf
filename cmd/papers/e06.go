package main

// e06 asks whether probes by ping and by HEAD find the nearest crawler: thesis §8.3. What is measured on the Internet cannot be made up.
var e06 = experiment{
	id: "E6", paper: "Thesis §8.3: kinds of probes",
	setup: "1,000 sites, 4 crawlers, 4 kinds of probes",
	said:  "ping right for 908 sites, HEAD for 925",
	lacks: "lacks measured times of pings and HEAD requests to the same sites",
}
