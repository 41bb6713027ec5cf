package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

const (
	// defaultHours are the hours of a week.
	defaultHours = 7 * 24
	// maxZone is how long the name of a time zone is at most, in bytes.
	maxZone = 64
)

func (c calls) stats(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "hours")
	hours := p.number("hours", 0, api.MaxHours, defaultHours)
	return replyTo(w, p, func(ctx context.Context) (api.Stats, error) { return c.node.Stats(ctx, hours) })
}

func (c calls) statsSeries(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "unit", "from", "to", "limit", "zone")
	q := api.SeriesQuery{Unit: api.Unit(p.of["unit"])}
	switch q.Unit {
	case api.UnitHour, api.UnitDay, api.UnitYear:
	default:
		p.refuse("said.api.unit-must-be-hour-day-or", nil)
	}
	q.From, q.To, q.Limit, q.Zone = p.time("from"), p.time("to"), p.limit(), p.zone()
	return replyTo(w, p, func(ctx context.Context) (api.Series, error) {
		series, err := c.node.Series(ctx, q)
		series.Sum()
		return series, err
	})
}

// inZone has the node say something by the days of the zone of the call.
func inZone[T any](say func(context.Context, *time.Location) (T, error)) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		p := query(r, "zone")
		zone := p.zone()
		return replyTo(w, p, func(ctx context.Context) (T, error) { return say(ctx, zone) })
	}
}

// zone reads the name of a time zone; nil if there is none. The node's own stands for one that it does not know:
// not every computer knows all zones, and most readers live where their node does.
func (p *params) zone() *time.Location {
	name := p.of["zone"]
	if name == "" {
		return nil
	} else if len(name) > maxZone {
		p.refuse("said.api.zone-must-be", words.Args{"most": maxZone})
	} else if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.Local
}

// time reads a time as RFC 3339, or a day of UTC; zero if there is none.
func (p *params) time(name string) time.Time {
	text := p.of[name]
	if text == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	p.refuse("said.api.must-be-a-time-like-or",
		words.Args{"name": name, "first": `"2026-03-01"`, "second": `"2026-03-01T15:00:00Z"`})
	return time.Time{}
}

// maxStep is the longest time that one entry of a LimitHistory may be about, in minutes: all there is.
const maxStep = 24 * 60

func (c calls) limitHistory(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "lang", "step")
	step := p.number("step", 1, maxStep, 1)
	if p.err != nil {
		return p.err
	}
	h, err := ask(r, c.node.LimitHistory)
	if err != nil {
		return err
	}
	h.Summary, h.Minutes, h.Breaches = filled(h.Summary), api.JoinMinutes(h.Minutes, time.Duration(step)*time.Minute),
		filled(h.Breaches)
	body, err := h.Encode()
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	writeBody(w, http.StatusOK, "application/json", append(body, '\n'))
	return nil
}
