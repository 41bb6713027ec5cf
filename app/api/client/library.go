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
	return getAs[api.CapturePage](ctx, c, "/api/archive?"+q.Encode())
}

// ReadCapture returns a capture as plain text. lang is "en" or "de".
func (c *Client) ReadCapture(ctx context.Context, id, lang string) (api.ArchivedPage, error) {
	return getAs[api.ArchivedPage](ctx, c, "/api/archive/page?"+url.Values{"id": {id}, "lang": {lang}}.Encode())
}

// SearchArchive implements Searcher; limit is 1 to 100.
func (c *Client) SearchArchive(ctx context.Context, query, from string, limit int) (api.SearchPage, error) {
	q := url.Values{"q": {query}, "from": {from}, "limit": {strconv.Itoa(limit)}}
	return getAs[api.SearchPage](ctx, c, "/api/archive/search?"+q.Encode())
}

// LinksTo implements LinkFinder; limit is 1 to 100.
func (c *Client) LinksTo(ctx context.Context, target, from string, limit int) (api.LinksPage, error) {
	q := url.Values{"target": {target}, "from": {from}, "limit": {strconv.Itoa(limit)}}
	return getAs[api.LinksPage](ctx, c, "/api/archive/links?"+q.Encode())
}

// Site implements SiteTeller.
func (c *Client) Site(ctx context.Context, domain string) (api.SiteSummary, error) {
	site, err := getAs[api.SiteSummary](ctx, c, "/api/archive/site?"+url.Values{"domain": {domain}}.Encode())
	var answer *api.CallError
	if errors.As(err, &answer) && answer.Status == http.StatusNotFound {
		err = api.ErrNoSite
	}
	return site, err
}

// Finds implements Finder.
func (c *Client) Finds(ctx context.Context, languages []string) (api.Finds, error) {
	q := url.Values{"languages": {strings.Join(languages, ",")}}
	return getAs[api.Finds](ctx, c, "/api/archive/finds?"+q.Encode())
}

// BeginView begins a view, in which archived pages can be read without any header.
func (c *Client) BeginView(ctx context.Context) (api.ViewTicket, error) {
	return postAs[api.ViewTicket](ctx, c, "/api/archive/view", struct{}{})
}

// View returns what was shown last in a view.
func (c *Client) View(ctx context.Context, t api.ViewTicket) (api.ArchiveView, error) {
	return getAs[api.ArchiveView](ctx, c, "/api/archive/view?"+url.Values{"view": {t.View}}.Encode())
}
