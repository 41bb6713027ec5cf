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
	params, err := query(r, "hours")
	if err != nil {
		return err
	}
	hours, err := numberParam(params, "hours", 0, api.MaxHours, defaultHours)
	if err != nil {
		return err
	}
	return reply(w, r, func(ctx context.Context) (api.Stats, error) { return c.node.Stats(ctx, hours) })
}

func (c calls) statsSeries(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "unit", "from", "to", "limit", "zone")
	if err != nil {
		return err
	}
	q := api.SeriesQuery{Unit: api.Unit(params["unit"])}
	switch q.Unit {
	case api.UnitHour, api.UnitDay, api.UnitYear:
	default:
		return refuse(http.StatusBadRequest, "said.api.unit-must-be-hour-day-or", nil)
	}
	if q.From, err = timeParam("from", params["from"]); err != nil {
		return err
	}
	if q.To, err = timeParam("to", params["to"]); err != nil {
		return err
	}
	if q.Limit, err = limitParam(params); err != nil {
		return err
	}
	if q.Zone, err = zoneParam(params["zone"]); err != nil {
		return err
	}
	return reply(w, r, func(ctx context.Context) (api.Series, error) {
		series, err := c.node.Series(ctx, q)
		series.Sum()
		return series, err
	})
}

// inZone has the node say something by the days of the zone of the call.
func inZone[T any](say func(context.Context, *time.Location) (T, error)) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		params, err := query(r, "zone")
		if err != nil {
			return err
		}
		zone, err := zoneParam(params["zone"])
		if err != nil {
			return err
		}
		return reply(w, r, func(ctx context.Context) (T, error) { return say(ctx, zone) })
	}
}

// zoneParam reads the name of a time zone; nil if there is none. The node's own stands for one that it does not know:
// not every computer knows all zones, and most readers live where their node does.
func zoneParam(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil
	} else if len(name) > maxZone {
		return nil, refuse(http.StatusBadRequest, "said.api.zone-must-be", words.Args{"most": maxZone})
	} else if zone, err := time.LoadLocation(name); err == nil {
		return zone, nil
	}
	return time.Local, nil
}

// timeParam reads a time as RFC 3339, or a day of UTC; zero if there is none.
func timeParam(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, refuse(http.StatusBadRequest, "said.api.must-be-a-time-like-or",
		words.Args{"name": name, "first": `"2026-03-01"`, "second": `"2026-03-01T15:00:00Z"`})
}

// maxStep is the longest time that one entry of a LimitHistory may be about, in minutes: all there is.
const maxStep = 24 * 60

func (c calls) limitHistory(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "lang", "step")
	if err != nil {
		return err
	}
	step, err := numberParam(params, "step", 1, maxStep, 1)
	if err != nil {
		return err
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
