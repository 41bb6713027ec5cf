// Package fetch is the way out to web sites: the only code of the node that
// connects to them. A Client sends one GET request at a time to a host, over
// a connection that is kept between requests, and hands back what went over
// the wire, byte for byte, next to what it means.
//
// # The life of a request
//
// Client.Addrs turns the host of a URL into addresses, each of which the
// Guard allows. The caller chooses one (politeness is per address) and calls
// Client.Get with it. Get waits until nobody else uses the host's connection,
// takes the kept one or dials, and writes the request in one piece. The guard
// judges once more when the socket is about to connect, and there is no
// address in between that could change: the dialer is given an address, never
// a name, and there is one constructor of dialers.
//
// The response is read into one buffer, which is the capture. The parser of
// head and body (head.go, body.go) works on that buffer, so that a response
// read back from an archive by ParseResponse goes through the same code as
// one from the network. A body that is no text is not read, one that is too
// long, too slow or broken off is kept as far as it came, with the reason in
// Response.Truncated. Redirects are not followed: they are tasks of their own.
//
// # What is bounded
//
// The head, the body on the wire, the decoded body and its ratio to the body
// on the wire, the number of header fields, interim responses and content
// codings, the time to connect, the time in all and the least rate of a body
// (Limits); the number of connections, kept or active (Config.MaxConns); and
// the answers of the resolver that are remembered. A Pacer, where set, bounds what all
// connections move in a second; time that it takes is not held against a site.
//
// # Concurrency
//
// A Client may be used by any number of goroutines. It starts none of its
// own except for a moment when a timer fires. A Response belongs to whoever
// called Get and is not safe for concurrent use.
//
// Nothing is stored on disk.
package fetch
