package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

const (
	// maxHostname is the longest name DNS has, in bytes.
	maxHostname = 253
	// maxKey bounds a queue key: domain, origin, tail.
	maxKey = 255 + 1 + 300 + 1 + tailSize
)

// hostKey names a host of a domain: <domain> 0 <origin>.
func hostKey(d crawl.Domain, origin string) []byte {
	key := make([]byte, 0, len(d)+1+len(origin)+1+tailSize)
	key = append(key, d...)
	key = append(key, 0)
	return append(key, origin...)
}

// queueKey names a task: <domain> 0 <origin> 0 <rank>.
func queueKey(host []byte, r rank) []byte {
	return r.append(append(append(make([]byte, 0, len(host)+1+tailSize), host...), 0))
}

// splitQueueKey returns the host key and the tail of a queue key. Task numbers
// contain zero bytes, so the tail is told by its length.
func splitQueueKey(key []byte) (host, tail []byte, ok bool) {
	n := len(key) - tailSize
	if n < 4 || key[n-1] != 0 || bytes.IndexByte(key[:n-1], 0) <= 0 {
		return nil, nil, false
	}
	return key[:n-1], key[n:], true
}

// splitHostKey returns domain and origin; the origin is "" for the key of a
// domain alone.
func splitHostKey(key []byte) (crawl.Domain, string) {
	d, origin, _ := bytes.Cut(key, []byte{0})
	return crawl.Domain(d), string(origin)
}

// domainOf returns the domain of a key that begins with one.
func domainOf(key []byte) crawl.Domain {
	d, _ := splitHostKey(key)
	return d
}

// dueKey orders domains and held hosts by time.
func dueKey(at int64, name []byte) []byte {
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(name)), uint64(max(at, 0))), name...)
}

// splitDueKey returns the parts of a key of due times; of one that is none the
// name is empty.
func splitDueKey(key []byte) (at int64, name []byte) {
	if len(key) < 8 {
		return 0, nil
	}
	return int64(binary.BigEndian.Uint64(key)), key[8:]
}

func leaseKey(id crawl.LeaseID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

// A task's value is attempts, kind, URL. The kind holds how many redirects led
// here, whether it is a sitemap or feed, and whether it was visited before.

// taskKind is one byte of a task's value.
type taskKind uint8

const (
	kindRedirects taskKind = 0x0f
	kindSource    taskKind = 0x30
	kindForeign   taskKind = 0x40 // taken in because another domain links to it
	kindRevisit   taskKind = 0x80

	sourceShift = 4
)

func kindOf(redirects, source uint8) taskKind {
	return taskKind(min(redirects, uint8(kindRedirects))) | taskKind(min(source, crawl.MaxSource))<<sourceShift
}

func (k taskKind) redirects() uint8 { return uint8(k & kindRedirects) }
func (k taskKind) source() uint8    { return uint8(k & kindSource >> sourceShift) }
func (k taskKind) isRevisit() bool  { return k&kindRevisit != 0 }

func taskValue(attempts uint8, kind taskKind, url string) []byte {
	return append([]byte{attempts, byte(kind)}, url...)
}

// pageKey names a URL of a domain by its hash: <domain> 0 <8 bytes>.
func pageKey(d crawl.Domain, url string) []byte {
	hash := bloom.HashOf(url)
	return append(append(append(make([]byte, 0, len(d)+1+pageHash), d...), 0), hash[:pageHash]...)
}

// pageHash is the length of the hash in a page key. Within a domain of a
// million URLs two share one with a probability of 3e-8.
const pageHash = 8

// readTask rebuilds a task from its place in the queue.
func readTask(key, value []byte) (crawl.Task, error) {
	_, tail, ok := splitQueueKey(key)
	if !ok || len(value) < 3 {
		return crawl.Task{}, fmt.Errorf("damaged task % x", key)
	}
	u, err := crawl.ParseURL(string(value[2:]))
	if err != nil {
		return crawl.Task{}, fmt.Errorf("damaged task % x: %w", key, err)
	}
	kind := taskKind(value[1])
	return crawl.Task{
		ID: crawl.TaskID(key), URL: u, Depth: rankOf(tail).depth, Attempts: value[0], Redirects: kind.redirects(), Source: kind.source(),
	}, nil
}

func unixTime(ns int64) time.Time { return time.Unix(0, ns) }
