// Package nearness has the experiments on which crawler is near to which site: E2, E5 and E7 to E13. Each is a file,
// and all need round trips. Ours are the decisions of crawl/near: its coordinates, its guided choice, its shares, and
// the book that a leader keeps.
package nearness
