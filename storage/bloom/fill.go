package bloom

import "math/bits"

// Fill counts the bits of a block and those of them that are set; both are 0 for
// what is no block.
func Fill(block []byte) (set, all int) {
	if !wellFormed(block) {
		return 0, 0
	}
	body := block[headerSize:]
	return ones(body), 8 * len(body)
}

func ones(part []byte) (n int) {
	for _, b := range part {
		n += bits.OnesCount8(b)
	}
	return n
}
