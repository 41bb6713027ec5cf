// Package worker works leases: it fetches their tasks within robots.txt, the
// gap of the domain and the time of the lease, has what came back archived, and
// reports outcomes.
//
// A Pool has a fixed number of fetchers and several times as many leases. A lease on its way through the pool is a
// turn. It is in one place at any time: the schedule, the line of an address, or the hands of one fetcher. So no
// fetcher ever sleeps on a gap.
//
//   - leases knows all turns, wherever they are.
//   - schedule has those that wait for a gap, a fetcher or a page, and hands out the next one.
//   - visitor takes a turn one request further: a robots.txt, or a page. All nodes that visit an address share its
//     slots, each the right to send one request at a time (Config.Slots).
//   - flights knows the requests under way, and whether another may begin.
//
// What the user allows may change at any time: how many fetchers may have a lease in hand, how many pages are
// requested a minute, and, by way of Config.Pace, what there is room for now. Where that is nothing, all
// leases go home.
package worker
