// Package client calls a node by its local API. It finds the node of a state directory by its descriptor, makes
// sure that the right one answers, and goes on when the node is started again.
package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/events"
)

// Client calls the node of one state directory. It is safe for concurrent use.
type Client struct {
	*caller
	Orders
	Archive
	// Silence is how long a stream may say nothing before it counts as broken, Retries are the waits before a
	// broken one is opened again.
	Silence time.Duration
	Retries []time.Duration
}

// Dial finds the node of a state directory and makes sure that it answers and
// is the one that wrote the descriptor there. The error is api.ErrNotRunning if
// there is none.
func Dial(stateDir string) (*Client, error) {
	c := &caller{dir: stateDir, http: newHTTPClient()}
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	return &Client{
		caller: c, Orders: Orders{c}, Archive: Archive{c}, Silence: streamSilence, Retries: streamRetries(),
	}, nil
}

// Get returns what a path answers.
func Get[T any](ctx context.Context, c *Client, path string) (T, error) {
	return get[T](ctx, c.caller, path)
}

// Post returns what a path answers to a body.
func Post[T any](ctx context.Context, c *Client, path string, in any) (T, error) {
	return post[T](ctx, c.caller, path, in)
}

// streamRetries are the waits before a broken stream is opened again. Their sum
// is time enough for a node to start again.
func streamRetries() []time.Duration {
	return []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second,
		4 * time.Second}
}

// Status returns what the node is doing now.
func (c *Client) Status(ctx context.Context) (api.Status, error) {
	return Get[api.Status](ctx, c, "/api/status")
}

// StatusIn is Status with its sentences in a language, "en" or "de".
func (c *Client) StatusIn(ctx context.Context, lang string) (api.Status, error) {
	return Get[api.Status](ctx, c, "/api/status?lang="+lang)
}

// Domains returns at most limit (1 to 1000) domains of those after a name, "" for the first.
func (c *Client) Domains(ctx context.Context, after string, limit int) ([]api.Domain, error) {
	q := url.Values{"after": {after}, "limit": {strconv.Itoa(limit)}}
	page, err := Get[api.DomainPage](ctx, c, "/api/domains?"+q.Encode())
	return page.Domains, err
}

// Events returns at most limit (1 to 1000) events after the one with the ID since of a boot, as in a Status; "" is the
// present boot. It does not wait for any.
func (c *Client) Events(ctx context.Context, boot string, since uint64, limit int) (api.EventPage, error) {
	return Get[api.EventPage](ctx, c, eventsPath(events.Cursor{Boot: boot, Since: since}, limit))
}

// Limits returns what the node may do now. lang is "en" or "de".
func (c *Client) Limits(ctx context.Context, lang string) (api.Limits, error) {
	return Get[api.Limits](ctx, c, "/api/limits?lang="+lang)
}

// LimitHistory returns what was allowed and used in the last 24 hours.
func (c *Client) LimitHistory(ctx context.Context) (api.LimitHistory, error) {
	return Get[api.LimitHistory](ctx, c, "/api/limits/history")
}

// Settings returns all settings. lang is "en" or "de".
func (c *Client) Settings(ctx context.Context, lang string) (api.Settings, error) {
	return Get[api.Settings](ctx, c, "/api/settings?lang="+lang)
}

// ChangeSettings makes all of a change or nothing. What is wrong with it is a *SettingError.
func (c *Client) ChangeSettings(ctx context.Context, change api.SettingsChange) (api.SettingsChanged, error) {
	return Post[api.SettingsChanged](ctx, c, "/api/settings", change)
}

// Setup returns what is to be known and asked before the first start. lang is "en" or "de".
func (c *Client) Setup(ctx context.Context, lang string) (api.Setup, error) {
	return Get[api.Setup](ctx, c, "/api/setup?lang="+lang)
}

// Agree agrees to the present text and chooses settings. What is wrong with it is a *SettingError.
func (c *Client) Agree(ctx context.Context, a api.Agreement) error {
	return c.call(ctx, http.MethodPost, "/api/setup", a, nil)
}

// Peers asks for the other nodes.
func (c *Client) Peers(ctx context.Context) (api.Peers, error) {
	return Get[api.Peers](ctx, c, "/api/peers")
}

