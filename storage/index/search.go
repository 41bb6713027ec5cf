package index

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/forage-net/forage/storage/index/posting"
)

const (
	// MaxWanted is how many words of a query count.
	MaxWanted = 16
	// MaxCounted is how many pages that match are counted.
	MaxCounted = 10_000
	// maxForms bounds the terms of one word, those that begin with it among them.
	maxForms = 64
	// pagesPerLook is how many pages are looked at between two looks at whether the search is to end.
	pagesPerLook = 4096
)

// Wanted is a word of a query: a page has it if it has one of its terms.
type Wanted struct {
	Terms []string
	// Prefix takes every term that begins with the first of Terms, too.
	Prefix bool
}

// Query is what is looked for.
type Query struct {
	// All are words that a page has, at most MaxWanted, None words that it does not have.
	All, None []Wanted
	// Least is how many of All are enough; 0 means all.
	Least int
	// Domains are hashes of domains, one of which a page belongs to, and Languages one of which it is in; none
	// means any.
	Domains   []uint32
	Languages []string
	// From and Until bound when it was fetched, From included; zero values are no bounds.
	From, Until time.Time
}

// Hit is a page that was found.
type Hit struct {
	Place
	Bytes        uint32
	URL, Content uint64
	Domain       uint32
	Time         time.Time
	Language     string
	Words        int // about how many
	Score        float64
}

// Hits is what a search found.
type Hits struct {
	// Best are the best pages, the best first.
	Best []Hit
	// Total counts pages that match, up to MaxCounted; More says that there are others.
	Total int
	More  bool
}

