package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/plain"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
)

type options struct {
	pages, queries int
	verbose        bool
	profile        string
	least          int
}

// page is a page of the directory.
type page struct {
	URL, Title, Text string

	url  crawl.URL
	raw  []byte
	said []string // paragraphs
}

// query is one that one page answers.
type query struct {
	Kind string // title or sentence
	Text string
	URL  string
}

func run(ctx context.Context, out io.Writer, dir string, o options) error {
	pages, err := readPages(dir, o.pages, o.least)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "forage-search-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	archive := filepath.Join(home, "warc")
	size := 0
	for _, p := range pages {
		size += len(p.raw)
	}
	fmt.Fprintf(out, "%d pages of %d bytes\n", len(pages), size/max(len(pages), 1))
	stop, err := profile(o.profile)
	if err != nil {
		return err
	}
	f, err := indexPages(ctx, out, archive, pages)
	stop()
	if err != nil {
		return err
	}
	defer f.Close()
	queries := makeQueries(pages, o.queries)
	if err := askAll(ctx, out, f, queries, o.verbose); err != nil {
		return err
	}
	return answerPhrases(ctx, out, f, queries)
}

// site is where all pages are from. Queries ask for it, so that none is left out because others of its site are found.
const site = "docs.test"

// readPages reads the HTML files of a directory.
func readPages(dir string, most, least int) (pages []*page, err error) {
	var paths []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasPrefix(filepath.Ext(path), ".htm") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	for _, path := range paths {
		if len(pages) == most {
			break
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		rel, _ := filepath.Rel(dir, path)
		u, err := crawl.ParseURL("http://" + site + "/" + filepath.ToSlash(rel))
		if err != nil || len(raw) < least || len(raw) > 1<<20 {
			continue
		}
		decoded, _ := extract.Decode("text/html", raw)
		p := &page{URL: u.String(), Title: extract.HTML(u, "text/html", nil, raw).Title, url: u, raw: raw}
		for _, q := range plain.HTML(decoded).Paragraphs {
			p.said = append(p.said, q.Text)
		}
		p.Text = strings.Join(p.said, "\n")
		pages = append(pages, p)
	}
	return pages, nil
}

// batch is how many pages are archived without and then with an index in turn, so that both meet the same machine.
const batch = 100

// indexPages archives the pages without an index and with one, and says what each took.
func indexPages(ctx context.Context, out io.Writer, dir string, pages []*page) (*find.Finder, error) {
	everything, err := scope.New(scope.Config{Depth: crawl.MaxDepth, Everywhere: true})
	if err != nil {
		return nil, err
	}
	without := crawler{scope: everything}
	with := crawler{scope: everything}
	if without.archive, err = warc.Open(warc.Config{Dir: dir + "-plain"}); err != nil {
		return nil, err
	}
	defer without.archive.Close()
	if with.archive, err = warc.Open(warc.Config{Dir: dir}); err != nil {
		return nil, err
	}
	defer with.archive.Close()
	if with.finder, err = find.Open(find.Config{Archive: dir, Index: find.Dir(dir)}); err != nil {
		return nil, err
	}
	serving, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		with.finder.Serve(serving)
	}()
	for some := range slices.Chunk(pages, batch) {
		if err := errors.Join(without.crawl(ctx, some), with.crawl(ctx, some)); err != nil {
			break
		}
	}
	begun := cpuTime()
	stop()
	<-done
	if err == nil {
		err = with.finder.CatchUp(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, with.finder.Close())
	}
	last := cpuTime() - begun
	st := with.finder.Status()
	k := float64(len(pages)) / 1000
	fmt.Fprintf(out, "CPU s for 1,000 pages: %.3f extracted and archived; %.3f more with the index\n",
		without.took.Seconds()/k, (with.took+last-without.took).Seconds()/k)
	fmt.Fprintf(out, "%d pages in %d segments, %.0f bytes a page\n", st.Pages, st.Segments,
		float64(st.Bytes)/float64(max(st.Pages, 1)))
	return with.finder, nil
}