// Invitation asks for a line that brings another computer to the node's network.
func (c *Client) Invitation(ctx context.Context) (api.Invitation, error) {
	return Get[api.Invitation](ctx, c, "/api/invite")
}

// Helping asks for the domains of others that the node fetches now.
func (c *Client) Helping(ctx context.Context) ([]api.Domain, error) {
	page, err := Get[api.DomainPage](ctx, c, "/api/helping")
	return page.Domains, err
}

// Visits returns at most limit (1 to 1000) sites at which the node works now, those under way first.
func (c *Client) Visits(ctx context.Context, limit int) ([]api.Visit, error) {
	list, err := Get[api.VisitList](ctx, c, "/api/visits?limit="+strconv.Itoa(limit))
	return list.Visits, err
}

// Ring asks for a picture of the ring.
func (c *Client) Ring(ctx context.Context) (api.Ring, error) {
	return Get[api.Ring](ctx, c, "/api/ring")
}

// Why implements Inquirer, in the language of the client.
func (c *Client) Why(ctx context.Context, address string) (api.Why, error) {
	return Get[api.Why](ctx, c, "/api/why?"+url.Values{"address": {address}}.Encode())
}

// Requests returns requests that the node made to sites, the latest first.
func (c *Client) Requests(ctx context.Context, q api.RequestQuery) (api.RequestPage, error) {
	v := url.Values{"limit": {strconv.Itoa(q.Limit)}}
	for name, text := range map[string]string{"before": q.Before, "domain": q.Domain, "kind": q.Kind, "text": q.Text} {
		if text != "" {
			v.Set(name, text)
		}
	}
	return Get[api.RequestPage](ctx, c, "/api/requests?"+v.Encode())
}

// RequestReport returns a report about the requests of the last days (1 to 365).
func (c *Client) RequestReport(ctx context.Context, days int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := c.send(ctx, c.descriptor(), http.MethodGet, "/api/requests/report?days="+strconv.Itoa(days), nil, nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return string(text), err
}

// NeverList returns what the node does not visit.
func (c *Client) NeverList(ctx context.Context) (api.NeverList, error) {
	return Get[api.NeverList](ctx, c, "/api/never")
}

// Stats returns the totals and at most so many of the last hours, 0 to MaxHours.
func (c *Client) Stats(ctx context.Context, hours int) (api.Stats, error) {
	return Get[api.Stats](ctx, c, "/api/stats?hours="+strconv.Itoa(hours))
}

// Series asks for points.
func (c *Client) Series(ctx context.Context, q api.SeriesQuery) (api.Series, error) {
	v := url.Values{"unit": {string(q.Unit)}, "limit": {strconv.Itoa(q.Limit)}}
	if !q.From.IsZero() {
		v.Set("from", q.From.UTC().Format(time.RFC3339))
	}
	if !q.To.IsZero() {
		v.Set("to", q.To.UTC().Format(time.RFC3339))
	}
	if q.Zone != nil {
		v.Set("zone", q.Zone.String())
	}
	return Get[api.Series](ctx, c, "/api/stats/series?"+v.Encode())
}

// Best asks for what stands out, by the days of a zone; nil is UTC.
func (c *Client) Best(ctx context.Context, zone *time.Location) (api.Best, error) {
	path := "/api/stats/best"
	if zone != nil {
		path += "?zone=" + url.QueryEscape(zone.String())
	}
	return Get[api.Best](ctx, c, path)
}

// Away returns what was fetched while nobody was there.
func (c *Client) Away(ctx context.Context) (api.Away, error) {
	return Get[api.Away](ctx, c, "/api/away")
}

// LookAway is Away for a user who looks just now. With seen it is not told any more.
func (c *Client) LookAway(ctx context.Context, seen bool) (api.Away, error) {
	return Post[api.Away](ctx, c, "/api/away", api.LookRequest{Seen: seen})
}

// Link returns a link that lets a browser in, once and soon.
func (c *Client) Link(ctx context.Context) (api.Link, error) {
	return Post[api.Link](ctx, c, "/api/link", struct{}{})
}
