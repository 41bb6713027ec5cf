package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/index"
)

const (
	// Words are drawn from so many by Zipf's law with Mandelbrot's shift: the most frequent one stands on about half of the pages.
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
	return &writer{r, rand.NewZipf(r, zipfPower, zipfShift, vocabulary-1), rand.NewZipf(r, 1.2, 10, uint64(pages/pagesOfDomain+1))}
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
		d.Links = append(d.Links, index.Link{Domain: name, URL: fmt.Sprintf("http://%s/%d", name, w.IntN(20)), Hash: uint32(to), Text: "a link to there"})
	}
	return d
}

// synthetic measures an index of many pages.
func synthetic(ctx context.Context, out io.Writer, _ string, o options) error {
	runtime.GOMAXPROCS(1)
	home, err := os.MkdirTemp("", "forage-search-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	stop, err := profile(o.profile)
	if err != nil {
		return err
	}
	defer stop()
	if o.at == "" {
		o.at = filepath.Join(home, "index")
	}
	if err := searchWords(ctx, out, o.at, o); err != nil {
		return err
	}
	return searchPhrases(ctx, out, filepath.Join(home, "warc"), o)
}

// searchWords makes an index of many pages, and searches it for words.
func searchWords(ctx context.Context, out io.Writer, dir string, o options) error {
	x, err := index.Open(dir, false)
	if err != nil {
		return err
	}
	defer x.Close()
	if have := x.Stats().Pages; have < o.synthetic {
		if err := build(ctx, out, x, have, o.synthetic); err != nil {
			return err
		}
	}
	st := x.Stats()
	fmt.Fprintf(out, "%d pages in %d segments, %.0f bytes a page\n", st.Pages, st.Segments, float64(st.Bytes)/float64(max(st.Pages, 1)))
	w := newWriter(99, o.synthetic)
	most := newMost()
	for n := 1; n <= 4; n++ {
		var times timings
		for range max(o.queries/2, 1) {
			q := w.query(n)
			if err := times.take(func() error { return lookUp(ctx, x, q) }); err != nil {
				return err
			}
			most.look()
		}
		fmt.Fprintf(out, "%d words: %v\n", n, &times)
	}
	fmt.Fprintf(out, "while searching: at most %v\n", most)
	return nil
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

// lookUp does what a search of a node does before it reads pages: it looks for all words, else for the beginning of the last one, else
// for most of the words, and for the links to what it found.
func lookUp(ctx context.Context, x *index.Index, q index.Query) error {
	hits, err := x.Search(ctx, q, searchLimit)
	if last := len(q.All) - 1; err == nil && hits.Total == 0 {
		q.All[last].Prefix = true
		hits, err = x.Search(ctx, q, searchLimit)
		q.All[last].Prefix = false
	}
	if err == nil && hits.Total == 0 {
		q.Least = int(math.Ceil(0.6 * float64(len(q.All))))
		hits, err = x.Search(ctx, q, searchLimit)
	}
	seen := make(map[uint32]bool)
	for _, h := range hits.Best {
		if !seen[h.Domain] {
			seen[h.Domain] = true
			x.Standing(h.Domain)
		}
	}
	return err
}

// build adds pages, and writes and merges as a node does.
func build(ctx context.Context, out io.Writer, x *index.Index, from, pages int) error {
	w := newWriter(uint64(from), pages)
	most, merging := newMost(), newMost()
	begun := time.Now()
	var adding, merges time.Duration
	for n := from; n < pages; n++ {
		d := w.doc(n)
		at := cpuTime()
		if _, err := x.Add(d); err != nil {
			return err
		}
		if x.Waiting() >= 1000 || n == pages-1 {
			most.look()
			if err := x.Commit(d.Place); err != nil {
				return err
			}
			adding += cpuTime() - at
			at = cpuTime()
			if _, err := x.Merge(ctx, func() error { merging.look(); return ctx.Err() }); err != nil {
				return err
			}
			merges += cpuTime() - at
			continue
		}
		adding += cpuTime() - at
	}
	k := float64(pages-from) / 1000
	fmt.Fprintf(out, "CPU s for 1,000 pages of %d words: %.4f added and written, %.4f merged; %v in all\n",
		(shortPage+longPage)/2, adding.Seconds()/k, merges.Seconds()/k, time.Since(begun).Round(time.Second))
	fmt.Fprintf(out, "while adding: at most %v; while merging: at most %v\n", most, merging)
	return nil
}

// timings are how long searches took.
type timings struct{ wall, cpu []time.Duration }

func (t *timings) take(fn func() error) error {
	begun, cpu := time.Now(), cpuTime()
	err := fn()
	t.wall, t.cpu = append(t.wall, time.Since(begun)), append(t.cpu, cpuTime()-cpu)
	return err
}

func (t *timings) String() string {
	return fmt.Sprintf("median %v, 95 of 100 within %v, all within %v; of CPU time %v, %v, %v",
		at(t.wall, 50), at(t.wall, 95), at(t.wall, 100), at(t.cpu, 50), at(t.cpu, 95), at(t.cpu, 100))
}

// at returns the value that so many in a hundred are not above.
func at(list []time.Duration, percent int) time.Duration {
	slices.Sort(list)
	return list[max(0, min(len(list)*percent/100, len(list)-1))].Round(100 * time.Microsecond)
}

// most is the most memory that was seen in use, of the process's own: without the files that it has mapped. 0 where that is not known.
type most struct{ kilobytes int }

func newMost() *most { return new(most) }

func (m *most) look() {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	_, rest, _ := strings.Cut(string(raw), "RssAnon:")
	if f := strings.Fields(rest); len(f) > 0 {
		n, _ := strconv.Atoi(f[0])
		m.kilobytes = max(m.kilobytes, n)
	}
}

func (m *most) String() string { return fmt.Sprintf("%d MB", m.kilobytes/1000) }
