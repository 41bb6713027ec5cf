package stream

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/ring"
)

const (
	// MaxDomain, MaxKey and MaxValue bound the parts of an item in bytes.
	MaxDomain = 253
	MaxKey    = crawl.MaxItemKey
	MaxValue  = crawl.MaxItemValue
)

type (
	// Item is one thing known of a domain.
	Item = crawl.Item
	// Change is another content of an item.
	Change = crawl.Change
)

// isValid reports whether an item is within the bounds: 1 to MaxDomain bytes of domain without a zero byte, 1 to MaxKey
// bytes of key and at most MaxValue bytes of value.
func isValid(i Item) bool {
	return validDomain(i.Domain) && len(i.Key) >= 1 && len(i.Key) <= MaxKey && len(i.Value) <= MaxValue
}

func validDomain(d crawl.Domain) bool {
	return len(d) >= 1 && len(d) <= MaxDomain && strings.IndexByte(string(d), 0) < 0
}

// stamped is an item with the name of its content.
type stamped struct {
	Item
	stamp Stamp
}

// sizeOf is about what an item takes in a message.
func sizeOf(i Item) int { return len(i.Domain) + len(i.Key) + len(i.Value) + 20 }

// itemKey is where an item is stored. With an empty key it is the place before all items of the domain.
func itemKey(d crawl.Domain, key string) []byte {
	k := make([]byte, 0, len(d)+1+len(key))
	return append(append(append(k, d...), 0), key...)
}

// splitItemKey is the reverse of itemKey.
func splitItemKey(k []byte) (d crawl.Domain, key string, ok bool) {
	domain, rest, found := bytes.Cut(k, []byte{0})
	return crawl.Domain(domain), string(rest), found && validDomain(crawl.Domain(domain)) && len(rest) <= MaxKey
}

// storedItem is the stored form of a content and its stamp.
func storedItem(s Stamp, value []byte) []byte {
	w := codec.Writer{B: make([]byte, 0, 2*binary.MaxVarintLen64+len(value))}
	w.Uint(uint64(s.Run))
	w.Uint(s.N)
	return append(w.B, value...)
}

// parseStored is the reverse of storedItem. The value shares b's memory.
func parseStored(b []byte) ([]byte, Stamp, error) {
	r := codec.Reader{B: b}
	s := Stamp{Run(r.Uint()), r.Uint()}
	if r.Failed || len(r.B) > MaxValue {
		return nil, Stamp{}, fmt.Errorf("stored item of %d bytes: %w", len(b), errStored)
	}
	return r.B, s, nil
}

// within reports whether a domain is in one of the prefixes. No prefixes hold every domain.
func within(prefixes []ring.Prefix, d crawl.Domain) bool {
	k := crawl.KeyOf(d)
	return len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(p ring.Prefix) bool { return p.Contains(k) })
}
