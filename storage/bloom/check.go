package bloom

import (
	"math"
	"math/bits"
)

// CheckBlock returns ErrDamaged unless block may be one of a filter. path is its
// key without the prefix of the filter. Bits that were cleared or set by damage
// are not seen, unless more are set than the members can have set.
func CheckBlock(path, block []byte) error {
	if len(path) >= maxDepth || !wellFormed(block) {
		return ErrDamaged
	}
	for _, c := range path {
		if c >= fanOut {
			return ErrDamaged
		}
	}
	count, parts := header(block)
	at := headerSize
	for i := range parts {
		part := block[at : at+firstPart<<i]
		at += len(part)
		members := capacity[i]
		if i == parts-1 {
			members = count
		}
		if members < math.MaxUint16 && ones(part) > members*probes[i] {
			return ErrDamaged
		}
	}
	// Only a block that has no child to go to may hold more than its parts are made for.
	if count == 0 || (parts < maxParts || len(path) < maxDepth-1) && count > capacity[parts-1] {
		return ErrDamaged
	}
	return nil
}

func ones(part []byte) (n int) {
	for _, b := range part {
		n += bits.OnesCount8(b)
	}
	return n
}
