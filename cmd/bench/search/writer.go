package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/index"
)

const (
	// Words are drawn from so many by Zipf's law with Mandelbrot's shift: the most frequent one stands on about half of
	// the pages.
	vocabulary = 1 << 21
	zipfPower  = 1.1
	zipfShift  = 4
	// A page has between these numbers of words.
	shortPage, longPage = 40, 160
	// pagesOfDomain is how many pages a domain has in the mean, linksOfPage how many links a page has to other domains.
	pagesOfDomain = 30
	linksOfPage   = 3
	// searchLimit is how many pages a search of a node asks the index for.
	searchLimit = 200
)

// writer writes pages of random words.
type writer struct {
	*rand.Rand
	words, domains *rand.Zipf
}

func newWriter(seed uint64, pages int) *writer {
	r := rand.New(rand.NewPCG(seed, 5))
	return &writer{r, rand.NewZipf(r, zipfPower, zipfShift, vocabulary-1),
		rand.NewZipf(r, 1.2, 10, uint64(pages/pagesOfDomain+1))}
}

// word draws a word. Its letters say nothing of how frequent it is.
func (w *writer) word() string {
	return "w" + strconv.FormatUint(w.words.Uint64()*0x9e3779b1%(1<<32), 36)
}

func (w *writer) doc(n int) *index.Doc {
	domain := w.domains.Uint64()
	d := &index.Doc{
		Place: index.Place{File: fmt.Sprintf("%06d.warc.gz", n/20_000), Offset: int64(n%20_000) * 9000}, Bytes: 9000,
		URL: w.Uint64(), Content: w.Uint64(), Domain: uint32(domain), Language: "en",
		Time: time.Unix(1_700_000_000+int64(n), 0), Words: shortPage + w.IntN(longPage-shortPage),
	}
	times := make(map[string]int)
	for range d.Words {
		times[w.word()]++
	}
	for text, n := range times {
		t := index.Term{Text: text, Times: n}
		if w.IntN(30) == 0 {
			t.Marks = index.InTitle
		}
		d.Terms = append(d.Terms, t)
	}
	for range linksOfPage {
		to := w.domains.Uint64()
		name := "d" + strconv.FormatUint(to, 36) + ".test"
		d.Links = append(d.Links, index.Link{Domain: name, URL: fmt.Sprintf("http://%s/%d", name, w.IntN(20)),
			Hash: uint32(to), Text: "a link to there"})
	}
	return d
}

// query draws words, each once, with all forms of them that a node looks for.
func (w *writer) query(n int) (q index.Query) {
	seen := make(map[string]bool)
	for len(q.All) < n {
		if word := w.word(); !seen[word] {
			seen[word] = true
			q.All = append(q.All, index.Wanted{Terms: words.Terms(word)})
		}
	}
	return q
}
