// Package swarm lets the fetchers and the frontier of this node work with those of others. The group
// (p2p/group) says who may act for a domain, the frontier (crawl/frontier) what is to be done there, the
// fetchers (crawl/worker) do it.
//
//   - offer.go: a leader tells fetchers that want work which domains are due; only a fetcher's request makes a lease
//   - lead.go: what a leader makes of requests, outcomes and links
//   - fetch.go: the leases that this node's fetchers hold
//   - report.go: outcomes on their way to the leader of their domain
//   - links.go: links on their way to other shards; told.go: those that are on their way already
//   - index/: indexes for the domains that this node begins to lead; sweep.go: items that mean nothing any more
//   - slots/: how many requests each member may have at a time at an address
//   - check.go: outcomes of others that are fetched again, and those that do not count; checks/: whom to believe
//   - events.go: what happened between members
//   - body.go: what all that looks like on the wire
//
// All state belongs to the goroutine that runs the group's Node, so there are no locks: methods that others may
// call hand over what they have through Loop.
package swarm
