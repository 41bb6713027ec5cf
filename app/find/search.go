package find

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/plain"
	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/index"
)

const (
	// candidates is how many of the best pages are ranked once more and folded, and how many are read for phrases.
	candidates = 200
	// perSite is how many pages of a site are shown, unless it was asked for.
	perSite = 3
	// leastOf is how many of the words a page needs if none has all: this part of them.
	leastOf = 0.6
	// maxKnown is how many words of the pages of a language a search remembers, whether they are of the query or not.
	maxKnown = 1 << 15
	// phraseBytes is after how many bytes of pages no more are read for phrases and hosts; enoughRead is how
	// many that fit are enough, unless more are to be shown.
	phraseBytes = 12 << 20
	enoughRead  = 50
	// prefixFrom is how long the beginning of a word is at least that stands for the whole.
	prefixFrom = 3
)

// Search returns the pages for a query from a place in the ranking on, the best first. An error of the query is
// a *words.QueryError.
func (f *Finder) Search(ctx context.Context, query string, from, limit int) (api.SearchPage, error) {
	parsed, err := words.ParseQuery(query)
	if err != nil {
		return api.SearchPage{}, err
	}
	for i, site := range parsed.Sites {
		if u, err := crawl.ParseURL("http://" + site + "/"); err == nil {
			parsed.Sites[i] = u.Hostname()
		}
	}
	s := searching{Finder: f, query: parsed, want: indexQuery(parsed)}
	hits, some, err := s.hits(ctx)
	if err != nil {
		return api.SearchPage{}, fmt.Errorf("search: %w", err)
	}
	now := f.Status()
	answer := api.SearchPage{Total: hits.Total, More: hits.More, Some: some, Pages: now.Pages, Waiting: now.Waiting,
		Full: now.Full}
	s.rank(hits.Best)
	groups := s.fold(ctx, hits.Best, max(enoughRead, from+limit+1))
	s.bringClose(groups)
	if len(s.query.Exact) > 0 { // only what was read is known to match
		answer.Total, answer.More = s.matched, s.unread || hits.Total > len(hits.Best)
	}
	for i := from; i < len(groups) && len(answer.Results) < limit && ctx.Err() == nil; i++ {
		if r, ok := s.result(groups[i]); ok {
			answer.Results = append(answer.Results, r)
		}
		if answer.Next = ""; i+1 < len(groups) {
			answer.Next = strconv.Itoa(i + 1)
		}
	}
	return answer, ctx.Err()
}

// searching is one search.
type searching struct {
	*Finder
	query   words.Query
	want    index.Query
	matched int  // pages with the phrases
	read    int  // what the pages take in the archive that were read for them
	unread  bool // some were not, as enough were
	known   map[string]map[string]int
}

// indexQuery makes the query for the index.
func indexQuery(q words.Query) index.Query {
	want := index.Query{Languages: q.Languages, From: q.From, Until: q.Until}
	for _, w := range q.Words {
		want.All = append(want.All, index.Wanted{Terms: words.Terms(w)})
	}
	for _, w := range q.None {
		want.None = append(want.None, index.Wanted{Terms: words.Terms(w)})
	}
	for _, s := range q.Sites {
		want.Domains = append(want.Domains, hashOfDomain(crawl.DomainOf(s)))
	}
	return want
}

// hits asks the index: for pages with all words; if there are none, for those in which the last word goes on;
// then for those with most words.
func (s *searching) hits(ctx context.Context) (hits index.Hits, some bool, err error) {
	if hits, err = s.index.Search(ctx, s.want, candidates); err != nil || hits.Total > 0 || len(s.want.All) == 0 {
		return hits, false, err
	}
	if last := len(s.query.Words) - 1; len(s.query.Exact) == 0 && len(s.query.Words[last]) >= prefixFrom {
		want := s.want
		want.All = slices.Clone(want.All)
		want.All[last].Prefix = true
		if hits, err = s.index.Search(ctx, want, candidates); err != nil || hits.Total > 0 {
			s.want = want
			return hits, false, err
		}
	}
	if len(s.want.All) > 1 && len(s.query.Exact) == 0 {
		want := s.want
		want.Least = max(1, int(math.Ceil(leastOf*float64(len(want.All)))))
		hits, err = s.index.Search(ctx, want, candidates)
		return hits, hits.Total > 0, err
	}
	return hits, false, nil
}

