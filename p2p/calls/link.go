package calls

import (
	"bufio"
	"errors"
	"net"
	"os"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
)

const (
	// linkBuffer is read ahead on each stream. It holds a small frame whole;
	// longer bodies go past it.
	linkBuffer = 512
	// arrival is how long a frame may take from its first byte to its last,
	// with a second more for every slowest bytes beyond slowFree.
	arrival  = 5 * time.Second
	slowest  = 32 << 10
	slowFree = 64 << 10
)

// link is one end of a stream. It serves one request at a time.
type link struct {
	stream network.Stream
	reader *bufio.Reader
	// uncounted are the bytes that came from the stream since takeCount.
	uncounted int
}

func newLink(s network.Stream) *link {
	l := &link{stream: s}
	l.reader = bufio.NewReaderSize(l, linkBuffer)
	return l
}

// Read reads from the stream, for reader.
func (l *link) Read(p []byte) (int, error) {
	n, err := l.stream.Read(p)
	l.uncounted += n
	return n, err
}

// takeCount returns the bytes that came since it was last called.
func (l *link) takeCount() int {
	n := l.uncounted
	l.uncounted = 0
	return n
}

// arrivalTime is how long a frame of size bytes may be under way.
func arrivalTime(size int) time.Duration {
	return arrival + time.Duration(max(0, size-slowFree)/slowest)*time.Second
}

// isTimeout reports whether err comes from a deadline of a stream.
func isTimeout(err error) bool {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
