// Package health watches how sites answer the address of this computer.
//
// An address that many sites refuse is one that the household behind it will
// have trouble with: shops and mail providers look at the same lists. So
// before it comes to that, the node slows down. A Tracker counts, over the
// last seven days, the distinct domains that answered and those that refused
// (403) or challenged (a page that wants proof of being human), and says by how
// much to slow down (Factor) and, in a sentence, why (Report).
//
// A domain counts by its latest answer: a site that shows pages and forbids
// some of them has nothing against the address.
//
// A Tracker reads no clock and keeps no file: times are given to it, and State and
// Restore carry it over a restart. Its memory is bounded: beyond
// maxDomains it goes on with a sample, chosen by the hash of the name, and what it
// says are estimates. All its methods are safe for concurrent use.
package health
