// Package crawl is the vocabulary of the project: what a URL, a domain, a
// task, a lease, an outcome and an item are. It knows nothing of how they are kept,
// moved or fetched.
//
// # The life of a URL
//
// A URL begins as a seed or as an outlink of a page that was fetched
// (crawl/extract). It is brought into canonical form (ParseURL, URL.Resolve)
// and relieved of what names the visitor and not the page (Identity.Of). It is
// dropped if it is outside the scope of the crawl (crawl/scope), or one of
// those that only machines make (URL.Trap). Both judge by its text alone and
// keep nothing, so all nodes of a crawl come to the same answer. It then
// belongs to the owner of its domain, whose frontier (crawl/frontier) asks
// the Bloom filter of the domain (storage/bloom) whether it was seen before,
// under a key that leaves the order of its parameters out of account (URL.SeenKey).
// If not, it becomes a task in the queue of its host.
//
// When its domain is due, that is, politeness allows a request and no lease
// is live, the owner grants a lease: the right to work on some tasks of the
// domain for a while (app/swarm chooses to whom). The grant is committed
// before anyone hears of it.
//
// The fetcher that holds the lease (crawl/worker) sees to it that it has its own, fresh
// robots.txt of the host (crawl/robots), waits out the gap, sends one request
// over a connection that may only lead where it is allowed to
// (crawl/fetch), and writes request and response to the archive as they were on the
// wire (storage/warc). Only then it reports the outcome, with the outlinks,
// and the owner settles the task in one transaction: page recorded, outlinks
// enqueued, politeness clock moved. If the fetcher dies in between, the
// record in the archive is read back at its next start and settled from there;
// if it dies before, the lease lapses: the task has not left its queue.
package crawl
