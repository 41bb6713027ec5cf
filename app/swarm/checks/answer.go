package checks

import (
	"hash/maphash"
	"slices"

	"github.com/forage-net/forage/crawl"
)

// class is what a site said, as coarse as fetchers must agree on it.
type class uint8

const (
	classPage class = iota + 1
	classOther
	classRedirect
	classGone
	classFailed // it may be different next time
	classKept   // robots.txt or a guard kept the page from being asked for
)

var classes = [...]class{
	crawl.Fetched: classPage, crawl.Unchanged: classPage, crawl.Redirected: classRedirect,
	crawl.Skipped: classOther, crawl.Gone: classGone,
	crawl.Forbidden: classKept, crawl.Blocked: classKept, crawl.Failed: classFailed, crawl.Refused: classFailed,
	crawl.Deferred: classFailed, crawl.Declined: classFailed,
}

const (
	// sketchSize is how many links of a page are remembered, those with the least hashes: enough to estimate
	// which part two pages share.
	sketchSize = 64
	// sameLinks is which part of the links must be the same if the payload is, likeLinks if it is not, in
	// percent. A page that changes with each visit keeps most of its links.
	sameLinks, likeLinks = 90, 70
	// likeSize is by how much the sizes of pages without links may differ, in percent.
	likeSize = 20
)

// answer is what is remembered of an outcome.
type answer struct {
	class  class
	digest [20]byte
	links  []uint64 // hashes, ascending
	title  string
	size   int64
	same   bool // it was a 304: there was nothing to find links in
}

func (l *Ledger) answerOf(o *crawl.Outcome) answer {
	a := answer{class: classes[o.Result], digest: o.Digest, title: o.Title, size: o.Received,
		same: o.Result == crawl.Unchanged}
	for i := range o.Outlinks {
		a.links = append(a.links, maphash.String(l.seed, o.Outlinks[i].URL.String()))
	}
	slices.Sort(a.links)
	a.links = slices.Clone(slices.Compact(a.links))
	if len(a.links) > sketchSize {
		a.links = slices.Clone(a.links[:sketchSize])
	}
	return a
}

// agrees reports whether two may have seen the same page: the class is the same, and for pages the payload and
// nearly all links or many links, for redirects the target.
func (a *answer) agrees(b *answer) bool {
	if a.class != b.class {
		return false
	}
	payload := a.digest == b.digest && a.digest != [20]byte{}
	switch {
	case a.class == classFailed || payload && (a.same || b.same):
		return true
	case a.class != classPage:
		return a.shares(b, 100)
	case a.same || b.same:
		return false
	case payload:
		return a.shares(b, sameLinks)
	case len(a.links) == 0 && len(b.links) == 0:
		return a.title == b.title && max(a.size, b.size)*(100-likeSize) <= min(a.size, b.size)*100
	}
	return a.shares(b, likeLinks)
}

// shares reports whether so many percent of the links of both are links of each.
func (a *answer) shares(b *answer, percent int) bool {
	both, i, j, all := 0, 0, 0, 0
	for ; (i < len(a.links) || j < len(b.links)) && all < sketchSize; all++ {
		switch {
		case j == len(b.links) || i < len(a.links) && a.links[i] < b.links[j]:
			i++
		case i == len(a.links) || b.links[j] < a.links[i]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return both*100 >= all*percent
}
