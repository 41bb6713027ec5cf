// Package stream keeps what the members of a shard's line know: a set of items that merge. It decides nothing about who
// may lead. Package shard does, through the interface Group.
//
// A leader merges what it is given into its store, stamps what changed with the next number of its run, and
// streams it to its followers. A run is drawn whenever a member begins to lead. A stamp (run, number) names one
// content for ever. A store's marks say, for each run, up to which number it has everything. They never skip a
// hole: a follower takes commit n only on mark n-1. If it has no mark of the run, or the leader no longer keeps
// the commit, it pulls.
//
// A pull asks another store for all items of a shard whose stamps the own marks lack. It goes in chunks, in the
// order of domains. The last chunk makes the marks of the answerer, as they were at the beginning, those of the
// asker too. A new follower, a lost disk, a restored backup, a healed partition and a move of domains to
// another shard are all this one operation. Pulls go both ways: an acknowledgement tells the leader what else
// its follower's marks hold.
//
// Streams is a deterministic machine for one goroutine. It has no clock and starts nothing by itself. A driver
// hands it messages with Receive, calls Tick now and then, and runs Commit inside a transaction of the store.
// After the transaction it calls Committed. If the transaction fails, it opens Streams again. Nothing is sent
// before the transaction that it speaks of is durable.
//
// The store has three buckets. "items" holds domain ‖ 0 ‖ key → stamp ‖ value. "came" holds shard ‖ domain → the latest
// number per run of the domain's items as this shard knows them. "marks" holds shard → the marks.
//
// Everything from peers is bounded and may be false, but a leader or an answerer that the group trusts can write items
// and marks of its shard. What it writes still only merges.
package stream
