// Package swarm lets the frontier and the fetchers of this node work with
// those of others. It carries what crawl/frontier and p2p do not know of each
// other:
//
//   - links to the owners of their domains (sender.go), and those of others in
//     (receiver.go);
//   - leases to fetchers that want work (granter.go), and those of others to
//     our fetchers (asker.go);
//   - outcomes home to who granted the lease (returns.go), and those of others
//     in (settler.go);
//   - domains to their new owners when members come and go (mover.go), and
//     those of others in (arrivals.go); before a domain is begun, former owners
//     are asked for it (inquirer.go).
//
// Everything that comes from a peer is checked here before it reaches the
// frontier: that it is well-formed, in scope, about what that peer may speak
// of, and not more than it may send.
package swarm
