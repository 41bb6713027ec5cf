package storage

// schemaVersion is the version of the tree below. A change of the tree raises
// it and adds a migration with a test.
const schemaVersion = 6

// The bucket tree. Names in <> are keys; ‖ joins, 0 is a zero byte. Numbers in
// keys are big-endian, so that cursors meet them in order.
//
//	meta
//	    schema                                   uint32
//	    node                                     16 random bytes: which store this is
//	    network                                  name of the network it belongs to
//	    health                                   how sites answered this computer's address lately
//	    keepers                                  who kept logs that have ended here
//	    clock                                    where the clock of politeness was at the last commit
//	logs
//	    <log ID>                                 one frontier: this node's own (self), or the copy of another member's
//	                                             ("copy " and its peer ID); crawl/oldfrontier owns what is below
//	        meta                                 applied, next task, next lease, totals
//	        domains  <domain>                    record: counts, back-off, lease, where it is moving
//	        queue    <domain> 0 <origin> 0 <attempts ‖ depth ‖ priority ‖ task number>
//	                                             attempts ‖ kind ‖ URL
//	        leases   <lease number>              domain
//	        filters  <domain> 0 <path>           block of the domain's Bloom filter
//	        pages    <domain> 0 <URL hash>       last visit: status, digest, validators, wait, URL; packed, or CBOR of before schema 6
//	        shapes   <domain> 0 <path hash>      URLs taken in with 2, 3 and more parameters
//	        outbox   <depth ‖ priority ‖ domain> 0 <URL hash>
//	                                             link to a domain of another member
//	        unasked  <domain>                    others may know it; not leased before they are asked
//	        closing  <domain>                    on its way to another log
//	        gone     <domain>                    has moved away lately: where
//	                 0 <time ‖ domain>           the same, in order of time
//	                 1 <domain>                  something of it is still to be deleted
//	        arriving m <move>                    move to here (peer, its number): state, last chunk
//	                 a <move>                    those not over
//	                 d <move ‖ domain>           their domains
//	                 o <time ‖ move>             those that are over, in order of time
//	        aside    <domain> 0 p <URL hash>     what was here of a domain that is arriving: a page,
//	                 <domain> 0 q <origin> 0 <attempts ‖ depth ‖ priority ‖ task number>
//	                                             a task,
//	                 <domain> 0 r                and the record
//	                 what follows is this member's own and never replicated:
//	        clocks   <domain> [0 <origin>]       when it is due (a held host: when its hold ends)
//	        due      <time ‖ domain [0 origin]>  the same, in order of time
//	        ready    <domain> 0 <origin>         hosts with tasks and without a hold
//	        later    <time ‖ domain [0 URL hash]>
//	                                             visits that are days away: of pages, of retired domains
//	        raft                                 entries that not all members have, and who they are; p2p/oldgroup owns it
//	robots   <origin>                            our copy of the host's robots.txt
//	digests  <SHA-1 of payload>                  the first capture that had it
//	         <uint64 number of commit>           the same of all payloads of a commit, until there are many
//	archive
//	    checkpoint                               where captures not yet settled begin
//	stats    <hour>                              what this node did in that hour of UTC, for 400 days
//	         d <day> | y <year>                  the same for days and years, for ever
//	         all                                 the same since ever, and what stands out
//	         first                               the first page that was settled
//	         t <lease ‖ granter> 0 <task hash>   an outcome of a live lease that is counted
//	roster   <peer>                              signed record of a member, as it came
//	peers    <peer>                              addresses of a peer that was met
//	held     <owner, lease>                      lease that this node holds of another: opaque here
var (
	BucketMeta    = []byte("meta")
	BucketLogs    = []byte("logs")
	BucketRobots  = []byte("robots")
	BucketDigests = []byte("digests")
	BucketArchive = []byte("archive")
	BucketStats   = []byte("stats")
	BucketRoster  = []byte("roster")
	BucketPeers   = []byte("peers")
	BucketHeld    = []byte("held")

	keySchema = []byte("schema")
	keyNode   = []byte("node")
)

// migrations[v] brings a store of version v to v+1; version 0 is an empty file.
var migrations = []func(tx *Tx) error{
	0: createTree,
	1: func(*Tx) error { return nil }, // crawl/oldfrontier brings the records of its logs up to date
	2: createSwarm,
	3: func(*Tx) error { return nil }, // p2p/oldgroup makes its buckets; who does not know them must not write to the logs
	4: rollUpStats,
	5: func(*Tx) error { return nil }, // crawl/oldfrontier reads records of visits in their old form; who knows only that must not open them
}
