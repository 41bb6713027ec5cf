// Package calls carries requests and replies between peers over libp2p
// streams. It knows nothing of what the messages mean: a kind is a number with
// limits and a handler.
//
// # Streams
//
// There is one libp2p protocol per Class, so that urgent words never wait
// behind large ones. Opening a stream costs more bytes than a small call, so a
// stream is kept after a call and used again, one request at a time, as with
// HTTP/1.1: the caller keeps at most two idle streams per peer and class, for
// a minute. A kept stream that turns out dead is replaced once, if no byte of
// a reply had arrived; every request must therefore be idempotent.
//
// # Frames
//
//	request: uvarint size, 1 byte kind,   1 byte flags, body
//	reply:   uvarint size, 1 byte status, 1 byte flags, body
//
// The size is that of the body as sent. Flag bit 0 says the body is a zstd
// frame of one segment; the other bits are zero. A busy reply has a uvarint of milliseconds
// as its body, a refusal a short text.
//
// # Strangers
//
// Everything that arrives is hostile until read: sizes are checked before
// memory is taken, a request has seconds to arrive, and requests, bytes,
// streams and handlers in flight are limited per peer. What a peer does wrong
// is counted and weighed (Calls.Offend); a peer that does too much of it is
// banned for a while.
//
// All methods are safe for concurrent use, but Register, which comes before
// Serve and Call. Nothing is stored: bans end with the process.
package calls
