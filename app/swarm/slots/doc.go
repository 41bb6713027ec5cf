// Package slots shares the addresses of servers among the members of a swarm: however many of them have domains
// there, an address gets one request at a time until it has earned more.
//
// Whoever leads an address grants its slots and keeps them in a table in memory (table.go). Fetchers ask for
// them, and a leader that begins to act asks the one before it for its table (slots.go). message.go has what
// they tell each other. crawl/gates is the fetcher's side: it holds a slot around each request.
package slots