// rank orders pages once more, by how many sites link to theirs.
func (s *searching) rank(hits []index.Hit) {
	known := make(map[uint32]float64)
	for i := range hits {
		h := &hits[i]
		factor, ok := known[h.Domain]
		if !ok {
			factor = 1 + linkWeight*math.Log2(1+float64(s.index.LinkingDomains(h.Domain)))
			known[h.Domain] = factor
		}
		h.Score *= factor
	}
	slices.SortStableFunc(hits, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
}

// linkWeight is what a page gains each time twice as many domains link to its own.
const linkWeight = 0.05

// group is a page that stands for others.
type group struct {
	index.Hit
	copies, more int
}

// fold leaves out pages with the contents of a better one, and further ones of a site. If pages have to be read
// for it, it ends with enough of them.
func (s *searching) fold(ctx context.Context, hits []index.Hit, enough int) []*group {
	var groups []*group
	fits := s.reader()
	byContent := make(map[uint64]*group)
	bySite := make(map[uint32][]*group)
	for _, h := range hits {
		if ctx.Err() != nil {
			break
		}
		if s.unread = fits != nil && (len(groups) >= enough || s.read > phraseBytes); s.unread {
			break
		}
		if g := byContent[h.Content]; g != nil && h.Content != 0 {
			g.copies++
			continue
		}
		if fits != nil && !fits(h) {
			continue
		}
		s.matched++
		g := &group{Hit: h}
		byContent[h.Content] = g
		if of := bySite[h.Domain]; len(of) >= perSite && len(s.query.Sites) == 0 {
			of[perSite-1].more++
			continue
		}
		bySite[h.Domain] = append(bySite[h.Domain], g)
		groups = append(groups, g)
	}
	return groups
}

// reader returns what tells of a page whether it has the phrases and is of a host that were asked for. It has
// to read the page. It is nil for most queries, which ask for neither.
func (s *searching) reader() func(h index.Hit) bool {
	hosts := slices.ContainsFunc(s.query.Sites, func(site string) bool { return string(crawl.DomainOf(site)) != site })
	if len(s.query.Exact) == 0 && !hosts {
		return nil
	}
	wanted := newPhrases(s.query.Exact)
	return func(h index.Hit) bool {
		page, err := s.open(h.Place)
		if err != nil {
			return false
		}
		defer page.release()
		s.read += len(page.body)
		isFrom := func(site string) bool { return isOf(page.url.Hostname(), site) }
		if len(s.query.Sites) > 0 && !slices.ContainsFunc(s.query.Sites, isFrom) {
			return false
		}
		return len(s.query.Exact) == 0 || page.has(wanted)
	}
}

// isOf reports whether a host is a site or one below it.
func isOf(host, site string) bool {
	site, _, _ = strings.Cut(site, "/")
	return host == site || strings.HasSuffix(host, "."+site)
}

// result reads what is shown of a page; ok is false if it is not to be shown, or cannot be read any more.
func (s *searching) result(g *group) (r api.SearchResult, ok bool) {
	r, page, ok := s.describe(g.Hit)
	if !ok {
		return r, false
	}
	defer page.release()
	r.Copies, r.MoreOfSite = g.copies, g.more
	if !page.facts.NoSnippet && len(s.query.Words) > 0 {
		r.Snippet = snippet(page.paragraphs(), s.wordIn(g.Language))
	}
	return r, true
}

// describe reads a page, and returns what is shown of it beside its text. The page is to be released if ok says
// that it may be shown.
func (f *Finder) describe(h index.Hit) (r api.SearchResult, page *stored, ok bool) {
	page, err := f.open(h.Place)
	if err != nil {
		return r, nil, false
	}
	page.facts = page.read(nil)
	if f.cfg.Hidden(page.url) || page.facts.NoIndex {
		page.release()
		return r, nil, false
	}
	return api.SearchResult{
		ID: page.id, URL: page.url.String(), Time: page.time, Title: plain.Line(page.facts.Title),
		Domain:   string(page.url.Domain()),
		Language: h.Language, Links: f.index.LinkingDomains(h.Domain),
	}, page, true
}

// wordIn returns a function that tells which word of the query a word of a page in a language is, -1 for none.
func (s *searching) wordIn(language string) func(word []byte) int {
	known := s.known[language]
	if known == nil {
		if s.known == nil {
			s.known = make(map[string]map[string]int)
		}
		known = make(map[string]int)
		s.known[language] = known
	}
	return func(word []byte) int {
		if n, ok := known[string(word)]; ok {
			return n
		}
		if len(known) == maxKnown {
			clear(known)
		}
		term := words.Term(language, string(word))
		n := slices.IndexFunc(s.want.All, func(w index.Wanted) bool {
			return slices.Contains(w.Terms, term) || w.Prefix && strings.HasPrefix(term, w.Terms[0])
		})
		known[string(word)] = n
		return n
	}
}

// ParseFrom reads a place in a ranking as an answer gives it; "" is the beginning.
func ParseFrom(s string) (from int, ok bool) {
	if s == "" {
		return 0, true
	}
	from, err := strconv.Atoi(s)
	return from, err == nil && from >= 0
}
