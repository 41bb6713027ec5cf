package crawl

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
)

// Key is the point of a domain on the hash ring: the SHA-256 of its name.
type Key [sha256.Size]byte

// KeyOf returns the key of a domain. It allocates nothing.
func KeyOf(d Domain) Key { return sha256.Sum256([]byte(d)) }

// String returns the key in lower-case hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Place is where the key is on a circle of circumference 1, for pictures: its first 64 bits
// as a fraction, 0 ≤ x < 1, cut to 9 digits. Keys in order have places in order.
func (k Key) Place() float64 { return PlaceOf(binary.BigEndian.Uint64(k[:8])) }

// PlaceOf is Key.Place for the first 64 bits of a key.
func PlaceOf(first uint64) float64 {
	const digits = 1e9
	hi, _ := bits.Mul64(first, digits)
	return float64(hi) / digits
}
