// Package store keeps the knowledge of domains and their URLs: the items, how two values of an item merge, and the
// indexes that a node builds from items to work with them.
//
// An item has a domain, a key and a value. The first byte of the key is the kind: one URL (KindURL), the record of the
// domain (KindRecord), or the links of one page to other domains (KindLinks). Merge joins two values of an item. It is
// commutative, associative and idempotent, so members that have seen the same values in any order hold the same items.
//
// Indexes are each node's own. They exist for the domains that the node leads: Build makes them, Forget deletes
// them, and Changed keeps them, called for every change of an item, by this node or another. An index holds
// nothing that the items do not say. Check compares the two. Everything else, such as when a domain may be
// visited next, is in its Place.
//
// Create makes the buckets; it comes before everything else. Functions work within one transaction of the store
// and start nothing. Bytes they return from it are valid until it ends.
package store
