package frontier

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/forage-net/forage/storage/bloom"
)

const (
	// answersKept is how many answers of a site tell how it is. With half of it, a page of broken links does; with
	// twice as many, a site that broke down is asked a hundred times before it is left alone.
	answersKept = 50
	// answersBad is how many of them have failed at least of a site in trouble: nine in ten.
	answersBad = answersKept * 9 / 10
	// answersPages is from how many pages these came at least.
	answersPages = 20
	// answerHash is the length of what names a page: two of twenty share a name once in 350 sites.
	answerHash = 2
)

// answers are what a site said last, as far as it tells whether the site as a whole is in trouble. The zero value is a site that
// was never asked.
type answers struct {
	_ struct{} `cbor:",toarray"`
	// Bits has a bit for each answer, 1 for one that failed, the latest lowest. Above them stands a 1 that says how
	// many they are.
	Bits uint64
	// Failed names the pages of those that failed, the latest last: answerHash bytes each.
	Failed []byte
}

// isEmpty reports whether there was no answer yet.
func (a *answers) isEmpty() bool { return a.Bits == 0 }

// len returns how many answers there are, at most answersKept.
func (a *answers) len() int { return max(bits.Len64(a.Bits)-1, 0) }

// failed returns how many of them failed.
func (a *answers) failed() int { return bits.OnesCount64(a.Bits) - min(bits.Len64(a.Bits), 1) }

// add takes the answer to a visit of a page in. That a page fails again says nothing new of its site: an answer to a retry
// counts only as long as there are few. The slices of a are not changed.
func (a *answers) add(page string, failed, retry bool) {
	n := a.len()
	if retry && n == answersKept {
		return
	}
	if a.isEmpty() {
		a.Bits = 1
	}
	if n == answersKept {
		if a.Bits>>(answersKept-1)&1 == 1 {
			a.Failed = a.Failed[min(answerHash, len(a.Failed)):]
		}
		a.Bits = a.Bits&(1<<(answersKept-1)-1) | 1<<(answersKept-1)
	}
	a.Bits <<= 1
	if failed {
		hash := bloom.HashOf(page)
		a.Bits |= 1
		a.Failed = append(slices.Clip(a.Failed), hash[:answerHash]...)
	}
}

// inTrouble reports whether the site itself is unwell or wants nobody, as opposed to some of its pages: nine in ten of its last 50
// answers failed, and those came from 20 pages. Fewer answers tell it only if not one was good.
func (a *answers) inTrouble() bool {
	n, failed := a.len(), a.failed()
	if failed < n && (n < answersKept || failed < answersBad) {
		return false
	}
	return a.pages() >= answersPages
}

// pages returns how many pages have failed among the answers.
func (a *answers) pages() int {
	var list [][]byte
	for page := range slices.Chunk(a.Failed, answerHash) {
		list = append(list, page)
	}
	slices.SortFunc(list, bytes.Compare)
	return len(slices.CompactFunc(list, bytes.Equal))
}

// valid reports whether these can be answers: those of a record come from others, too.
func (a *answers) valid() bool {
	return a.len() <= answersKept && len(a.Failed) == answerHash*a.failed()
}
