// Package record is what the members of a shard agree on: who they are, which prefixes of keys the shard holds, which
// leases live. It changes by entries. The same entries in the same order make the same record, and nothing in it
// reads a clock, a disk or the network. Package shard has the entries ordered by Raft.
//
// Who may act for a key is an [Authority]. Its number grows whenever it goes from one shard to another, and the later
// number is right. A shard that gave a prefix away remembers to whom and under which number, as it may be told an
// earlier one again.
package record