// Search returns the limit best pages for a query. Pages are ranked by BM25 (Robertson and Zaragoza 2009), and
// by where words stand.
func (x *Index) Search(ctx context.Context, q Query, limit int) (hits Hits, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	defer func() {
		if r := recover(); r != nil { // a dictionary whose bytes have changed
			hits, err = Hits{}, fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	if len(q.All) == 0 && len(q.Domains) == 0 || limit < 1 {
		return Hits{}, nil
	}
	q.All = q.All[:min(len(q.All), MaxWanted)]
	s := search{ctx: ctx, query: q, limit: limit}
	s.prepare(x)
	for _, p := range s.parts {
		if err := s.part(p); err != nil {
			return Hits{}, err
		}
	}
	return s.result(), nil
}

// part of the index: a segment, or what is in memory.
type searchPart struct {
	*table
	deleted *roaring.Bitmap
	all     []posting.Union // of the words of All
	none    []posting.Union
}

type search struct {
	ctx   context.Context
	query Query
	limit int

	parts     []*searchPart
	idf       []float64
	norm      [256]float64               // of a page's length
	most      [][posting.Weights]float64 // of the score of each word, by its weight, on the shortest page
	languages []uint16
	best      bestHits
	hits      Hits
	looks     int
}

// prepare finds the lists of all words, and how rare those are.
func (s *search) prepare(x *Index) {
	pages, words := 0, int64(0)
	add := func(t *table, deleted *roaring.Bitmap, n int64, d lists) {
		p := &searchPart{table: t, deleted: deleted}
		for _, w := range s.query.All {
			p.all = append(p.all, openUnion(w, d))
		}
		for _, w := range s.query.None {
			p.none = append(p.none, openUnion(w, d))
		}
		s.parts = append(s.parts, p)
		pages, words = pages+t.n, words+n
	}
	for _, seg := range x.segments {
		add(&seg.table, seg.deleted, seg.footer.Words, seg)
	}
	add(&x.memory.table, x.memory.deleted, x.memory.words, x.memory)
	for i := range s.query.All {
		n := 0
		for _, p := range s.parts {
			n += p.all[i].Size()
		}
		n = min(n, pages)
		s.idf = append(s.idf, math.Log(1+(float64(pages-n)+0.5)/(float64(n)+0.5)))
	}
	mean := float64(words+1) / float64(pages+1)
	for i := range s.norm {
		s.norm[i] = bm25K * (1 - bm25B + bm25B*float64(unpackLength(uint8(i)))/mean)
	}
	s.most = make([][posting.Weights]float64, len(s.idf))
	for i := range s.most {
		for w := range s.most[i] {
			s.most[i][w] = s.scoreOn(0, i, posting.Weight(w))
		}
	}
	for _, l := range s.query.Languages {
		s.languages = append(s.languages, packLanguage(l))
	}
}

// openUnion returns a union in front of its first page.
func openUnion(wanted Wanted, d lists) posting.Union {
	u := posting.NewUnion()
	for _, term := range wanted.Terms[:min(len(wanted.Terms), maxForms)] {
		u.Add(d.postings(term))
	}
	if wanted.Prefix && len(wanted.Terms) > 0 {
		for term := range d.beginning(wanted.Terms[0]) {
			if u.Lists() >= maxForms {
				break
			}
			if !slices.Contains(wanted.Terms, term) {
				u.Add(d.postings(term))
			}
		}
	}
	return u
}

// lists are the postings of a part of the index.
type lists interface {
	// postings returns the list of a term, nil if it has none.
	postings(term string) []byte
	// beginning returns the terms that begin with a prefix.
	beginning(prefix string) iter.Seq[string]
}

const (
	bm25K = 1.2
	bm25B = 0.6
)

// frequencies is how often a term counts as standing in the text of a page, by its weight there, and bonuses
// what it gains by standing elsewhere, too: a title says what a page is about however often its text repeats a
// word.
var frequencies, bonuses = func() (f, b [posting.Weights]float64) {
	for i := range f {
		w := posting.Weight(i)
		if n := w.Magnitude(); n == 1 {
			f[i] = 1
		} else if n > 1 {
			f[i] = 0.75 * float64(uint(1)<<(n-1)) // between the power of two before and this one
		}
		for mark, bonus := range map[Marks]float64{InAside: 0.1, InHeading: 0.5, InAddress: 0.6, InTitle: 1.2} {
			if Marks(w.Marks())&mark != 0 {
				b[i] += bonus
			}
		}
	}
	return f, b
}()

// part looks at the pages of a part.
func (s *search) part(p *searchPart) error {
	need := s.query.Least
	if need <= 0 || need > len(p.all) {
		need = len(p.all)
	}
	switch {
	case len(p.all) == 0:
		return s.everything(p)
	case need == len(p.all):
		return s.every(p)
	}
	return s.some(p, need)
}

// every looks at pages with all words: whichever word is behind goes on to where the others are.
func (s *search) every(p *searchPart) error {
	order := slices.Clone(p.all)
	rank := make([]int, len(order)) // which word each is
	for i := range rank {
		rank[i] = i
	}
	slices.SortFunc(rank, func(a, b int) int { return cmp.Compare(p.all[a].Size(), p.all[b].Size()) })
	for i, r := range rank {
		order[i] = p.all[r]
	}
	if !order[0].Next() {
		return nil
	}
	doc := order[0].Doc
	for {
		if err := s.look(); err != nil {
			return err
		}
		at := 0
		for i := range order {
			if !order[i].Seek(doc) {
				return nil
			}
			if order[i].Doc != doc {
				break
			}
			at++
		}
		if at < len(order) {
			doc = order[at].Doc
			continue
		}
		most := 0.0
		for i := range order {
			most += s.most[rank[i]][order[i].Weight&(posting.Weights-1)]
		}
		if !s.late(most) && s.fits(p, doc) {
			score := 0.0
			for i := range order {
				score += s.score(p, doc, rank[i], order[i].Weight)
			}
			s.take(p, doc, score)
		}
		doc++
	}
}

// some looks at pages with at least need of the words.
func (s *search) some(p *searchPart, need int) error {
	for i := range p.all {
		p.all[i].Next()
	}
	for {
		if err := s.look(); err != nil {
			return err
		}
		doc := int32(math.MaxInt32)
		for i := range p.all {
			doc = min(doc, p.all[i].Doc)
		}
		if doc == math.MaxInt32 {
			return nil
		}
		n, most := 0, 0.0
		for i := range p.all {
			if u := &p.all[i]; u.Doc == doc {
				n++
				most += s.most[i][u.Weight&(posting.Weights-1)]
			}
		}
		share := float64(n) / float64(len(p.all))
		if n >= need && !s.late(most*share) && s.fits(p, doc) {
			score := 0.0
			for i := range p.all {
				if u := &p.all[i]; u.Doc == doc {
					score += s.score(p, doc, i, u.Weight)
				}
			}
			s.take(p, doc, score*share)
		}
		for i := range p.all {
			if u := &p.all[i]; u.Doc == doc {
				u.Next()
			}
		}
	}
}

// everything looks at all pages of the domains that are asked for.
func (s *search) everything(p *searchPart) error {
	for doc := range int32(p.n) {
		if err := s.look(); err != nil {
			return err
		}
		if s.fits(p, doc) {
			s.take(p, doc, 0)
		}
	}
	return nil
}

// look ends the search with its context.
func (s *search) look() error {
	if s.looks++; s.looks%pagesPerLook == 0 {
		return s.ctx.Err()
	}
	return nil
}

func (s *search) score(p *searchPart, doc int32, word int, w posting.Weight) float64 {
	if int(doc) >= p.n {
		return 0
	}
	return s.scoreOn(p.columns[columnLength][doc], word, w)
}

// scoreOn returns what a word scores on a page of a packed length.
func (s *search) scoreOn(length uint8, word int, w posting.Weight) float64 {
	w &= posting.Weights - 1
	f := frequencies[w]
	return s.idf[word] * (f*(bm25K+1)/(f+s.norm[length]) + bonuses[w])
}

// late reports whether enough pages have been counted and found that a page which scores at most so much makes
// no difference.
func (s *search) late(most float64) bool {
	return s.hits.More && len(s.best) == s.limit && most < s.best[0].score
}

// fits reports whether a page is as the query wants it beside its words.
func (s *search) fits(p *searchPart, doc int32) bool {
	if int(doc) >= p.n || p.deleted.Contains(uint32(doc)) {
		return false
	}
	q := &s.query
	if len(q.Domains) > 0 && !slices.Contains(q.Domains, uint32(p.get(columnDomain, doc))) {
		return false
	}
	if len(s.languages) > 0 && !slices.Contains(s.languages, uint16(p.get(columnLanguage, doc))) {
		return false
	}
	if !q.From.IsZero() || !q.Until.IsZero() {
		t := p.time(doc)
		if t.Before(q.From) || !q.Until.IsZero() && !t.Before(q.Until) {
			return false
		}
	}
	for i := range p.none {
		if p.none[i].Seek(doc) && p.none[i].Doc == doc {
			return false
		}
	}
	return true
}

// take counts a page, and keeps it if it is among the best.
func (s *search) take(p *searchPart, doc int32, score float64) {
	if s.hits.Total == MaxCounted {
		s.hits.More = true
	} else {
		s.hits.Total++
	}
	b := bestHit{score: score, time: uint32(p.get(columnTime, doc)), part: p, doc: doc}
	if len(s.best) < s.limit {
		heap.Push(&s.best, b)
	} else if s.best[0].less(b) {
		s.best[0] = b
		heap.Fix(&s.best, 0)
	}
}

func (s *search) result() Hits {
	slices.SortFunc(s.best, func(a, b bestHit) int {
		if b.less(a) {
			return -1
		}
		return 1
	})
	for _, b := range s.best {
		s.hits.Best = append(s.hits.Best, hitOf(b.part.table, b.doc, b.score))
	}
	return s.hits
}

func hitOf(t *table, doc int32, score float64) Hit {
	return Hit{
		Place:    t.place(doc),
		Bytes:    uint32(t.get(columnBytes, doc)),
		URL:      t.get(columnURL, doc),
		Content:  t.get(columnContent, doc),
		Domain:   uint32(t.get(columnDomain, doc)),
		Time:     t.time(doc),
		Language: unpackLanguage(uint16(t.get(columnLanguage, doc))),
		Words:    unpackLength(uint8(t.get(columnLength, doc))),
		Score:    score,
	}
}

// bestHits is a heap of the best pages, the least of them first.
type bestHits []bestHit

type bestHit struct {
	score float64
	time  uint32
	part  *searchPart
	doc   int32
}

// less orders by score; of two alike the newer one is better, then the one added later.
func (b bestHit) less(c bestHit) bool {
	if b.score != c.score {
		return b.score < c.score
	}
	if b.time != c.time {
		return b.time < c.time
	}
	return b.doc < c.doc
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (h bestHits) Len() int           { return len(h) }
func (h bestHits) Less(i, j int) bool { return h[i].less(h[j]) }
func (h bestHits) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *bestHits) Push(x any)        { *h = append(*h, x.(bestHit)) }
func (h *bestHits) Pop() any {
	n := len(*h) - 1
	x := (*h)[n]
	*h = (*h)[:n]
	return x
}
