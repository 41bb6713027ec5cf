package stream

// commitLog keeps the last commits of a run as they are sent.
type commitLog struct {
	entries []logEntry
	dropped int // bytes of all commits before the first
	end     int // bytes of all commits so far
	last    uint64
}

type logEntry struct {
	message []byte
	end     int // bytes of all commits up to this one
}

// add appends commit n, which follows the last one, and forgets the oldest beyond kept bytes.
func (c *commitLog) add(n uint64, message []byte, kept int) {
	c.end += len(message)
	c.last = n
	c.entries = append(c.entries, logEntry{message, c.end})
	k := 0
	for k < len(c.entries)-1 && c.end-c.entries[k].end >= kept {
		k++
	}
	c.forget(k)
}

// trim forgets the commits before n.
func (c *commitLog) trim(n uint64) {
	if first := c.first(c.last); n > first {
		c.forget(int(min(n-first, uint64(len(c.entries)))))
	}
}

func (c *commitLog) forget(k int) {
	if k == 0 {
		return
	}
	c.dropped = c.entries[k-1].end
	clear(c.entries[:k]) // the array lives on for a while
	c.entries = c.entries[k:]
}

// first returns the first number kept, n+1 if there is none, where n is the run's last number.
func (c *commitLog) first(n uint64) uint64 {
	if len(c.entries) == 0 {
		return n + 1
	}
	return c.last + 1 - uint64(len(c.entries))
}

// at returns commit n, which must be kept.
func (c *commitLog) at(n uint64) []byte { return c.entries[n-c.first(c.last)].message }

// bytes returns the size of the kept commits from one number up to, not including, another.
func (c *commitLog) bytes(from, to uint64) int {
	start := func(n uint64) int {
		first := c.first(c.last)
		if n <= first || len(c.entries) == 0 {
			return c.dropped
		}
		return c.entries[min(n-first, uint64(len(c.entries)))-1].end
	}
	return max(0, start(to)-start(from))
}
