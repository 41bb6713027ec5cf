package demo

import (
	"slices"
	"sync"
	"time"
)

// Hit is one request that was answered.
type Hit struct {
	// URL is http, the host asked for and the target as it was requested.
	URL string
	// Method and Agent are what the client sent, Client is its address and port.
	Method, Agent, Client string
	// Status is the HTTP status of the answer, 499 if the client left before; Type its Content-Type and Coding
	// its Content-Encoding, "" if there is none.
	Status       int
	Type, Coding string
	// Bytes is the length of the answer's body.
	Bytes int64
	// Start is when the request had been read, End is when the last bytes of the
	// answer were about to be sent, on this process's clock: no client has the
	// whole answer before End, however busy the machine is. Of a client that left
	// before the end nobody knows when it did, and End is Start.
	Start, End time.Time
}

// maxHits bounds the memory for hits to about 25 MB.
const maxHits = 1 << 16

// hits keeps the last maxHits hits.
type hits struct {
	mu   sync.Mutex
	ring []Hit
	next int // where the next one goes once the ring is full
}

func (h *hits) add(hit Hit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ring) < maxHits {
		h.ring = append(h.ring, hit)
		return
	}
	h.ring[h.next] = hit
	h.next = (h.next + 1) % maxHits
}

// Served returns the last 65,536 hits in the order in which they ended. The
// slice is the caller's.
func (w *Web) Served() []Hit {
	w.hits.mu.Lock()
	defer w.hits.mu.Unlock()
	return slices.Concat(w.hits.ring[w.hits.next:], w.hits.ring[:w.hits.next])
}
