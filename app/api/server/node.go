package server

import (
	"context"
	"errors"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/metrics"
	"github.com/forage-net/forage/assets/words"
)

// calls answers by asking or telling the node, and keeps nothing.
type calls struct{ node api.Node }

func (c calls) domains(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "after", "limit", "lang")
	after, limit := p.text("after", 0, maxName, "said.api.after-must-be-a-domain-name"), p.limit()
	return replyTo(w, p, func(ctx context.Context) (api.DomainPage, error) {
		domains, err := c.node.Domains(ctx, after, limit)
		return api.DomainPage{Domains: domains}, err
	})
}

func (c calls) helping(ctx context.Context) (api.DomainPage, error) {
	domains, err := c.node.Helping(ctx)
	return api.DomainPage{Domains: domains}, err
}

func (c calls) visits(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "limit")
	limit := p.limit()
	return replyTo(w, p, func(ctx context.Context) (api.VisitList, error) {
		list, err := c.node.Visits(ctx, limit)
		return api.VisitList{Visits: list}, err
	})
}

func (c calls) why(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "address", "lang")
	address := p.text("address", 1, maxLookup, "said.api.address-must-be")
	return replyTo(w, p, func(ctx context.Context) (api.Why, error) { return c.node.Why(ctx, address) })
}

const (
	maxSearch         = 200
	defaultReportDays = 7
	maxReportDays     = 365
)

func (c calls) requests(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "before", "limit", "domain", "kind", "text")
	q := api.RequestQuery{Before: p.of["before"], Domain: p.of["domain"], Kind: p.of["kind"], Text: p.of["text"],
		Limit: p.limit()}
	for name, v := range p.of {
		if len(v) > maxName || name == "text" && len(v) > maxSearch || !utf8.ValidString(v) {
			p.refuse("said.api.is-too-long-or-no-text", words.Args{"name": name})
		}
	}
	return replyTo(w, p, func(ctx context.Context) (api.RequestPage, error) { return c.node.Requests(ctx, q) })
}

func (c calls) requestReport(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "days", "lang")
	days := p.number("days", 1, maxReportDays, defaultReportDays)
	if p.err != nil {
		return p.err
	}
	text, err := ask(r, func(ctx context.Context) (string, error) { return c.node.RequestReport(ctx, days) })
	if err != nil {
		return err
	}
	writeBody(w, http.StatusOK, "text/plain; charset=utf-8", []byte(text))
	return nil
}

// doctorTimeout is how long a call looks at the files: less than a Client
// waits.
const doctorTimeout = 14 * time.Second

func (c calls) doctor(w http.ResponseWriter, r *http.Request) error {
	if err := query(r, "lang").err; err != nil {
		return err
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(2 * doctorTimeout)) // recorders have no deadlines
	ctx, cancel := context.WithTimeout(r.Context(), doctorTimeout)
	defer cancel()
	report, err := c.node.Doctor(ctx)
	switch {
	case errors.Is(err, api.ErrBusy):
		return &api.CallError{Status: http.StatusServiceUnavailable, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return refuse(http.StatusGatewayTimeout, "said.api.the-files-could-not-be-looked",
			words.Args{"time": doctorTimeout})
	case err != nil:
		return err
	}
	return writeJSON(w, report)
}

func describe(w http.ResponseWriter, r *http.Request) error {
	if err := query(r).err; err != nil {
		return err
	}
	writeBody(w, http.StatusOK, "application/json", api.OpenAPI)
	return nil
}

// metrics writes counts in the Prometheus text format 0.0.4.
func (c calls) metrics(w http.ResponseWriter, r *http.Request) error {
	if err := query(r).err; err != nil {
		return err
	}
	st, err := ask(r, c.node.Status)
	if err != nil {
		return err
	}
	stats, err := ask(r, func(ctx context.Context) (api.Stats, error) { return c.node.Stats(ctx, 0) })
	if err != nil {
		return err
	}
	peers, err := ask(r, c.node.Peers)
	if err != nil {
		return err
	}
	writeBody(w, http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", metrics.Text(st, stats, peers))
	return nil
}

// answers serves what the node says, to calls with these parameters at most.
func answers[T any](call func(context.Context) (T, error), known ...string) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		return replyTo(w, query(r, known...), call)
	}
}

// inLang has the node say something in the language of the call.
func inLang[T any](say func(context.Context, string) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return say(ctx, api.Lang(ctx)) }
}
