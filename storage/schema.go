package storage

// schemaVersion is the version of the tree below. A change of the tree raises it.
const schemaVersion = 1

// The bucket tree. Names in <> are keys; ‖ joins, 0 is a zero byte. Numbers in keys are big-endian, so that cursors
// meet them in order. Dates are Unix seconds and times Unix nanoseconds.
//
//	meta
//	    schema                                   uint32
//	    node                                     16 random bytes: which store this is
//	    network                                  name of the network it belongs to
//	    health                                   how sites answered this computer's address lately
//	    clock                                    where the clock of politeness was at the last commit
//	    roster seq, units                        the number of the last record, and the units of this node
//	    limits, promises, promise_days           what limits have used and promises have come to
//
// What members keep together (p2p/stream, p2p/raftlog):
//
//	items     <domain> 0 <key>                   stamp, two uvarints ‖ value: a URL, the record of the domain, links
//	                                             of a page (crawl/frontier/store)
//	came      <shard> <domain>                   latest number per run of the domain's items in that shard
//	marks     <shard>                            up to which number of each run this store has everything
//	raft      <shard> f                          which founding of the shard this is, and what was promised before it
//	          <shard> h | s                      Raft's hard state, and the snapshot of the record
//	          <shard> e <uint64>                 entries after the snapshot
//
// What the frontier makes of items, for the domains that this node leads. It is never sent, and built again when it is
// missing. A host is s or p, for https and http, and the part of its name before the domain; one with a port is its
// origin. The strings of queue and revisits lie in blocks (storage/packed):
//
//	domains   <domain>                           each after its length: how far the indexes are (0: built; 1 ‖ key:
//	                                             built up to that key; 2: being forgotten); where the domain stands:
//	                                             d (due) or c (calendar) ‖ time; numbers of URLs and end of the
//	                                             retirement; what items do not say: pace, back-off, what was dropped
//	          0                                  totals
//	queue     <domain> 0 <string>                host 0 tries ‖ depth ‖ priority ‖ hash of a URL to visit
//	ready     <domain> 0 <time ‖ host>           a host with a queue, by when it may be visited, or was
//	revisits  <domain> 0 <string>                date ‖ hash ‖ host of a URL to be visited again then
//	shapes    <domain> 0 <path hash>             3 × uint32: URLs with two, three and more parameters
//	filters   <domain> 0 <path>                  block of the domain's Bloom filter
//	outgoing  <domain> 0 <date ‖ key>            links to other domains not known to be delivered
//	hosts     <domain> 0 <host>                  when the host was visited last, or its hold ends
//	due       <time ‖ domain>                    domains with work, by when they may be visited
//	calendar  <time ‖ domain>                    domains that wait for a revisit or the end of a retirement
//
// What this node alone knows:
//
//	robots    <origin>                           our copy of the host's robots.txt
//	digests   <12 bytes of payload's SHA-1>      where the first capture is that had it
//	          <uint64 number of commit>          the same of all payloads of a commit, until there are many
//	archive
//	    checkpoint                               where captures not yet settled begin
//	stats     <hour>                             what this node did in that hour of UTC, for 400 days
//	          d <day> | y <year>                 the same for days and years, for ever
//	          all                                the same since ever, and what stands out
//	          first                              the first page that was settled
//	roster    <peer>                             signed record of a member, as it came
//	peers     <peer>                             addresses of a peer that was met
//	checks    f <peer>                           what checks say of a fetcher elsewhere (app/swarm/checks)
//	          o <uint32 of 10 minutes> <peer hash> <domain>
//	                                             hashes of the URLs that it visited, for a week
var (
	BucketMeta = []byte("meta")

	BucketItems = []byte("items")
	BucketCame  = []byte("came")
	BucketMarks = []byte("marks")
	BucketRaft  = []byte("raft")

	BucketDomains  = []byte("domains")
	BucketQueue    = []byte("queue")
	BucketReady    = []byte("ready")
	BucketRevisits = []byte("revisits")
	BucketShapes   = []byte("shapes")
	BucketFilters  = []byte("filters")
	BucketOutgoing = []byte("outgoing")
	BucketHosts    = []byte("hosts")
	BucketDue      = []byte("due")
	BucketCalendar = []byte("calendar")

	BucketRobots  = []byte("robots")
	BucketDigests = []byte("digests")
	BucketArchive = []byte("archive")
	BucketStats   = []byte("stats")
	BucketRoster  = []byte("roster")
	BucketPeers   = []byte("peers")
	BucketChecks  = []byte("checks")

	keySchema = []byte("schema")
	keyNode   = []byte("node")
)

// Indexes are the buckets that hold what the frontier makes of items.
func Indexes() [][]byte {
	return [][]byte{BucketDomains, BucketQueue, BucketReady, BucketRevisits, BucketShapes, BucketFilters,
		BucketOutgoing, BucketHosts, BucketDue, BucketCalendar}
}

// Buckets are those at the top of the tree: all there are.
func Buckets() [][]byte {
	return append(Indexes(), BucketMeta, BucketItems, BucketCame, BucketMarks, BucketRaft, BucketRobots, BucketDigests,
		BucketArchive,
		BucketStats, BucketRoster, BucketPeers, BucketChecks)
}
