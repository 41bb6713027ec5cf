package frontier

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/forage-net/forage/storage/bloom"
)

const (
	// answersKept is how many answers of a site tell how it is. With half of it, a page of broken links does;
	// with twice as many, a site that broke down is asked a hundred times before it is left alone.
	answersKept = 50
	// answersBad is how many of them have failed at least of a site in trouble: nine in ten.
	answersBad = answersKept * 9 / 10
	// answersPages is from how many pages these came at least.
	answersPages = 20
	// answerHash is the length of what names a page: two of twenty share a name once in 350 sites.
	answerHash = 2
)

// answers are what a site said last, as far as it tells whether the site as a whole is in trouble. The zero
// value is a site that was never asked.
type answers struct {
	// bits has a bit for each answer, 1 for one that failed, the latest lowest. Above them stands a 1 that says
	// how many they are.
	bits uint64
	// pages names the pages of those that failed, the latest last: answerHash bytes each.
	pages []byte
}

// len returns how many answers there are, at most answersKept.
func (a *answers) len() int { return max(bits.Len64(a.bits)-1, 0) }

// failed returns how many of them failed.
func (a *answers) failed() int { return bits.OnesCount64(a.bits) - min(bits.Len64(a.bits), 1) }

// add takes the answer to a visit of a page in. That a page fails again says nothing new of its site: an answer
// to a retry counts only as long as there are few.
func (a *answers) add(page string, failed, retry bool) {
	n := a.len()
	if retry && n == answersKept {
		return
	}
	if a.bits == 0 {
		a.bits = 1
	}
	if n == answersKept {
		if a.bits>>(answersKept-1)&1 == 1 {
			a.pages = a.pages[min(answerHash, len(a.pages)):]
		}
		a.bits = a.bits&(1<<(answersKept-1)-1) | 1<<(answersKept-1)
	}
	a.bits <<= 1
	if failed {
		hash := bloom.HashOf(page)
		a.bits |= 1
		a.pages = append(slices.Clip(a.pages), hash[:answerHash]...)
	}
}

// inTrouble reports whether the site itself is unwell or wants nobody, as opposed to some of its pages: nine in
// ten of its last 50 answers failed, and those came from 20 pages. Fewer answers tell it only if not one was
// good.
func (a *answers) inTrouble() bool {
	n, failed := a.len(), a.failed()
	if failed < n && (n < answersKept || failed < answersBad) {
		return false
	}
	return a.failedPages() >= answersPages
}

// failedPages returns how many pages have failed among the answers.
func (a *answers) failedPages() int {
	list := slices.SortedFunc(slices.Chunk(a.pages, answerHash), bytes.Compare)
	return len(slices.CompactFunc(list, bytes.Equal))
}
