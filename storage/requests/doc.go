// Package requests keeps a record of every request that a node makes to sites, for
// its user alone: so many days of it, in so much room.
//
// There is one file for each day of UTC. It is a row of blocks, each of which holds the
// records of some seconds and is whole in itself; a torn end, as after a kill, is cut off. Blocks
// end with what it takes to walk through a file backwards, since the latest records are
// what people look for. When its day is over, a file is written again with larger,
// compressed blocks. A record that was read keeps its number in the file for ever, so a place
// in the log (Cursor) outlives that.
//
// Append costs a lock and some copying; every two seconds Serve writes what came together.
// Nothing is synced: what a power cut takes is a few seconds, or the end of a file. Where
// the disk is full or slow, records are lost, and counted.
//
// A Log is safe for concurrent use. Reading needs no Log: see Dir.
package requests
