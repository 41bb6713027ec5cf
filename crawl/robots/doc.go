// Package robots decides what a site's robots.txt lets us fetch (RFC 9309).
//
// A robots.txt is fetched once a day and host (Fetch) and kept as a Record:
// either rules, or "no robots.txt, everything is allowed", or "could not be
// had, nothing is allowed until the next try". The record holds the text of
// the groups that concern us, the nodes that comments name, and no more. Rules are that text made ready for
// matching, and a Cache keeps the rules of the hosts being worked on in
// memory, in front of the store that holds all records.
//
// Doubt never means yes: a file that cannot be parsed forbids everything, and
// so do a record that is too old and a server that does not answer. A line
// that makes no sense, on the other hand, costs that line alone.
//
// The text is read in two steps. This package takes the file apart line by
// line, since the files of the web are written by hand, picks our groups and
// matches paths to them. What it keeps it writes out as a clean file of one group,
// and crawl delay and sitemaps of that are read by
// github.com/temoto/robotstxt. That library alone would give up on a whole
// file for one bad line, take foragebot's rules for ours, and rank rules by
// the length of a regular expression.
//
// Rules and Records are values nobody changes; a Cache is safe for concurrent use.
package robots
