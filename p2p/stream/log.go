package stream

// commitLog keeps the last commits of a run as they are sent.
type commitLog struct {
	forgotten uint64 // the number of the last commit that is not kept
	messages  [][]byte
	size      int
}

// add appends the next commit, and forgets the oldest beyond kept bytes.
func (c *commitLog) add(message []byte, kept int) {
	c.messages = append(c.messages, message)
	c.size += len(message)
	for len(c.messages) > 1 && c.size-len(c.messages[0]) >= kept {
		c.forget()
	}
}

// trim forgets the commits before n.
func (c *commitLog) trim(n uint64) {
	for c.first() < n && len(c.messages) > 0 {
		c.forget()
	}
}

func (c *commitLog) forget() {
	c.size -= len(c.messages[0])
	c.messages[0] = nil // the array lives on for a while
	c.messages = c.messages[1:]
	c.forgotten++
}

// first returns the first number kept. If none is, it is the one after the last.
func (c *commitLog) first() uint64 { return c.forgotten + 1 }

// at returns commit n, nil if it is not kept.
func (c *commitLog) at(n uint64) []byte {
	if i := n - c.first(); n >= c.first() && i < uint64(len(c.messages)) {
		return c.messages[i]
	}
	return nil
}
