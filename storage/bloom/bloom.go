// Package bloom keeps sets of URL hashes as Bloom filters in a key-value
// store, without ever holding one in memory.
//
// A filter is a trie of blocks, each one value of at most 4 KiB. A hash goes
// into the root block; when that is full, into the one of its 32 children
// that the hash names; and so on. So most domains have one block, a million
// URLs have a thousand, and a look-up reads one block a level: three at
// a million. A block is a scalable Bloom filter (Almeida, Baquero, Preguiça,
// Hutchison 2007): parts of doubling size, each filled before the next is
// begun, with error rates that add up to blockError. Small sets take little
// room and blocks can be handed over one by one.
//
// A false positive is a page that is never visited, so the rates are chosen
// such that all levels together stay below 1e-6.
package bloom

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

const (
	// MaxBlock is the size of a full block in bytes: the header and parts of
	// 64, 128, … 2,048 bytes.
	MaxBlock = headerSize + firstPart*(1<<maxParts-1)

	headerSize = 4  // uint16 members of the last part, uint8 parts, uint8 format
	firstPart  = 64 // bytes
	maxParts   = 6
	format     = 1

	// fanOut is how many children a block has. Larger makes the trie flatter
	// and leaves more blocks nearly empty.
	fanOut   = 32
	fanBits  = 5
	maxDepth = 5 // 32^5 blocks are more than a unit may ever hold

	// blockError is the share of one block in the error rate of 1e-6: four
	// levels hold 34 million URLs.
	blockError = 2.5e-7
)

// ErrDamaged is returned for a block that this package did not write.
var ErrDamaged = errors.New("bloom: damaged block")

// Hash is what a filter knows of a member: its SHA-256.
type Hash [sha256.Size]byte

// HashOf returns the hash of a member.
func HashOf(member string) Hash { return sha256.Sum256([]byte(member)) }

// Store is where blocks are kept; *bbolt.Bucket is one. Get returns nil for a
// key that is not there.
type Store interface {
	Get(key []byte) []byte
	Put(key, value []byte) error
}

// Batch adds to any number of filters of one store and writes every changed
// block once. It must be used within one transaction, by one goroutine.
type Batch struct {
	store  Store
	blocks map[string][]byte // changed, not yet written; nil if none is
	key    []byte
}

// NewBatch returns an empty batch for a store.
func NewBatch(store Store) *Batch {
	return &Batch{store: store}
}

// Add puts h into the filter whose blocks have the given key prefix, and
// reports whether it was new. It may say that a new one was there (a false
// positive, at most once in a million), never the reverse.
func (b *Batch) Add(prefix []byte, h Hash) (bool, error) {
	b.key = append(b.key[:0], prefix...)
	for depth := range maxDepth {
		block := b.block()
		if block != nil && !wellFormed(block) {
			return false, ErrDamaged
		}
		if contains(block, h) {
			return false, nil
		}
		if !full(block) || depth == maxDepth-1 {
			b.insert(block, h)
			return true, nil
		}
		b.key = append(b.key, child(h, depth))
	}
	return false, nil
}

// Has reports whether h is in the filter with the given prefix.
func (b *Batch) Has(prefix []byte, h Hash) bool {
	b.key = append(b.key[:0], prefix...)
	for depth := range maxDepth {
		block := b.block()
		if block == nil || !wellFormed(block) {
			return false
		}
		if contains(block, h) {
			return true
		}
		if !full(block) {
			return false
		}
		b.key = append(b.key, child(h, depth))
	}
	return false
}

// Flush writes the changed blocks.
func (b *Batch) Flush() error {
	for key, block := range b.blocks {
		if err := b.store.Put([]byte(key), block); err != nil {
			return err
		}
	}
	clear(b.blocks)
	return nil
}

func (b *Batch) block() []byte {
	if block, ok := b.blocks[string(b.key)]; ok {
		return block
	}
	return b.store.Get(b.key)
}

// insert adds h to the block at b.key, which it copies first unless this
// batch made it.
func (b *Batch) insert(block []byte, h Hash) {
	if _, ours := b.blocks[string(b.key)]; !ours {
		block = append(make([]byte, 0, max(len(block), headerSize+firstPart)), block...)
	}
	count, parts := header(block)
	if parts == 0 || count >= capacity[parts-1] && parts < maxParts {
		if parts == 0 {
			block = make([]byte, headerSize, headerSize+firstPart)
		}
		grown := make([]byte, len(block)+firstPart<<parts)
		copy(grown, block)
		block, count, parts = grown, 0, parts+1
	}
	start := headerSize + firstPart*(1<<(parts-1)-1)
	part := block[start:]
	p := newProbe(h, parts-1)
	for range probes[parts-1] {
		bit := p.next() & uint64(len(part)*8-1)
		part[bit>>3] |= 1 << (bit & 7)
	}
	if count < math.MaxUint16 {
		count++
	}
	binary.BigEndian.PutUint16(block, uint16(count))
	block[2], block[3] = byte(parts), format
	if b.blocks == nil {
		b.blocks = make(map[string][]byte)
	}
	b.blocks[string(b.key)] = block
}

// contains reports whether any part of the block has all bits of h.
func contains(block []byte, h Hash) bool {
	_, parts := header(block)
	at := headerSize
	for i := range parts {
		part := block[at : at+firstPart<<i]
		at += len(part)
		p := newProbe(h, i)
		hit := true
		for range probes[i] {
			bit := p.next() & uint64(len(part)*8-1)
			if part[bit>>3]&(1<<(bit&7)) == 0 {
				hit = false
				break
			}
		}
		if hit {
			return true
		}
	}
	return false
}

func header(block []byte) (count, parts int) {
	if len(block) < headerSize {
		return 0, 0
	}
	return int(binary.BigEndian.Uint16(block)), int(block[2])
}

func full(block []byte) bool {
	count, parts := header(block)
	return parts == maxParts && count >= capacity[maxParts-1]
}

// wellFormed reports whether block has the length its header promises.
func wellFormed(block []byte) bool {
	_, parts := header(block)
	return parts >= 1 && parts <= maxParts && block[3] == format && len(block) == headerSize+firstPart*(1<<parts-1)
}

// child names the child of a block at depth that h belongs to.
func child(h Hash, depth int) byte { return h[sha256.Size-1-depth] & (1<<fanBits - 1) }

// probe yields the bit positions of a hash in a part: SplitMix64 (Steele, Lea,
// Flood 2014) over 128 bits of the hash. Double hashing would not do: in a part of 512
// bits it has too few different sequences for these error rates.
type probe struct{ state, step uint64 }

func newProbe(h Hash, part int) probe {
	return probe{
		state: binary.BigEndian.Uint64(h[0:]) + uint64(part)*0x9e3779b97f4a7c15,
		step:  binary.BigEndian.Uint64(h[8:]) | 1,
	}
}

func (p *probe) next() uint64 {
	p.state += p.step
	z := p.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return bits.RotateLeft64(z^z>>31, 32)
}

// capacity and probes of each part: the largest part takes half of
// blockError, each smaller one half of the next.
var capacity, probes = func() (c, k [maxParts]int) {
	for i := range maxParts {
		p := blockError / float64(uint(1)<<(maxParts-i))
		bitsPerMember := -math.Log2(p) / math.Ln2
		partBits := 8 * (firstPart << i)
		c[i] = int(float64(partBits) / bitsPerMember)
		k[i] = int(math.Round(-math.Log2(p)))
	}
	return c, k
}()
