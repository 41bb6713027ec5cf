// Package find makes what a node has archived searchable: it keeps the index (storage/index) in step with the
// archive, and answers queries.
//
// A page that is fetched brings its words along (crawl/words), counted in the pass that finds its links. They
// wait in a short queue for one goroutine, which adds them to the index. Pages that missed this way are read
// from the archive later: those fetched before a crash, while the index was off, or while the queue was full. A
// trail says how far the index goes without a gap; each commit of the index keeps that place, and a start goes
// on from there. So the first index, the one after a crash and the one that doctor makes are the same
// operation.
//
// Nothing here leaves the computer.
package find
