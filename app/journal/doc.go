// Package journal keeps what happens in a node as events with increasing numbers, for front ends that come late, and
// counts the pages of the last minute. A Teller makes events of what other parts report. All of it is safe for
// concurrent use.
package journal
