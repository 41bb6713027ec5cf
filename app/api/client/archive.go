package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/api"
)

// Archive finds and reads what a node has archived.
type Archive struct{ *caller }

// Captures returns at most limit (1 to 100) captures of a URL, newest first.
// before is the Next of an earlier answer, "" for the newest.
func (c Archive) Captures(ctx context.Context, address, before string, limit int) (api.CapturePage, error) {
	q := url.Values{"url": {address}, "before": {before}, "limit": {strconv.Itoa(limit)}}
	return get[api.CapturePage](ctx, c.caller, "/api/archive?"+q.Encode())
}

// ReadCapture returns a capture as plain text. lang is "en" or "de".
func (c Archive) ReadCapture(ctx context.Context, id, lang string) (api.ArchivedPage, error) {
	return get[api.ArchivedPage](ctx, c.caller, "/api/archive/page?"+url.Values{"id": {id}, "lang": {lang}}.Encode())
}

// SearchArchive implements Searcher; limit is 1 to 100.
func (c Archive) SearchArchive(ctx context.Context, query, from string, limit int) (api.SearchPage, error) {
	q := url.Values{"q": {query}, "from": {from}, "limit": {strconv.Itoa(limit)}}
	return get[api.SearchPage](ctx, c.caller, "/api/archive/search?"+q.Encode())
}

// LinksTo implements LinkFinder; limit is 1 to 100.
func (c Archive) LinksTo(ctx context.Context, target, from string, limit int) (api.LinksPage, error) {
	q := url.Values{"target": {target}, "from": {from}, "limit": {strconv.Itoa(limit)}}
	return get[api.LinksPage](ctx, c.caller, "/api/archive/links?"+q.Encode())
}

// Site implements SiteTeller.
func (c Archive) Site(ctx context.Context, domain string) (api.SiteSummary, error) {
	site, err := get[api.SiteSummary](ctx, c.caller, "/api/archive/site?"+url.Values{"domain": {domain}}.Encode())
	if answer, ok := errors.AsType[*api.CallError](err); ok && answer.Status == http.StatusNotFound {
		err = api.ErrNoSite
	}
	return site, err
}

// Finds implements Finder.
func (c Archive) Finds(ctx context.Context, languages []string) (api.Finds, error) {
	q := url.Values{"languages": {strings.Join(languages, ",")}}
	return get[api.Finds](ctx, c.caller, "/api/archive/finds?"+q.Encode())
}

// Export asks for an export in a format: warc, wacz, cdxj, links, pages, graph or stats.
func (c Archive) Export(ctx context.Context, format string) (api.ExportTicket, error) {
	return post[api.ExportTicket](ctx, c.caller, "/api/export", api.ExportRequest{Format: format})
}

// Download writes the export of a ticket to w, and returns how many bytes it has. It takes as long as the export does.
func (c Archive) Download(ctx context.Context, t api.ExportTicket, w io.Writer) (int64, error) {
	resp, err := c.send(ctx, c.descriptor(), http.MethodGet, t.URL, nil, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(w, resp.Body)
}
