// Package warc keeps what a node has fetched: a directory of WARC 1.1 files
// that any other archive tool can read, each with a CDXJ index beside it.
//
// # Files
//
//	forage-20260131120000-00007-1a2b3c4d.warc.gz       finished, never changes again
//	forage-20260131120500-00008-1a2b3c4d.warc.gz.open  being written
//	forage-20260131120500-00008-1a2b3c4d.cdxj          index of either, in write order
//
// The parts of a name are the time the file was begun (UTC), a serial number
// and a tag drawn once for a directory. Names sort in the order of writing.
// All other files are left alone: ".tmp" of what was not completed, ".damaged"
// and ".cut" of what could not be read but must not be thrown away (repair).
//
// # Records
//
// A file opens with a warcinfo record. After it comes one group of records for
// each capture, written with one write: the request, then the response or
// revisit, then metadata if there is any. Request and metadata point to the
// response with WARC-Concurrent-To. Each record is one gzip member. What is
// shorter than a kilobyte, and a body that came compressed, is put into stored
// blocks, since deflating it would cost more than fetching it did; everything
// else is deflated at level 1.
//
// Blocks are the bytes of the connection, chunk framing included. Where a server names chunked otherwise than
// in the one word that other programs know, the capture says it so, and has the server's field as
// X-Archive-Orig-Transfer-Encoding. WARC-Block-Digest and WARC-Payload-Digest are SHA-1 in base32; the payload
// is the body without chunk framing and with its Content-Encoding. WARC-Date is in microseconds, and
// WARC-Refers-To-Date repeats the date of the original to the microsecond.
//
// A revisit has the profile identical-payload-digest where the payload came
// again, and server-not-modified where a 304 came in its place; either states
// the digest of the original. Captures of pages that ask to be kept out of
// indexes have the field "Forage-Robots: noindex" in their response or revisit
// record, and "robots":"noindex" in their index line. Exports leave them out.
//
// # Crashes
//
// The archive is a recovery log. Append hands the capture to the operating
// system, so it survives the death of the process; Sync makes it survive a
// power loss. Open brings every file that was being written back to its last
// complete capture and repairs the index. A scan then tells what was captured
// after a known position. Erase takes captures out for good: in their place
// stand records that hold nothing, so that no other moves.
//
// One process may have an Archive open on a directory; keeping a second one out
// is the caller's business, also while it is repaired. What only reads may run
// beside it, in any process.
//
// # Packages
//
// This package writes. Those below it, from the bytes up:
//
//	record, member, digest  records of any program; our records as gzip members; their digests
//	capture                 a capture as its records
//	warcfile                names of files, and the captures in them
//	cdxj                    lines of an index
//	lookup                  captures found by these lines: by words, URL, time, ID
//	collate                 a file beside its index
//	check, repair           what is wrong with an archive, and mending it
//	export                  what leaves an archive, and what is left out
package warc
