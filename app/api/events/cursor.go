// Package events is how events are streamed to front ends: as server-sent events (WHATWG HTML §9.2) that a
// server writes and a client reads, with the place in the stream from which a reader goes on. The one window of
// a node gets its orders by this stream too.
package events

import (
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/api/descriptor"
)

// Cursor is a place in the events: the last one seen, and of which boot. An empty boot means the present one.
type Cursor struct {
	Boot  string
	Since uint64
}

// String returns a place as ParseCursor reads it.
func (c Cursor) String() string { return c.Boot + "-" + strconv.FormatUint(c.Since, 10) }

// ParseCursor reads what String wrote.
func ParseCursor(text string) (Cursor, bool) {
	boot, since, _ := strings.Cut(text, "-")
	n, err := strconv.ParseUint(since, 10, 64)
	return Cursor{boot, n}, err == nil && descriptor.IsBootID(boot)
}
