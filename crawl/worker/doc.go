// Package worker works leases: it fetches their tasks within robots.txt, the
// gap of the domain and the time of the lease, has what came back archived, and
// reports outcomes.
//
// A Pool has a fixed number of fetchers and several times as many leases. A
// lease between two requests waits in a heap, and one whose address is busy in the
// line of that address, so that no fetcher ever sleeps on a gap. Where others may visit
// the same address, a lease needs a slot of it before its first request there; one that is
// refused goes home. Each lease is in one place at any time: the heap, a line, the hands of one
// fetcher, or with those who ask for a slot of its address.
//
// What the user allows may change at any time: how many fetchers may have a lease in hand, how many pages are
// requested a minute, and, by way of Config.Pace, what there is room for now. Where that is nothing, all
// leases go home.
package worker
