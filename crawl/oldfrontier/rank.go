package frontier

import (
	"encoding/binary"

	"github.com/forage-net/forage/crawl"
)

const (
	// tailSize is the length of the end of a queue key: the rank of its task.
	tailSize = rankHead + 8
	// rankHead is the length of the part of a rank that many tasks share: all except the number.
	rankHead = 3
)

// rank says where a task stands in the queue of its host. A task that was never tried comes first, whatever its depth, and
// one that failed comes after it: else pages that fail would keep a crawl from all deeper pages.
// Of equal attempts those nearer to the seeds come first, then those of the higher priority, then the older ones.
type rank struct {
	attempts, depth uint8
	prio            crawl.Priority
	number          uint64 // of the task, never used twice
}

// append appends a rank to a key. Keys of one host sort as its tasks are visited.
func (r rank) append(key []byte) []byte {
	return binary.BigEndian.AppendUint64(append(key, r.attempts, r.depth, byte(r.prio)), r.number)
}

// rankOf is the reverse of append for tailSize bytes.
func rankOf(tail []byte) rank {
	return rank{attempts: tail[0], depth: tail[1], prio: crawl.Priority(tail[2]), number: binary.BigEndian.Uint64(tail[rankHead:])}
}
