package crawl

import (
	"crypto/sha256"
	"encoding/hex"
)

// Key is the point of a domain on the hash ring: the SHA-256 of its name.
type Key [sha256.Size]byte

// KeyOf returns the key of a domain. It allocates nothing.
func KeyOf(d Domain) Key { return sha256.Sum256([]byte(d)) }

// String returns the key in lower-case hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }
