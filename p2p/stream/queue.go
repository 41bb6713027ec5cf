package stream

// Lane orders messages to a peer: those of a lower lane leave first, and none waits for a higher one.
type Lane uint8

const (
	LaneBeat   Lane = 0 // the record, heartbeats, answers about leases
	LaneAct    Lane = 1 // grants, outcomes, puts
	LaneStream Lane = 2 // commits and what acknowledges them
	LanePull   Lane = 3 // pulls, offers

	// NumLanes is the number of lanes.
	NumLanes = 4
)

// bound returns how many bytes may wait in a lane. Streams and pulls wait for answers after 256 KiB per shard, so theirs
// is reached only with many shards in common. What does not fit is sent again.
func (l Lane) bound() int {
	switch l {
	case LaneBeat:
		return 512 << 10
	case LaneStream:
		return 4 << 20
	}
	return 1 << 20
}

// Queue holds what waits to be sent to one peer. The zero Queue is empty and ready.
type Queue struct {
	lanes [NumLanes]struct {
		waiting [][]byte
		bytes   int
	}
}

// Push adds a message, which the queue keeps. It returns false, and drops the message, if the lane is full or unknown.
func (q *Queue) Push(lane Lane, message []byte) bool {
	if lane >= NumLanes {
		return false
	}
	l := &q.lanes[lane]
	if l.bytes+len(message)+queueCost > lane.bound() {
		return false
	}
	l.waiting = append(l.waiting, message)
	l.bytes += len(message) + queueCost
	return true
}

// queueCost is what a message counts beside its bytes, so that empty ones are bounded too.
const queueCost = 32

// Take removes the oldest messages of a lane, in order: as many as fit into max bytes, but one at least if there is any.
func (q *Queue) Take(lane Lane, max int) [][]byte {
	if lane >= NumLanes {
		return nil
	}
	l := &q.lanes[lane]
	n, size := 0, 0
	for n < len(l.waiting) && (n == 0 || size+len(l.waiting[n]) <= max) {
		size += len(l.waiting[n])
		n++
	}
	taken := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	l.bytes -= size + n*queueCost
	if len(l.waiting) == 0 {
		l.waiting = nil
	}
	return taken
}

// Len returns the number of messages that wait in all lanes.
func (q *Queue) Len() int {
	n := 0
	for i := range q.lanes {
		n += len(q.lanes[i].waiting)
	}
	return n
}

// Bytes returns what waits in a lane, counted as its bound is.
func (q *Queue) Bytes(lane Lane) int {
	if lane >= NumLanes {
		return 0
	}
	return q.lanes[lane].bytes
}
