// Package posting has the lists that an inverted index consists of, as bytes: which pages have a term, and how much it
// stands out on each (List); which pages link to an address (Source); which domains link to a domain.
//
// Pages are numbers of a segment, in ascending order, so that a list holds distances, mostly of a byte each. A
// Cursor goes through a list, a Union through several at once. Whatever bytes they get, they end: a list that
// is damaged is shorter.
//
// The package knows neither files nor terms: package index says where a list begins. Nothing here is safe for
// concurrent use.
package posting
