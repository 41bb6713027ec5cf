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
// and ".cut" of what Open and Repair could not read but would not throw away.
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
// # Finding captures
//
// Index lines have the title that the metadata record tells ("title":"…"), so
// that Search looks through titles and URLs, and Lookup for one URL, by reading
// indexes alone, backwards from the newest capture on. There is nothing else to
// keep in order with the archive: a file that is removed takes its lines with
// it, and an index made again has the same. Indexes of earlier versions have no
// titles; their pages are found by URL until the index is removed and repaired.
//
// A capture is named by its file and the place of its record (Found.ID). Find
// takes such a name from strangers: only records of the index exist for it.
//
// # Crashes
//
// The archive is a recovery log. Append hands the capture to the operating
// system, so it survives the death of the process; Sync makes it survive a
// power loss. Open brings every file that was being written back to its last
// complete capture and repairs the index. Scan then tells what was captured
// after a known position.
//
// Check reads a whole archive for what is wrong with it, and Repair mends what can be: torn ends and indexes.
// Neither moves a capture. Erase takes captures out for good: in their place stand records that hold nothing.
//
// One process may have an Archive open on a directory; keeping a second one out
// is the caller's business, also while Repair runs. Functions that only read
// (Scan, ReadResponse, Check, ExportCDXJ, ExportWARC) may run beside it, in any process.
package warc
