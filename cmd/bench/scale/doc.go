// Package scale brings a frontier to millions of known URLs and measures what
// it costs there: CPU time, bytes written, the size of store and filters, and
// what the filters get wrong.
//
// The store, the frontier and the router are those of a node, with syncing
// on. Only the web is made up: a fetcher settles each task at once with links
// that follow from the task's URL, so there is no network and nothing to
// extract. Politeness is the real one, on a clock that the load moves on:
// a request and the gap after it take no time, but a lease has as many tasks, and as
// many leases are live at once, as on a node of sixteen fetchers.
//
// A run goes through load.go; the web is in web.go, the fetcher in fetcher.go, the
// work itself in work.go, the stages and their figures in stage.go, the filters in
// filters.go.
package scale
