// Package checks decides whom a leader of domains believes. Fetchers of other people report outcomes; some are
// fetched again by somebody else, and from what comes of that a Ledger learns how much a fetcher may do:
//
//   - answer.go: when two outcomes of one page agree
//   - ledger.go: what a fetcher has earned, and which of its outcomes are checked
//   - judge.go: what follows when a checked page was fetched again
//   - fetcher.go: what is kept of a fetcher, and how it is written down
//
// A fetcher is on trial until a hundred of its outcomes have come and ten checks agreed. Meanwhile its outcomes
// are held: they count, with their links, when the next check of it agrees. Established members are never on
// trial. A page on which two differ is looked at by a third: who stands alone loses the site, and at the third
// site all work for a week. What it did in that week is to be done again.
//
// A Ledger does no input or output and is not safe for concurrent use. Everything in it is bounded.
package checks
