package rival

// Partition says which node gets a page that was found (Loo). A node that got it may redirect it.
type Partition struct {
	Name string
	key  func(page, host int32) uint64
	dht  *Circle

	// Redirect says that a node with more than Threshold pages in its queue sends new ones on: to one of FanOut
	// others by the hash of the URL, 0 for all, at most Hops times (Loo).
	Redirect                bool
	Threshold, FanOut, Hops int
}

// ByURL gives each page to the node of the hash of its URL.
func ByURL(nodes int, seed uint64) Partition {
	return Partition{Name: "URL", dht: NewCircle(nodes, 1, seed),
		key: func(page, _ int32) uint64 { return Hash(1, uint64(page)) }}
}

// ByHostname gives all pages of a host to one node.
func ByHostname(nodes int, seed uint64) Partition {
	return Partition{Name: "Hostname", dht: NewCircle(nodes, 1, seed),
		key: func(_, host int32) uint64 { return Hash(2, uint64(host)) }}
}

// ByCircle is UbiCrawler's: ByHostname with so many points for each agent.
func ByCircle(agents, replicas int, seed uint64) Partition {
	p := ByHostname(agents, seed)
	p.Name, p.dht = "UbiCrawler", NewCircle(agents, replicas, seed)
	return p
}

// ByHostnameN gives the pages of a host to n nodes.
func ByHostnameN(nodes, n int, seed uint64) Partition {
	return Partition{Name: "Hostname-8", dht: NewCircle(nodes, 1, seed), key: func(page, host int32) uint64 {
		return Hash(3, uint64(host), Hash(1, uint64(page))%uint64(n))
	}}
}

// ByRedirect is ByHostname with redirects.
func ByRedirect(nodes, threshold, fanOut, hops int, seed uint64) Partition {
	p := ByHostname(nodes, seed)
	p.Name, p.Redirect, p.Threshold, p.FanOut, p.Hops = "Redirect", true, threshold, fanOut, hops
	return p
}

// Node is where a page goes first.
func (p Partition) Node(page, host int32) int { return p.dht.Owner(p.key(page, host)) }

// Next is where a node sends a page on that went hops times already; false if it keeps it.
func (p Partition) Next(page, host int32, queued, hops int) (node int, ok bool) {
	if !p.Redirect || queued <= p.Threshold || hops >= p.Hops {
		return 0, false
	}
	other := Hash(4, uint64(page), uint64(hops))
	if p.FanOut > 0 {
		other = Hash(5, uint64(host), other%uint64(p.FanOut))
	}
	return p.dht.Owner(other), true
}
