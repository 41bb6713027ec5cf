package robots

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// DefaultOrigins is how many origins a cache holds: a node works on a few
	// hundred domains at a time, most of them one or two hosts. Fewer, and
	// records are read and parsed again; more costs memory only.
	DefaultOrigins = 1024
	// maxCacheBytes bounds the rules of all of them together. An ordinary
	// file takes a few kilobytes; a few hundred monsters fit.
	maxCacheBytes = 32 << 20
	// entryBytes is what an entry takes beside its rules.
	entryBytes = 512
)

// Store keeps records as bytes, by origin.
type Store interface {
	// Robots returns the record of an origin, nil if there is none.
	Robots(origin string) ([]byte, error)
	// PutRobots keeps a record in place of the one before. It does not keep
	// data itself.
	PutRobots(origin string, data []byte) error
}

// Cache holds the rules of the origins used last in memory, in front of a
// Store. It is safe for concurrent use, and calls the store without holding a
// lock.
type Cache struct {
	store Store

	mu      sync.Mutex
	entries *simplelru.LRU[string, *entry] // by origin
	bytes   int
}

// entry is a parsed record. Its body is gone: the rules hold it all.
type entry struct {
	origin string
	record Record
	rules  *Rules
}

func (e *entry) size() int { return entryBytes + len(e.origin) + e.rules.size() }

// NewCache returns an empty cache of at most maxOrigins origins, of
// DefaultOrigins if maxOrigins is 0.
func NewCache(store Store, maxOrigins int) *Cache {
	if maxOrigins <= 0 {
		maxOrigins = DefaultOrigins
	}
	c := &Cache{store: store}
	gone := func(_ string, e *entry) { c.bytes -= e.size() }
	c.entries, _ = simplelru.NewLRU(maxOrigins, gone) // fails for no size only
	return c
}

// Get returns what is known of the robots.txt of an origin, and whether it is
// fresh at now. If it is not, the record is still good for its count of
// failures; where nothing is known, or the store cannot tell, the record is the zero
// value. The rules are never nil, and the record has no Body: the rules are it.
func (c *Cache) Get(now time.Time, origin string) (r Record, rules *Rules, fresh bool) {
	e := c.lookup(origin)
	if e == nil {
		if e = c.load(origin); e == nil {
			return Record{}, r.Rules(), false
		}
		e = c.insert(e, false)
	}
	return e.record, e.rules, e.record.Fresh(now)
}

// Reply returns what the robots.txt of an origin was last time as an answer of
// today, which is good for as long as that one still is; ok is false if it is
// not known, or will be stale in a moment. So a redirect to a file that is known
// costs its server nothing.
func (c *Cache) Reply(now time.Time, origin string) (reply Reply, ok bool) {
	data, err := c.store.Robots(origin)
	var r Record
	if err != nil || data == nil || r.UnmarshalBinary(data) != nil || !r.Fresh(now) {
		return Reply{}, false
	}
	left := r.life() - now.Sub(r.Fetched)
	if left < minLifetime {
		return Reply{}, false
	}
	reply.CacheControl = fmt.Sprintf("max-age=%d", int64(left/time.Second))
	switch r.Class {
	case ClassRules:
		reply.Status, reply.Body = 200, r.Body
	case ClassAllowAll:
		reply.Status = 404
	default:
		return Reply{}, false
	}
	return reply, true
}

// Put keeps r in memory and in the store. An error means that the store did
// not take it, or that r is no record: the zero Record, for one.
func (c *Cache) Put(origin string, r Record) error {
	data, err := r.MarshalBinary()
	if err != nil {
		return fmt.Errorf("keep robots.txt of %s: %w", origin, err)
	}
	c.insert(newEntry(origin, r), true)
	if err := c.store.PutRobots(origin, data); err != nil {
		return fmt.Errorf("keep robots.txt of %s: %w", origin, err)
	}
	return nil
}

func newEntry(origin string, r Record) *entry {
	e := &entry{origin: origin, record: r, rules: r.Rules()}
	e.record.Body = nil
	return e
}

func (c *Cache) lookup(origin string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, _ := c.entries.Get(origin)
	return e
}

// load reads an origin's record from the store. What cannot be read is as
// good as absent: the file is fetched again and written over it.
func (c *Cache) load(origin string) *entry {
	data, err := c.store.Robots(origin)
	if err != nil || data == nil {
		return nil
	}
	var r Record
	if r.UnmarshalBinary(data) != nil {
		return nil
	}
	return newEntry(origin, r)
}

// insert adds an entry and returns it. If the origin is there already it is replaced or,
// without replace, that entry is returned: it came later than what was loaded.
func (c *Cache) insert(e *entry, replace bool) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if was, ok := c.entries.Peek(e.origin); ok && !replace {
		return was
	}
	c.entries.Remove(e.origin)
	c.entries.Add(e.origin, e)
	c.bytes += e.size()
	for c.bytes > maxCacheBytes && c.entries.Len() > 1 {
		c.entries.RemoveOldest()
	}
	return e
}
