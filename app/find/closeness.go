package find

import (
	"cmp"
	"slices"

	"github.com/forage-net/forage/crawl/words"
)

const (
	// closeCandidates is how many of the best pages are read to see how close to each other the words stand;
	// after closeBytes of them no more are.
	closeCandidates = 40
	closeBytes      = 8 << 20
	// closeWeight is what a page gains on which all words stand in a row, in the order of the query, and
	// titleWeight what one gains whose title is just the query.
	closeWeight = 1.5
	titleWeight = 0.5
)

// runs finds the longest row of words of a query in a text. It implements words.Sink.
type runs struct {
	word func([]byte) int // which word of the query a word is, -1 for none
	at   words.Place
	next int // the word that would go on with the row
	long int // the row so far
	best int
	// title and named count the words of the title, and those of them that are in the row that it begins with.
	title, named int
}

// Reset implements words.Sink.
func (r *runs) Reset() { *r = runs{word: r.word, next: -1} }

// Word implements words.Sink.
func (r *runs) Word(at words.Place, word []byte) {
	if at != r.at {
		r.at, r.long, r.next = at, 0, -1
	}
	n := r.word(word)
	if at == words.Title {
		r.title++
	}
	switch {
	case n < 0:
		r.long, r.next = 0, -1
		return
	case n == r.next:
		r.long++
	default:
		r.long = 1
	}
	r.next = n + 1
	if at == words.Title && r.long == r.title {
		r.named = r.long
	}
	if at != words.Aside {
		r.best = max(r.best, r.long)
	}
}

// bringClose ranks the best pages once more, by how close to each other the words stand on them.
func (s *searching) bringClose(groups []*group) {
	n := len(s.want.All)
	if n < 2 || len(groups) < 2 || len(s.query.Exact) == 1 && len(s.query.Exact[0]) == n {
		return // a phrase is as close as words can be
	}
	read := 0
	best := groups[:min(len(groups), closeCandidates)]
	for i, g := range best {
		if read > closeBytes {
			best = best[:i]
			break
		}
		r := runs{word: s.wordIn(g.Language)}
		r.Reset()
		page, err := s.open(g.Place)
		if err != nil {
			continue
		}
		read += len(page.body)
		reader := words.Reader{Sink: &r}
		page.read(&reader)
		reader.Text(words.Address, []byte(page.url.String()))
		reader.Break()
		addLetters(&reader, page.url)
		page.release()
		g.Score *= 1 + closeWeight*float64(r.best-1)/float64(n-1)
		if r.named == n && r.title == n {
			g.Score *= 1 + titleWeight
		}
	}
	slices.SortStableFunc(best, func(a, b *group) int { return cmp.Compare(b.Score, a.Score) })
}
