package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/forage-net/forage/storage/index"
)

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
	fmt.Fprintf(out, "%d pages in %d segments, %.0f bytes a page\n", st.Pages, st.Segments,
		float64(st.Bytes)/float64(max(st.Pages, 1)))
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

// lookUp does what a search of a node does before it reads pages: it looks for all words, else for the beginning of the
// last one, else for most of the words, and for the links to what it found.
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
