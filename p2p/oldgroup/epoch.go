package oldgroup

import (
	"cmp"
	"strings"
)

// Epoch says which life of a log this is. A log that lost its majority for good begins
// anew in a higher one (Group.BeginAnew); entries of two epochs have nothing to do with
// each other. The zero Epoch is the first.
type Epoch struct {
	Number uint64
	// Founder is the peer that began it anew, "" in epoch 0. Two members may begin
	// anew apart from each other.
	Founder string
}

// Compare returns -1 if e is lower than o, 1 if it is higher, and 0 if they are the same.
func (e Epoch) Compare(o Epoch) int {
	if c := cmp.Compare(e.Number, o.Number); c != 0 {
		return c
	}
	return strings.Compare(e.Founder, o.Founder)
}
