package calls

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// errFrame means that bytes of a peer are not a frame.
var errFrame = errors.New("malformed frame")

const (
	// flagCompressed says that the body is a zstd frame.
	flagCompressed = 1 << 0
	// maxHead is the longest header: a uvarint of four bytes (256 MiB), code and flags.
	maxHead = 4 + 2
	// readStep is how much memory is taken at first for a body, whatever its
	// header says. It doubles as bytes arrive.
	readStep = 16 << 10
)

// Statuses of a reply. They travel on the wire.
const (
	statusOK      = 0
	statusBusy    = 1
	statusRefused = 2
	statusUnknown = 3
	statusFailed  = 4
)

// head is what stands before a body: its size as sent, a code (the kind of a
// request, the status of a reply) and flags.
type head struct {
	size  int
	code  byte
	flags byte
}

// readHead reads a header. Errors wrap errFrame if the bytes are no header,
// and are those of r otherwise.
func readHead(r io.ByteReader) (head, error) {
	size, shift := 0, 0
	for {
		b, err := r.ReadByte()
		if err != nil {
			return head{}, err
		}
		size |= int(b&0x7f) << shift
		if b < 0x80 {
			break
		}
		if shift += 7; shift > 21 {
			return head{}, fmt.Errorf("%w: size without end", errFrame)
		}
	}
	code, err := r.ReadByte()
	if err != nil {
		return head{}, err
	}
	flags, err := r.ReadByte()
	if err != nil {
		return head{}, err
	}
	if flags&^flagCompressed != 0 || flags != 0 && size == 0 {
		return head{}, fmt.Errorf("%w: flags %#x of %d bytes", errFrame, flags, size)
	}
	return head{size: size, code: code, flags: flags}, nil
}

// readBody reads n bytes. It takes memory only as they arrive.
func readBody(r *bufio.Reader, n int) ([]byte, error) {
	buf := make([]byte, 0, min(n, readStep))
	for len(buf) < n {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(n, 2*cap(buf)))
			copy(grown, buf)
			buf = grown
		}
		m, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+m]
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// putHead writes the header of a frame right before its body, which begins at
// buf[maxHead], and returns the frame.
func putHead(buf []byte, code, flags byte) []byte {
	var h [maxHead]byte
	n := binary.PutUvarint(h[:], uint64(len(buf)-maxHead))
	h[n], h[n+1] = code, flags
	frame := buf[maxHead-n-2:]
	copy(frame, h[:n+2])
	return frame
}

// busyBody is the body of a busy reply.
func busyBody(after time.Duration) []byte {
	after = min(max(after, 0), maxBusy)
	return binary.AppendUvarint(nil, uint64(after.Milliseconds()))
}

// parseBusy reads the body of a busy reply. A pause of more than maxBusy is cut.
func parseBusy(body []byte) (time.Duration, error) {
	ms, n := binary.Uvarint(body)
	if n <= 0 || n != len(body) {
		return 0, fmt.Errorf("%w: busy for %x", errFrame, body)
	}
	return time.Duration(min(ms, uint64(maxBusy.Milliseconds()))) * time.Millisecond, nil
}
