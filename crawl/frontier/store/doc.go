// Package store keeps what is known of domains and their URLs: the items, how two values of an item merge, and the
// indexes that a node builds from items to work with them.
//
// An item has a domain, a key and a value. The first byte of the key is the kind: one URL (KindURL), the record of the
// domain (KindRecord), or the links of one page to other domains (KindLinks). Merge joins two values of an item. It is
// commutative, associative and idempotent, so members that have seen the same values in any order hold the same items.
//
// Indexes are each node's own. They exist for the domains that the node leads: Build makes them, Forget deletes them, and
// Changed keeps them, called for every change of an item by whomever. An index holds nothing that the items do not say.
// Check compares the two. What items do not say, such as when a domain may be visited next, is in its Place.
//
// Create makes the buckets; it comes before everything else. Functions work within one transaction of the store and start
// nothing. Bytes they return from it are valid until it ends.
//
// The buckets, in the style of storage/schema.go:
//
//	items     <domain> 0 <key>                      16-byte stamp ‖ value; p2p/stream owns it, the frontier reads it
//	indexed   <domain>                              0: built; 1 ‖ key: built up to that key; 2: being forgotten
//	counts    <domain>                              Counts, end of the retirement, date of the last delivery
//	          0                                     Totals
//	queue     <domain> 0 <origin> 0 <tries ‖ depth ‖ priority ‖ URL hash>
//	                                                a URL to visit; the key is its place in the order
//	ready     <domain> 0 <time ‖ origin>            a host with a queue, by when it may be visited, or was
//	revisits  <domain> 0 <date ‖ URL hash>          origin of a URL to be visited again then
//	shapes    <domain> 0 <path hash>                3 × uint32: URLs with two, three and more parameters
//	filters   <domain> 0 <path>                     block of the domain's Bloom filter
//	outgoing  <domain> 0 <date ‖ key>               links to other domains not known to be delivered
//	places    <domain>                              Place: what items do not say
//	hosts     <domain> 0 <origin>                   when the host was visited last, or its hold ends
//	          <domain> 0                            where the domain stands: d (due) or c (calendar) ‖ time
//	due       <time ‖ domain>                       domains with work, by when they may be visited
//	calendar  <time ‖ domain>                       domains that wait for a revisit or the end of a retirement
//
// Dates are Unix seconds and times Unix nanoseconds, both as big-endian uint64.
package store
