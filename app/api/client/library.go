package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/api"
)

// Captures returns at most limit (1 to 100) captures of a URL, newest first.
// before is the Next of an earlier answer, "" for the newest.
func (c *Client) Captures(ctx context.Context, address, before string, limit int) (api.CapturePage, error) {
	q := url.Values{"url": {address}, "before": {before}, "limit": {strconv.Itoa(limit)}}
	return Get[api.CapturePage](ctx, c, "/api/archive?"+q.Encode())
}

// ReadCapture returns a capture as plain text. lang is "en" or "de".
func (c *Client) ReadCapture(ctx context.Context, id, lang string) (api.ArchivedPage, error) {
	return Get[api.ArchivedPage](ctx, c, "/api/archive/page?"+url.Values{"id": {id}, "lang": {lang}}.Encode())
}

// SearchArchive implements Searcher; limit is 1 to 100.
func (c *Client) SearchArchive(ctx context.Context, query, from string, limit int) (api.SearchPage, error) {
	q := url.Values{"q": {query}, "from": {from}, "limit": {strconv.Itoa(limit)}}
	return Get[api.SearchPage](ctx, c, "/api/archive/search?"+q.Encode())
}

// LinksTo implements LinkFinder; limit is 1 to 100.
func (c *Client) LinksTo(ctx context.Context, target, from string, limit int) (api.LinksPage, error) {
	q := url.Values{"target": {target}, "from": {from}, "limit": {strconv.Itoa(limit)}}
	return Get[api.LinksPage](ctx, c, "/api/archive/links?"+q.Encode())
}

// Site implements SiteTeller.
func (c *Client) Site(ctx context.Context, domain string) (api.SiteSummary, error) {
	site, err := Get[api.SiteSummary](ctx, c, "/api/archive/site?"+url.Values{"domain": {domain}}.Encode())
	var answer *api.CallError
	if errors.As(err, &answer) && answer.Status == http.StatusNotFound {
		err = api.ErrNoSite
	}
	return site, err
}

// Finds implements Finder.
func (c *Client) Finds(ctx context.Context, languages []string) (api.Finds, error) {
	q := url.Values{"languages": {strings.Join(languages, ",")}}
	return Get[api.Finds](ctx, c, "/api/archive/finds?"+q.Encode())
}
