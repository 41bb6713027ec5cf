package library

import (
	"context"
	"errors"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/find"
	phrases "github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/plain"
	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/warc/lookup"
)

// SearchArchive implements api.Searcher.
func (l *Library) SearchArchive(ctx context.Context, query, from string, limit int) (api.SearchPage, error) {
	if strings.TrimSpace(query) == "" {
		return api.SearchPage{}, &api.InputError{Err: phrases.New("said.api.say-at-least-one-word-to", nil)}
	}
	leave, err := l.sit(ctx)
	if err != nil {
		return api.SearchPage{}, err
	}
	defer leave()
	f, done, err := l.index()
	if err != nil {
		return api.SearchPage{}, err
	}
	defer done()
	if f == nil || !f.Status().On {
		return l.searchTitles(ctx, query, from, limit)
	}
	at, ok := find.ParseFrom(from)
	if !ok {
		return api.SearchPage{}, asPlaceError(lookup.ErrNoCapture)
	}
	page, err := f.Search(ctx, query, at, limit)
	if _, ok := errors.AsType[*words.QueryError](err); ok {
		return api.SearchPage{}, &api.InputError{Err: err}
	}
	return page, err
}

// searchTitles finds pages by title and address alone, the newest first.
func (l *Library) searchTitles(ctx context.Context, query, from string, limit int) (api.SearchPage, error) {
	if len(strings.Fields(query)) > lookup.MaxWords || len(query) > lookup.MaxQuery {
		err := phrases.New("said.api.these-are-too-many-words-at",
			phrases.Args{"most": lookup.MaxWords, "bytes": lookup.MaxQuery})
		return api.SearchPage{}, &api.InputError{Err: err}
	}
	found, err := lookup.Search(ctx, l.dir, query, lookup.Bounds{Before: from, Limit: limit})
	if err != nil {
		return api.SearchPage{}, asPlaceError(err)
	}
	page := api.SearchPage{Next: found.Next, More: found.Next != "", Off: true}
	for _, c := range found.Captures {
		r := api.SearchResult{ID: c.ID, URL: c.URL, Time: c.Date, Title: plain.Line(c.Title)}
		if u, err := crawl.ParseURL(c.URL); err == nil {
			if l.Hides(u) {
				continue
			}
			r.Domain = string(u.Domain())
		}
		page.Results = append(page.Results, r)
	}
	page.Total = len(page.Results)
	return page, nil
}

// asPlaceError says what is wrong with a place in what was found.
func asPlaceError(err error) error {
	if errors.Is(err, lookup.ErrNoCapture) {
		return &api.InputError{Err: phrases.New("said.api.from-must-be-the-next-of", nil)}
	}
	return err
}
