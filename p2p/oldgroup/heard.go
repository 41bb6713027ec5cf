package oldgroup

import "time"

// heard is when this member got the entries that it has not applied yet. A follower may apply an
// entry long after: it learns with the next one, or when it is elected, that a majority has it. What
// the entry says of durations had begun before the entry came.
type heard struct {
	first uint64 // index of the first of times
	times []time.Time
}

// add notes entries from an index on, in the place of those with the same index and all after them.
func (h *heard) add(first uint64, n int, now time.Time) {
	switch {
	case len(h.times) == 0 || first < h.first || first > h.first+uint64(len(h.times)):
		h.first, h.times = first, h.times[:0]
	default:
		h.times = h.times[:first-h.first]
	}
	for range n {
		h.times = append(h.times, now)
	}
}

// cut forgets entries after the last one.
func (h *heard) cut(last uint64) {
	switch {
	case len(h.times) == 0:
	case last < h.first:
		h.times = nil
	case last-h.first+1 < uint64(len(h.times)):
		h.times = h.times[:last-h.first+1]
	}
}

// take returns when an entry came, zero if that was in an earlier run, and forgets it and those before it.
func (h *heard) take(index uint64) (at time.Time) {
	if index < h.first || index-h.first >= uint64(len(h.times)) {
		return time.Time{}
	}
	i := index - h.first
	at = h.times[i]
	if h.first, h.times = index+1, h.times[i+1:]; len(h.times) == 0 {
		h.times = nil
	}
	return at
}
