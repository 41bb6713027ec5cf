// Package worker works leases: it fetches their tasks within robots.txt, the
// gap of the domain and the time of the lease, has what came back archived, and
// reports outcomes.
//
// A Pool has a fixed number of fetchers and several times as many leases. A lease between two requests waits in
// a heap, and one whose address is busy in the line of that address, so that no fetcher ever sleeps on a gap.
// All nodes that visit an address share its slots, each the right to send one request at a time (Config.Slots).
// Each lease is in one place at any time: the heap, a line, or the hands of one fetcher.
//
// What the user allows may change at any time: how many fetchers may have a lease in hand, how many pages are
// requested a minute, and, by way of Config.Pace, what there is room for now. Where that is nothing, all
// leases go home.
package worker
