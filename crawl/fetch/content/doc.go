// Package content knows what the body of a response is: of which type, by its head or by its first bytes, and
// in which codings, which Pools undoes. It is as lenient as browsers are, and bounds what a body becomes when
// it is unpacked.
//
// All of it is safe for concurrent use.
package content
