// Package scale brings a frontier to millions of known URLs and measures what
// it costs there: CPU time, bytes written, the size of store and filters, and
// what the filters get wrong.
//
// The store, the frontier, the group and the swarm are those of a node that is
// alone, with syncing on. Only the web is made up: a fetcher settles each task at
// once with links that follow from the task's URL, so there is no network and
// nothing to extract. There are no gaps between requests. A request takes no time,
// but it says that it took as long as one with the gap after it: so a lease has as
// many tasks as on a node. In the end the store is closed and opened again, as after
// an orderly end of a node.
//
// A run goes through load.go; the node is in node.go, the web in web.go and page.go, the
// fetcher in fetcher.go, the work itself in work.go, the stages and their figures in
// stage.go, the filters in filters.go.
package scale
