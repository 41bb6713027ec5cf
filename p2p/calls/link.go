package calls

import (
	"bufio"
	"context"
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
	// with a second more for every slowest bytes, slowly at most in all. A user may
	// let a peer send at 50 kbit/s, and what else it sends has its share of that.
	arrival = 5 * time.Second
	slowest = 2 << 10
	slowly  = 60 * time.Second
)

// link is one end of a stream. It serves one request at a time.
type link struct {
	stream network.Stream
	reader *bufio.Reader
	// writeTime is how long a write may take, 0 if something else ends it.
	writeTime time.Duration
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

// hurryWrite gives the next write of a frame its time; all of them together have no more
// than that beyond the time of ctx.
func (l *link) hurryWrite(ctx context.Context) error {
	if l.writeTime == 0 {
		return nil
	}
	until := time.Now()
	if end, ok := ctx.Deadline(); ok && end.Before(until) {
		until = end
	}
	return l.stream.SetWriteDeadline(until.Add(l.writeTime))
}

// takeCount returns the bytes that came since it was last called.
func (l *link) takeCount() int {
	n := l.uncounted
	l.uncounted = 0
	return n
}

// arrivalTime is how long a frame of size bytes may be under way.
func arrivalTime(size int) time.Duration {
	return min(arrival+time.Duration(size/slowest)*time.Second, slowly)
}

// isTimeout reports whether err comes from a deadline of a stream.
func isTimeout(err error) bool {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
