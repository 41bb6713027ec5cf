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

// Pause stops the node's work for a time, or until Resume if d is 0.
func (c *Client) Pause(ctx context.Context, d time.Duration) error {
	return c.timed(ctx, "/api/pause", d)
}

// timed sends a verb that takes a length of time, or none if d is 0.
func (c *Client) timed(ctx context.Context, path string, d time.Duration) error {
	var body api.PauseRequest
	if d != 0 {
		body.For = d.String()
	}
	return c.call(ctx, http.MethodPost, path, body, nil)
}

// Resume ends a pause.
func (c *Client) Resume(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/resume", struct{}{}, nil)
}

// Stop makes the node stop. It returns when the node has begun to.
func (c *Client) Stop(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/stop", struct{}{}, nil)
}

// Limits returns what the node may do now. lang is "en" or "de".
func (c *Client) Limits(ctx context.Context, lang string) (api.Limits, error) {
	return Get[api.Limits](ctx, c, "/api/limits?lang="+lang)
}

// LimitHistory returns what was allowed and used in the last 24 hours.
func (c *Client) LimitHistory(ctx context.Context) (api.LimitHistory, error) {
	return Get[api.LimitHistory](ctx, c, "/api/limits/history")
}

// Work has the node work for a time, or until Resume if d is 0.
func (c *Client) Work(ctx context.Context, d time.Duration) error {
	return c.timed(ctx, "/api/work", d)
}

// Finish lets what is in flight come to its end, starts nothing more, and then ends the node.
func (c *Client) Finish(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/finish", struct{}{}, nil)
}

// SetRun has the node work always, while nobody uses the computer, or not at all.
func (c *Client) SetRun(ctx context.Context, mode api.RunMode) error {
	return c.call(ctx, http.MethodPost, "/api/run", api.RunRequest{Run: mode}, nil)
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

// Never takes a site off the web of the node, or with undo back in. text is
// what a person typed or pasted.
func (c *Client) Never(ctx context.Context, text string, undo bool) (api.NeverChange, error) {
	return Post[api.NeverChange](ctx, c, "/api/never", api.NeverRequest{Pattern: text, Undo: undo})
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

// Doctor returns what is wrong with the files of the node, as far as can be seen
// while it runs.
func (c *Client) Doctor(ctx context.Context) (api.DoctorReport, error) {
	return Get[api.DoctorReport](ctx, c, "/api/doctor")
}

// Erase ends the node and has it delete what it is told to.
// It returns when the node has begun to.
func (c *Client) Erase(ctx context.Context, what api.Erasure) error {
	body := api.EraseRequest{Confirm: "erase", Sites: what.Sites, URLs: what.URLs, KeepIdentity: what.KeepIdentity}
	return c.call(ctx, http.MethodPost, "/api/erase", body, nil)
}

// ShowWindow has the window that is open come to the front and show a page (IsWindowPage), "" for the one
// it shows. It reports false if none is open.
func (c *Client) ShowWindow(ctx context.Context, page string) (raised bool, err error) {
	answer, err := Post[api.Raised](ctx, c, "/api/window", api.WindowRequest{Page: page})
	return answer.Raised, err
}

// Link returns a link that lets a browser in, once and soon.
func (c *Client) Link(ctx context.Context) (api.Link, error) {
	return Post[api.Link](ctx, c, "/api/link", struct{}{})
}

// Export asks for an export in a format: warc, wacz, cdxj, links, pages, graph or stats.
func (c *Client) Export(ctx context.Context, format string) (api.ExportTicket, error) {
	return Post[api.ExportTicket](ctx, c, "/api/export", api.ExportRequest{Format: format})
}

// Download writes the export of a ticket to w, and returns how many bytes it has. It takes as long as the export does.
func (c *Client) Download(ctx context.Context, t api.ExportTicket, w io.Writer) (int64, error) {
	resp, err := c.send(ctx, c.descriptor(), http.MethodGet, t.URL, nil, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(w, resp.Body)
}

// SetStartup has the system start the node when its user logs in, or not.
func (c *Client) SetStartup(ctx context.Context, on bool) error {
	return c.call(ctx, http.MethodPost, "/api/startup", api.StartupRequest{On: on}, nil)
}
