package store

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// derived is what the indexes hold of one URL. The zero value is that of an item that cannot be read, or that
// is no URL of its domain and key: indexes do not know it.
type derived struct {
	known   bool
	seen    bloom.Hash
	host    []byte // <domain> 0 <host>
	queue   []byte // in the set of that name, nil if it does not wait
	revisit []byte // likewise, nil if it is not to be visited again
	shape   []byte // key, nil if it has fewer than two parameters
	class   int    // of the shape
	counts  Counts
}

// name is the host without the domain.
func (x *derived) name() []byte {
	_, name, _ := bytes.Cut(x.host, []byte{0})
	return name
}

// derive returns what indexes hold of a URL's item.
func derive(d crawl.Domain, key string, value []byte) (x derived) {
	if value == nil {
		return x
	}
	it, err := DecodeURL(d, value)
	if err != nil {
		return x
	}
	u, id, ok := taskURL(d, key, it.Link.Text)
	if !ok {
		return x
	}
	x = derived{known: true, seen: id.seen, host: within(d, hostOf(d, u.Origin())), counts: countsOf(&it)}
	x.shape, x.class = shapeOf(d, u)
	if it.State == Waiting {
		rank := string([]byte{it.Visit.Tries, it.Link.Depth, byte(it.Link.Priority)})
		x.queue = append(append(bytes.Clone(x.name()), 0), rank+key[1:]...)
	}
	if due := it.Due(); due > 0 {
		x.revisit = append([]byte(bigEndian(due)+key[1:]), x.name()...)
	}
	return x
}

// rankSize is the length of the end of a queue key: tries, depth, priority and hash. A URL that was never tried
// comes first, whatever its depth, and one that failed after it: else pages that fail would keep a crawl from
// all deeper pages.
const rankSize = 3 + hashSize

// shapeClasses is how many classes of URLs are counted for each path: those with two, three, and more parameters.
const shapeClasses = 3

// shapeOf returns the place where URLs of one path with several parameters are counted; nil if u has fewer than two.
func shapeOf(d crawl.Domain, u crawl.URL) (key []byte, class int) {
	path, query, _ := strings.Cut(u.Path(), "?")
	if class = strings.Count(query, "&") - 1; class < 0 {
		return nil, 0
	}
	hash := bloom.HashOf(u.Host() + path)
	return within(d, string(hash[:hashSize])), min(class, shapeClasses-1)
}

// shapeCounts are the counts of one path.
type shapeCounts [shapeClasses]uint32

func readShape(b []byte) (s shapeCounts) {
	if len(b) == 4*shapeClasses {
		for i := range s {
			s[i] = binary.BigEndian.Uint32(b[4*i:])
		}
	}
	return s
}

func (s shapeCounts) encode() []byte {
	var b []byte
	for _, n := range s {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// outgoingKey returns the place of links to other domains; nil if they cannot be read or were delivered.
func outgoingKey(d crawl.Domain, key string, value []byte) []byte {
	if value == nil {
		return nil
	}
	l, err := DecodeLinks(value)
	if err != nil || len(l.Urls) == 0 {
		return nil
	}
	return within(d, bigEndian(l.Date), key)
}
