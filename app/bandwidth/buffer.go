package bandwidth

const (
	// bufferFor is how much of a rate may lie in receive buffers in all: enough
	// for distant servers, and little beside the 10 s that rates are judged over.
	bufferFor = 0.4 // seconds
	// bufferLeast holds two packets; with less TCP stutters. bufferMost is what
	// one fast connection needs: with it a page comes at 600 KB/s over 100 ms.
	bufferLeast = 4 << 10
	bufferMost  = 64 << 10
)

// receiveBuffer returns the size for the receive buffer of a connection while so many
// read, 0 if there is no rate to follow. It is a power of two, so that it
// seldom changes.
func (k *bucket) receiveBuffer(readers int64) int {
	rate := k.bytesPerSecond()
	if rate < 0 {
		return 0
	}
	share, size := rate*bufferFor/float64(max(readers, 1)), bufferMost
	for size > bufferLeast && float64(size) > share {
		size /= 2
	}
	return size
}

// fitBuffer makes the receive buffer follow the rate.
func (c *Conn) fitBuffer() {
	if c.raw == nil {
		return
	}
	k := c.budget.down
	size := k.receiveBuffer(k.readers.Load())
	if old := c.buffer.Swap(int32(size)); int(old) == size {
		return
	}
	if size == 0 {
		size = bufferMost
	}
	// A preference; without it all works the same.
	_ = c.raw.Control(func(fd uintptr) { _ = setReceiveBuffer(fd, size) })
}
