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

// laneBytes is how many bytes may wait in each lane. Streams and pulls wait for answers after 256 KiB per
// shard, so theirs is reached only with many shards in common. What does not fit is sent again.
var laneBytes = [NumLanes]int{512 << 10, 1 << 20, 4 << 20, 1 << 20}

// queueCost is what a message counts beside its bytes, so that empty ones are bounded too.
const queueCost = 32

// Queue holds what waits to be sent to one peer. The zero Queue is empty and ready.
type Queue struct {
	lanes [NumLanes]struct {
		waiting [][]byte
		bytes   int
	}
}

// Push adds a message, which the queue keeps. It returns false, and drops the message, if the lane is full.
func (q *Queue) Push(lane Lane, message []byte) bool {
	l, cost := &q.lanes[lane], len(message)+queueCost
	if l.bytes+cost > laneBytes[lane] {
		return false
	}
	l.waiting = append(l.waiting, message)
	l.bytes += cost
	return true
}

// Take removes the oldest messages of a lane, in order: as many as fit into max bytes, but one at least if
// there is any.
func (q *Queue) Take(lane Lane, max int) [][]byte {
	l := &q.lanes[lane]
	n, size := 0, 0
	for n < len(l.waiting) && (n == 0 || size+len(l.waiting[n]) <= max) {
		size += len(l.waiting[n])
		n++
	}
	taken := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	l.bytes -= size + n*queueCost
	return taken
}

// TakeAll removes all messages of a lane if they fit into max bytes, else none.
func (q *Queue) TakeAll(lane Lane, max int) [][]byte {
	if l := &q.lanes[lane]; l.bytes-len(l.waiting)*queueCost > max {
		return nil
	}
	return q.Take(lane, max)
}

// Len returns the number of messages that wait in all lanes.
func (q *Queue) Len() int { return len(q.lanes[LaneBeat].waiting) + q.Behind() }

// Behind returns the number of those that wait in the lanes behind the first.
func (q *Queue) Behind() int {
	n := 0
	for _, l := range q.lanes[LaneBeat+1:] {
		n += len(l.waiting)
	}
	return n
}
