package store

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// hashSize is the length of the hash in a key. Within a domain of a million URLs two share one with a probability of
// 3e-8.
const hashSize = 8

// Kind is the first byte of an item's key. The numbers are on disk and on the wire.
type Kind byte

const (
	// KindRecord is the record of the domain. Its key is this byte alone.
	KindRecord Kind = 'd'
	// KindLinks are the links of a page to other domains: the byte, 8 bytes of hash and, after the first part,
	// a number.
	KindLinks Kind = 'l'
	// KindURL is one URL: the byte and 8 bytes of hash.
	KindURL Kind = 'u'
)

// RecordKey is the key of the record of a domain.
const RecordKey = string(KindRecord)

// ID names a URL's item: all that differ in the order of their parameters only have the same.
type ID struct {
	Key  string
	seen bloom.Hash
}

// Identify returns the ID of a URL.
func Identify(u crawl.URL) ID {
	h := bloom.HashOf(u.SeenKey())
	return ID{hashedKey(KindURL, h), h}
}

// URLKey returns the key of a URL's item.
func URLKey(u crawl.URL) string { return Identify(u).Key }

// LinksKey returns the key of a part of a page's links. Parts count from 0.
func LinksKey(page crawl.URL, part uint8) string {
	key := hashedKey(KindLinks, bloom.HashOf(page.SeenKey()))
	if part > 0 {
		key += string([]byte{part})
	}
	return key
}

func hashedKey(k Kind, h bloom.Hash) string {
	key := [1 + hashSize]byte{byte(k)}
	copy(key[1:], h[:])
	return string(key[:])
}

// kindOf returns the kind of a key, 0 if it is none of this package.
func kindOf(key string) Kind {
	switch {
	case key == RecordKey:
		return KindRecord
	case len(key) == 1+hashSize && Kind(key[0]) == KindURL:
		return KindURL
	case (len(key) == 1+hashSize || len(key) == 2+hashSize) && Kind(key[0]) == KindLinks:
		return KindLinks
	}
	return 0
}