// crawler does what a fetcher does with pages once they have come.
type crawler struct {
	scope   *scope.Scope
	archive *warc.Archive
	finder  *find.Finder // nil for none
	took    time.Duration
}

func (c *crawler) crawl(ctx context.Context, pages []*page) error {
	begun := cpuTime()
	for _, p := range pages {
		if err := c.page(p); err != nil {
			return err
		}
	}
	if c.finder != nil {
		if err := c.finder.Sync(ctx); err != nil {
			return err
		}
	}
	c.took += cpuTime() - begun
	return c.archive.Sync()
}

func (c *crawler) page(p *page) error {
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		len(p.raw))
	raw := append([]byte(head), p.raw...)
	r, err := fetch.ParseResponse(p.url, raw)
	if err != nil {
		return err
	}
	defer r.Release()
	task := crawl.Task{URL: p.url}
	page := capture.Capture{URL: p.URL, Date: time.Now(), Response: raw, HeadLen: len(head), MIME: "text/html",
		Status: 200, PayloadDigest: r.Digest()}
	if c.finder == nil {
		answer.Read(task, r, c.scope, time.Now(), nil)
		_, err = c.archive.Append(page)
		return err
	}
	_, read := answer.Read(task, r, c.scope, time.Now(), &answer.Extras{Words: c.finder.Counter()})
	ticket := c.finder.Begin()
	at, err := c.archive.Append(page)
	if err != nil {
		return err
	}
	c.finder.Offer(ticket, find.Page{
		URL: p.url, At: at, Time: page.Date, Digest: page.PayloadDigest, Language: read.Language,
		Words: read.Words, Links: read.Links,
	})
	return nil
}

// askAll asks the queries, and says at which place their page was.
func askAll(ctx context.Context, out io.Writer, f *find.Finder, queries []query, verbose bool) error {
	type tally struct{ n, first, ten int }
	tallies := map[string]*tally{"title": {}, "sentence": {}}
	var times timings
	for _, q := range queries {
		var a api.SearchPage
		err := times.take(func() (err error) { a, err = f.Search(ctx, q.Text+" site:"+site, 0, 10); return err })
		if err != nil {
			return fmt.Errorf("%q: %w", q.Text, err)
		}
		t := tallies[q.Kind]
		t.n++
		at := slices.IndexFunc(a.Results, func(r api.SearchResult) bool { return r.URL == q.URL })
		if at == 0 {
			t.first++
		} else if verbose && len(a.Results) > 0 {
			fmt.Fprintf(out, "%s %q: %s at %d, first is %s %q\n", q.Kind, q.Text, q.URL, at, a.Results[0].URL,
				a.Results[0].Title)
		} else if verbose {
			fmt.Fprintf(out, "%s %q: %s, nothing found\n", q.Kind, q.Text, q.URL)
		}
		if at >= 0 {
			t.ten++
		}
	}
	for _, kind := range []string{"title", "sentence"} {
		t := tallies[kind]
		fmt.Fprintf(out, "%s: %d queries, first %.1f %%, among ten %.1f %%\n", kind, t.n,
			100*float64(t.first)/float64(max(t.n, 1)), 100*float64(t.ten)/float64(max(t.n, 1)))
	}
	if len(times.wall) > 0 {
		fmt.Fprintf(out, "queries with their snippets: %v\n", &times)
	}
	return nil
}

// wordsOfPhrase is how many words the phrases have that are searched for.
const wordsOfPhrase = 3

// answerPhrases searches for the first words of sentences as phrases.
func answerPhrases(ctx context.Context, out io.Writer, f *find.Finder, queries []query) error {
	var times timings
	for _, q := range queries {
		if q.Kind != "sentence" {
			continue
		}
		phrase := strings.Join(strings.Fields(q.Text)[:wordsOfPhrase], " ")
		if err := times.take(func() error { _, err := f.Search(ctx, `"`+phrase+`"`, 0, 10); return err }); err != nil {
			return fmt.Errorf("%q: %w", phrase, err)
		}
	}
	if len(times.wall) > 0 {
		fmt.Fprintf(out, "phrases of %d words: %v\n", wordsOfPhrase, &times)
	}
	return nil
}
